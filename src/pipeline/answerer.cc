// SPDX-License-Identifier: Apache-2.0
// The answerer over a pipeline: a queue of running tasks, stepped together.
#include "pipeline/answerer.h"

#include <deque>

#include "pipeline/job.h"

namespace seqgpt {
namespace {

class PipelineAnswerer final : public Answerer {
 public:
  explicit PipelineAnswerer(Pipeline& pipeline) : pipeline_(pipeline) {}

  void submit(const Task& task) override {
    waiting_.push_back(std::make_unique<RunningTask>());
    begin(*waiting_.back(), task, pipeline_);
    idle_ = false;
  }

  bool ready() const override {
    if (waiting_.empty()) return false;
    const RunningTask& oldest = *waiting_.front();
    return oldest.error || idle_ || oldest.job->ready(pipeline_.engine());
  }

  void work() override { idle_ = !pipeline_.engine().step(); }

  Result<Answer> take() override {
    const std::unique_ptr<RunningTask> oldest = std::move(waiting_.front());
    waiting_.pop_front();
    if (oldest->error) return *std::move(oldest->error);
    return oldest->job->collect(pipeline_.engine());
  }

 private:
  Pipeline& pipeline_;
  std::deque<std::unique_ptr<RunningTask>> waiting_;
  bool idle_ = false;  // the engine has nothing left to do: whatever waits has ended
};

}  // namespace

std::unique_ptr<Answerer> make_answerer(Pipeline& pipeline) {
  return std::make_unique<PipelineAnswerer>(pipeline);
}

}  // namespace seqgpt
