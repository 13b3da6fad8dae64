// SPDX-License-Identifier: Apache-2.0
// The two thresholds and the two waits.
#include "server/brown_out.h"

#include <utility>

namespace seqgpt {

void BrownOut::end_if_quiet(Time now) {
  if (!last_pressed_ || now - *last_pressed_ < options_.end_after) return;
  active_ = seen_above_ = false;
  pressed_since_.reset();
  last_pressed_.reset();
}

void BrownOut::observe(std::chrono::milliseconds waited, Time now) {
  end_if_quiet(now);
  if (waited < options_.end_below) {
    if (!active_) {
      pressed_since_.reset();
      seen_above_ = false;
    }
    return;
  }
  last_pressed_ = now;
  if (!pressed_since_) pressed_since_ = now;
  seen_above_ = seen_above_ || waited >= options_.start_above;
  if (active_ || !seen_above_ || now - *pressed_since_ < options_.start_after) return;
  active_ = true;
  ++starts_;
}

bool BrownOut::active(Time now) {
  end_if_quiet(now);
  return active_;
}

std::vector<std::string> drop_optional(Task& task) {
  std::vector<std::string> dropped;
  if (task.kind == TaskKind::kExtract) {
    if (task.options.verify && std::exchange(task.options.set_ends, false))
      dropped.emplace_back("verify");
    if (std::exchange(task.options.beams, 1) != 1) dropped.emplace_back("beams");
  }
  if (std::exchange(task.options.window_voting, false)) dropped.emplace_back(kWindowVoting);
  return dropped;
}

std::vector<std::string> drop_optional(FreePrompt& prompt) {
  if (prompt.beams == 1) return {};
  prompt.beams = 1;
  return {"beams"};
}

}  // namespace seqgpt
