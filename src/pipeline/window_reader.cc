// SPDX-License-Identifier: Apache-2.0
// Collect from the front, refill at the back.
#include "pipeline/window_reader.h"

namespace seqgpt {

Result<bool> WindowReader::advance(Engine& engine) {
  Status status = collect(engine);
  if (status.ok()) status = refill(engine);
  if (status.ok()) return all_submitted_ && in_flight_.empty();
  withdraw(engine);
  return std::move(status).error();
}

void WindowReader::withdraw(Engine& engine) {
  for (InFlight& window : in_flight_) window.work->withdraw(engine);
  in_flight_.clear();
}

Status WindowReader::collect(Engine& engine) {
  while (!in_flight_.empty() && in_flight_.front().work->ready(engine)) {
    const InFlight ended = std::move(in_flight_.front());
    in_flight_.pop_front();
    SEQGPT_TRY(ended.work->collect(engine));
    done_(*ended.work, ended.window);
  }
  return {};
}

Status WindowReader::refill(Engine& engine) {
  while (!all_submitted_ && in_flight_.size() < kWindowsInFlight) {
    const std::optional<ByteSpan> window = next_();
    if (!window) {
      all_submitted_ = true;
      break;
    }
    SEQGPT_ASSIGN(std::unique_ptr<WindowWork> work, make_(*window));
    SEQGPT_TRY(work->submit(engine));
    in_flight_.push_back({*window, std::move(work)});
  }
  return {};
}

}  // namespace seqgpt
