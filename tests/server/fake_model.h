// SPDX-License-Identifier: Apache-2.0
// A model whose answers are ready when the test says so.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/utf8.h"
#include "server/served_model.h"

namespace seqgpt {

/// What a fake model and its test share. Any thread.
class FakeControl {
 public:
  /// Answers whose text begins with this are held back until release() or cancel.
  void hold(const std::string& prefix) {
    const std::lock_guard lock(mutex_);
    held_.insert(prefix);
  }
  void release(const std::string& prefix) {
    const std::lock_guard lock(mutex_);
    held_.erase(prefix);
  }
  /// Windows of every task under way from now on; 0 of 0 at first.
  std::atomic<size_t> windows_done{0};
  std::atomic<size_t> windows{0};

  bool is_held(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    for (const std::string& prefix : held_) {
      if (text.starts_with(prefix)) return true;
    }
    return false;
  }
  void note(std::vector<std::string>& list, const std::string& text) {
    const std::lock_guard lock(mutex_);
    list.push_back(text);
  }
  std::vector<std::string> submitted_texts() const {
    const std::lock_guard lock(mutex_);
    return submitted;
  }
  /// Of all submitted so far; the warm-up has none.
  std::vector<std::string> submitted_owners() const {
    const std::lock_guard lock(mutex_);
    return owners;
  }
  std::vector<std::string> cancelled_texts() const {
    const std::lock_guard lock(mutex_);
    return cancelled;
  }

  std::vector<std::string> submitted;
  std::vector<std::string> owners;  // of them
  std::vector<std::string> cancelled;
  std::atomic<bool> last_verify{true};
  std::atomic<int> last_beams{1};

 private:
  mutable std::mutex mutex_;
  std::set<std::string> held_;
};

class FakeModel final : public ServedModel, private LiveAnswerer {
 public:
  explicit FakeModel(FakeControl& control) : control_(control) {}

  LiveAnswerer& answerer() override { return *this; }
  ModelFigures figures() const override { return {}; }
  ModelFacts facts() const override {
    return {"fake", "0123456789abcdef", "cpu/fake", 1, 0, 0, 0, "bf16"};
  }

 private:
  Ticket submit(const Task& task) override {
    control_.last_verify = task.options.verify && task.options.set_ends;
    control_.last_beams = task.options.beams;
    control_.note(control_.owners, task.owner);
    const Ticket ticket = add(task.text, task.kind, task.labels);
    const bool long_one = task.text.starts_with("long");
    waiting_.at(ticket).answer.unvoted = long_one && !task.options.window_voting;
    return ticket;
  }
  Ticket submit(const FreePrompt& prompt) override {
    control_.note(control_.owners, prompt.owner);
    return add(prompt.text, TaskKind::kExtract, {});
  }
  Ticket add(const std::string& text, TaskKind kind, const std::vector<Label>& labels) {
    control_.note(control_.submitted, text);
    Answer answer;
    answer.kind = kind;
    answer.labels = labels;
    for (size_t i = 0; i < labels.size(); ++i)
      answer.classes.push_back({i, 1.0 / (1.0 + double(i))});
    waiting_.emplace(++last_, Waiting{text, answer, false});
    return last_;
  }
  bool ready(Ticket ticket) const override { return !control_.is_held(waiting_.at(ticket).text); }
  void work() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  Result<Answer> take(Ticket ticket) override {
    const Waiting waiting = waiting_.at(ticket);
    waiting_.erase(ticket);
    if (waiting.text.starts_with("fail"))
      return Error{ErrorCode::kInternal, "told to fail", "text"};
    return waiting.answer;
  }
  Result<FreeAnswer> take_free(Ticket ticket) override {
    FreeAnswer answer;
    answer.text = "re: " + waiting_.at(ticket).text;
    if (waiting_.at(ticket).text.starts_with("fail")) {
      waiting_.erase(ticket);
      return Error{ErrorCode::kInternal, "told to fail", "text"};
    }
    answer.stopped = true;
    answer.prompt_tokens = 3;
    answer.completion_tokens = 2;
    waiting_.erase(ticket);
    return answer;
  }
  /// Half of what will be the text.
  std::string written(Ticket ticket) const override {
    const std::string text = "re: " + waiting_.at(ticket).text;
    size_t half = text.size() / 2;
    while (!utf8_boundary(text, half)) --half;
    return text.substr(0, half);
  }
  WorkTimes times(Ticket) const override { return {1, 2, 3}; }
  TaskProgress progress(Ticket) const override { return {control_.windows_done, control_.windows}; }
  std::optional<Decided> decided(Ticket ticket) override {
    Waiting& waiting = waiting_.at(ticket);
    if (waiting.told || waiting.answer.labels.empty()) return std::nullopt;
    waiting.told = true;
    return Decided{{0}, waiting.answer};
  }
  void cancel(Ticket ticket) override {
    const auto found = waiting_.find(ticket);
    if (found == waiting_.end()) return;
    control_.note(control_.cancelled, found->second.text);
    waiting_.erase(found);
  }

  struct Waiting {
    std::string text;
    Answer answer;
    bool told = false;
  };

  FakeControl& control_;
  std::map<Ticket, Waiting> waiting_;
  Ticket last_ = 0;
};

/// True once the condition holds; false after a minute.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 12'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace seqgpt
