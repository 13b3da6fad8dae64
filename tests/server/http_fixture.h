// SPDX-License-Identifier: Apache-2.0
// An HTTP server with a handler that holds, streams or forgets, on a port of its own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "server/fake_model.h"
#include "server/http_server.h"
#include "server/raw_client.h"

namespace seqgpt {

using namespace std::chrono_literals;

/// In the shape that all errors have.
inline void expect_error(const RawResponse& response, int status, const std::string& type) {
  ASSERT_EQ(response.status, status);
  const auto error = nlohmann::json::parse(response.body)["error"];
  EXPECT_EQ(error["code"], status);
  EXPECT_EQ(error["type"], type);
  EXPECT_FALSE(error["message"].get<std::string>().empty());
  EXPECT_EQ(error["trace_id"].get<std::string>().size(), 32U);
  EXPECT_EQ(error["trace_id"], response.header("X-Request-ID"));
}

/// Answers with method, path and body; /hold keeps its reply until released; /drop forgets it.
class HttpServerTest : public testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    options.port = 0;
    auto server = HttpServer::listen(options, [this](HttpRequest request, auto reply) {
      handle(std::move(request), std::move(reply));
    });
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
    server_->start();
    port_ = server_->port();
  }
  void TearDown() override {
    held_.clear();
    server_.reset();
  }

  void handle(HttpRequest request, std::shared_ptr<Reply> reply) {
    ++requests_;
    if (request.problem) {
      reply->send({request.problem->status, "text/plain", request.problem->message, {}});
    } else if (request.path == "/hold") {
      reply->on_gone([this] {
        const std::lock_guard lock(mutex_);
        ++gone_;
        changed_.notify_all();
      });
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(reply));
      changed_.notify_all();
    } else if (request.path == "/events") {
      reply->start({200, "text/event-stream", "", {}});
      reply->write("one\n");
      reply->write("two\n");
      reply->finish();
    } else if (request.path != "/drop") {
      reply->send(
          {200, "text/plain", request.method + " " + request.path + " " + request.body, {}});
    }
  }

  template <typename Condition>
  bool wait_for(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs), condition);
  }
  void wait_held(size_t count) {
    ASSERT_TRUE(wait_for([&] { return held_.size() >= count; }));
  }
  std::unique_ptr<HttpServer> server_;
  uint16_t port_ = 0;
  std::atomic<int> requests_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Reply>> held_;
  int gone_ = 0;
};

}  // namespace seqgpt
