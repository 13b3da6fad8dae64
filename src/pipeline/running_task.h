// SPDX-License-Identifier: Apache-2.0
// RunningTask: a task from its check to its answer.
#pragma once

#include <memory>
#include <optional>

#include "pipeline/job.h"
#include "pipeline/work_clock.h"

namespace seqgpt {

/// Never moved while it runs: its job refers to its task.
class RunningTask {
 public:
  /// Checks a copy of the task and makes its job; a task that cannot run has ended with its error.
  RunningTask(const Task& task, Pipeline& pipeline);
  RunningTask(const RunningTask&) = delete;
  RunningTask& operator=(const RunningTask&) = delete;

  /// Before the first advance(), until preparing() is false (Job::prepare).
  void prepare() { prepared_ = job_->prepare(); }
  bool preparing() const { return !ended() && !prepared_; }
  /// Then to be called at once and after every step of the engine, until ended().
  void advance(Engine& engine);
  TaskProgress progress() const { return job_ ? job_->progress() : TaskProgress{}; }
  bool ended() const { return ended_.has_value(); }
  const WorkTimes& times() const { return clock_.times(); }
  Result<Answer> take() { return *std::move(ended_); }
  std::optional<Decided> decided(const Engine& engine) {
    return ended() ? std::nullopt : job_->decided(engine);
  }
  /// Takes everything back: nobody will ask for the answer.
  void withdraw(Engine& engine) { job_->withdraw(engine); }

 private:
  Status begin(const Task& task, Pipeline& pipeline);
  Status cut_long_text(const Tokenizer& tokenizer);
  Answer finished();

  Task task_;
  double coverage_ = 1;
  std::optional<Warning> cut_;  // what long_text left out
  std::unique_ptr<Job> job_;
  bool prepared_ = false;
  std::optional<Result<Answer>> ended_;
  WorkClock clock_;
};

}  // namespace seqgpt
