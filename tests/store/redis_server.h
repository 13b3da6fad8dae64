// SPDX-License-Identifier: Apache-2.0
// A real redis-server for one test, on a unix socket in a directory of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "store/redis_client.h"
#include "temporary_directory.h"

namespace seqgpt {

class RedisServer {
 public:
  RedisServer() { start(); }
  ~RedisServer() { stop(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::string url() const { return "unix://" + directory_.file("redis.sock"); }
  std::string file(const std::string& name) const { return directory_.file(name); }

  void start() {
    const std::string socket = directory_.file("redis.sock");
    const std::string directory = directory_.file("");
    const std::string log = directory_.file("redis.log");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--dir",
             directory.c_str(), "--appendonly", "yes", "--appendfsync", "always", "--save", "",
             "--logfile", log.c_str(), nullptr);
      _exit(127);
    }
    for (int i = 0; i < 600; ++i) {
      RedisClient client(*parse_redis_address(url()));
      if (client.command({"PING"}).ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "redis-server does not start: is the package installed? " << read_file(log);
  }

  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  TemporaryDirectory directory_;
  pid_t pid_ = 0;
};

}  // namespace seqgpt
