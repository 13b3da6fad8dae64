// SPDX-License-Identifier: Apache-2.0
// The answerer over a pipeline: a queue of running tasks, stepped together.
#include "pipeline/answerer.h"

#include <cassert>
#include <deque>

#include "pipeline/running_task.h"

namespace seqgpt {
namespace {

class PipelineAnswerer final : public Answerer {
 public:
  explicit PipelineAnswerer(Pipeline& pipeline) : pipeline_(pipeline) {}

  void submit(const Task& task) override {
    tasks_.push_back(std::make_unique<RunningTask>(task, pipeline_));
    if (!tasks_.back()->ended()) tasks_.back()->advance(pipeline_.engine());
  }

  bool ready() const override { return !tasks_.empty() && tasks_.front()->ended(); }

  void work() override {
    const bool stepped = pipeline_.engine().step();
    idle_ = stepped ? 0 : idle_ + 1;
    assert(idle_ < 3 && "a task under way waits for the engine, or has something to take");
    for (const auto& task : tasks_) {
      if (!task->ended()) task->advance(pipeline_.engine());
    }
  }

  Result<Answer> take() override {
    Result<Answer> answer = tasks_.front()->take();
    tasks_.pop_front();
    idle_ = 0;
    return answer;
  }

 private:
  Pipeline& pipeline_;
  std::deque<std::unique_ptr<RunningTask>> tasks_;
  int idle_ = 0;  // calls in a row without anything for the engine to do
};

}  // namespace

std::unique_ptr<Answerer> make_answerer(Pipeline& pipeline) {
  return std::make_unique<PipelineAnswerer>(pipeline);
}

}  // namespace seqgpt
