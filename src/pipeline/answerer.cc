// SPDX-License-Identifier: Apache-2.0
// The answerer over a pipeline: running tasks and prompts, stepped together.
#include "pipeline/answerer.h"

#include <cassert>
#include <map>

#include "pipeline/running_prompt.h"
#include "pipeline/running_task.h"

namespace seqgpt {
namespace {

/// Those of one kind that are under way or ended, by ticket: in order of submission.
template <typename Running>
class RunningSet {
 public:
  template <typename Request>
  void add(Ticket ticket, const Request& request, Pipeline& pipeline) {
    Running& running =
        *running_.emplace(ticket, std::make_unique<Running>(request, pipeline)).first->second;
    if (!running.ended()) running.advance(pipeline.engine());
  }
  bool ended(Ticket ticket) const {
    const auto found = running_.find(ticket);
    return found != running_.end() && found->second->ended();
  }
  void advance(Engine& engine) {
    for (const auto& [ticket, running] : running_) {
      if (!running->ended()) running->advance(engine);
    }
  }
  auto take(Ticket ticket) {
    auto answer = running_.at(ticket)->take();
    running_.erase(ticket);
    return answer;
  }
  void cancel(Ticket ticket, Engine& engine) {
    const auto found = running_.find(ticket);
    if (found == running_.end()) return;
    if (!found->second->ended()) found->second->withdraw(engine);
    running_.erase(found);
  }

 private:
  std::map<Ticket, std::unique_ptr<Running>> running_;
};

class PipelineAnswerer final : public LiveAnswerer {
 public:
  explicit PipelineAnswerer(Pipeline& pipeline) : pipeline_(pipeline) {}

  Ticket submit(const Task& task) override {
    tasks_.add(++last_, task, pipeline_);
    return last_;
  }
  Ticket submit(const FreePrompt& prompt) override {
    prompts_.add(++last_, prompt, pipeline_);
    return last_;
  }

  bool ready(Ticket ticket) const override {
    return tasks_.ended(ticket) || prompts_.ended(ticket);
  }

  void work() override {
    const bool stepped = pipeline_.engine().step();
    idle_ = stepped ? 0 : idle_ + 1;
    assert(idle_ < 3 && "a task under way waits for the engine, or has something to take");
    tasks_.advance(pipeline_.engine());
    prompts_.advance(pipeline_.engine());
  }

  Result<Answer> take(Ticket ticket) override {
    idle_ = 0;
    return tasks_.take(ticket);
  }
  Result<FreeAnswer> take_free(Ticket ticket) override {
    idle_ = 0;
    return prompts_.take(ticket);
  }

  void cancel(Ticket ticket) override {
    idle_ = 0;
    tasks_.cancel(ticket, pipeline_.engine());
    prompts_.cancel(ticket, pipeline_.engine());
  }

 private:
  Pipeline& pipeline_;
  RunningSet<RunningTask> tasks_;
  RunningSet<RunningPrompt> prompts_;
  Ticket last_ = 0;
  int idle_ = 0;  // calls in a row without anything for the engine to do
};

}  // namespace

std::unique_ptr<LiveAnswerer> make_answerer(Pipeline& pipeline) {
  return std::make_unique<PipelineAnswerer>(pipeline);
}

}  // namespace seqgpt
