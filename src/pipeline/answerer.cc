// SPDX-License-Identifier: Apache-2.0
// The answerer over a pipeline: running tasks and prompts, stepped together.
#include "pipeline/answerer.h"

#include <algorithm>
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
    if (!running.ended()) begin(running, pipeline.engine());
  }
  bool ended(Ticket ticket) const {
    const auto found = running_.find(ticket);
    return found != running_.end() && found->second->ended();
  }
  const Running* find(Ticket ticket) const {
    const auto found = running_.find(ticket);
    return found == running_.end() ? nullptr : found->second.get();
  }
  void advance(Engine& engine) {
    for (const auto& [ticket, running] : running_) {
      if (!running->ended() && !running->preparing()) running->advance(engine);
    }
  }
  /// One slice for one of those that are prepared, in turn: what many long texts need is no longer
  /// beside a step than what one needs. False when none is.
  bool prepare_one(Engine& engine) {
    const auto waits = [](const auto& entry) { return entry.second->preparing(); };
    auto next = std::find_if(running_.upper_bound(last_prepared_), running_.end(), waits);
    if (next == running_.end()) next = std::find_if(running_.begin(), running_.end(), waits);
    if (next == running_.end()) return false;
    last_prepared_ = next->first;
    begin(*next->second, engine);
    return true;
  }
  auto take(Ticket ticket) {
    auto answer = running_.at(ticket)->take();
    running_.erase(ticket);
    return answer;
  }
  Running* find(Ticket ticket) {
    const auto found = running_.find(ticket);
    return found == running_.end() ? nullptr : found->second.get();
  }
  void cancel(Ticket ticket, Engine& engine) {
    const auto found = running_.find(ticket);
    if (found == running_.end()) return;
    if (!found->second->ended()) found->second->withdraw(engine);
    running_.erase(found);
  }

 private:
  static void begin(Running& running, Engine& engine) {
    running.prepare();
    if (!running.ended() && !running.preparing()) running.advance(engine);
  }

  std::map<Ticket, std::unique_ptr<Running>> running_;
  Ticket last_prepared_ = 0;
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
    const bool looked = tasks_.prepare_one(pipeline_.engine());
    const bool encoded = prompts_.prepare_one(pipeline_.engine());
    idle_ = stepped || looked || encoded ? 0 : idle_ + 1;
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

  TaskProgress progress(Ticket ticket) const override {
    const RunningTask* task = tasks_.find(ticket);
    return task ? task->progress() : TaskProgress{};
  }
  std::string written(Ticket ticket) const override {
    const RunningPrompt* prompt = prompts_.find(ticket);
    return prompt ? prompt->written_so_far(pipeline_.engine()) : std::string();
  }
  WorkTimes times(Ticket ticket) const override {
    if (const RunningTask* task = tasks_.find(ticket)) return task->times();
    const RunningPrompt* prompt = prompts_.find(ticket);
    return prompt ? prompt->times() : WorkTimes{};
  }
  std::optional<Decided> decided(Ticket ticket) override {
    RunningTask* task = tasks_.find(ticket);
    return task ? task->decided(pipeline_.engine()) : std::nullopt;
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
