// SPDX-License-Identifier: Apache-2.0
// The window.
#include "batch/run.h"

#include <deque>
#include <optional>

namespace seqgpt {
namespace {

class Window {
 public:
  Window(ItemSource& source, Answerer& answerer) : source_(source), answerer_(answerer) {}

  /// Reads until the window is full or the source has ended.
  void fill() {
    while (!ended_ && items_.size() < kWindowItems && bytes_ < kWindowBytes) {
      Result<std::optional<BatchLine>> item = source_.next();
      if (!item.ok()) failure_ = item.error();
      ended_ = failure_ || !item->has_value();
      if (ended_) return;
      items_.push_back({std::move(**item)});
      Item& added = items_.back();
      if (!added.line.task().ok()) continue;
      bytes_ += added.line.task()->text.size();
      added.ticket = answerer_.submit(*added.line.task());
    }
  }

  bool empty() const { return items_.empty(); }
  bool front_ready() const {
    return !items_.front().line.task().ok() || answerer_.ready(items_.front().ticket);
  }

  Status give_front(AnswerSink& sink) {
    const auto [line, ticket] = std::move(items_.front());
    items_.pop_front();
    if (!line.task().ok()) return sink.put(line, line.task().error());
    bytes_ -= line.task()->text.size();
    return sink.put(line, answerer_.take(ticket));
  }

  Status ending() const { return failure_ ? Status(*failure_) : Status(); }

 private:
  struct Item {
    BatchLine line;
    Ticket ticket = 0;
  };

  ItemSource& source_;
  Answerer& answerer_;
  std::deque<Item> items_;
  size_t bytes_ = 0;
  bool ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace

Status run_batch(ItemSource& source, Answerer& answerer, AnswerSink& sink) {
  Window window(source, answerer);
  for (;;) {
    window.fill();
    if (window.empty()) return window.ending();
    if (window.front_ready()) {
      SEQGPT_TRY(window.give_front(sink));
    } else {
      answerer.work();
    }
  }
}

}  // namespace seqgpt
