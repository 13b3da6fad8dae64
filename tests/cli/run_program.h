// SPDX-License-Identifier: Apache-2.0
// Runs the built program with arguments and standard input, and gathers what it says.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "temporary_directory.h"

extern char** environ;

namespace seqgpt {

struct ProgramRun {
  int code = -1;  // exit code; 128 + signal when killed
  std::string out;
  std::string err;
};

/// Starts the program with its three streams on files; 0 when that failed. SEQGPT_PROGRAM is the
/// path of the binary under test.
inline pid_t start_program(std::vector<std::string> arguments, const std::string& in,
                           const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  arguments.insert(arguments.begin(), SEQGPT_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, SEQGPT_PROGRAM, &actions, nullptr, argv.data(), environ) != 0) pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

/// Its exit code; 128 + signal when killed.
inline int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline ProgramRun run_program(std::vector<std::string> arguments, const std::string& input = "") {
  const TemporaryDirectory directory;
  const std::string in = directory.write("in", input);
  const std::string out = directory.file("out");
  const std::string err = directory.file("err");
  ProgramRun run;
  const pid_t pid = start_program(std::move(arguments), in, out, err);
  if (pid != 0) run.code = wait_for(pid);
  run.out = read_file(out);
  run.err = read_file(err);
  return run;
}

}  // namespace seqgpt
