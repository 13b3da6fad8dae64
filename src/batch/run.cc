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
      items_.push_back(std::move(**item));
      if (!items_.back().task().ok()) continue;
      bytes_ += items_.back().task()->text.size();
      answerer_.submit(*items_.back().task());
    }
  }

  bool empty() const { return items_.empty(); }
  bool front_ready() const { return !items_.front().task().ok() || answerer_.ready(); }

  Status give_front(AnswerSink& sink) {
    const BatchLine line = std::move(items_.front());
    items_.pop_front();
    if (!line.task().ok()) return sink.put(line, line.task().error());
    bytes_ -= line.task()->text.size();
    return sink.put(line, answerer_.take());
  }

  Status ending() const { return failure_ ? Status(*failure_) : Status(); }

 private:
  ItemSource& source_;
  Answerer& answerer_;
  std::deque<BatchLine> items_;
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
