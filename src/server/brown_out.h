// SPDX-License-Identifier: Apache-2.0
// BrownOut: when optional work is dropped because requests wait too long, and when no more.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/answer.h"

namespace seqgpt {

struct BrownOutOptions {
  std::chrono::milliseconds start_above{500};   // of time in the queue
  std::chrono::milliseconds start_after{1000};  // that long without a wait below end_below
  std::chrono::milliseconds end_below{100};
  std::chrono::milliseconds end_after{5000};  // that long without a wait of end_below or more
};

/// Starts once some request has waited start_above and all have waited at least end_below for
/// start_after; ends once none has for end_after. So it turns at most once in start_after +
/// end_after. Time comes from the caller; one thread.
class BrownOut {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit BrownOut(const BrownOutOptions& options) : options_(options) {}

  /// A request leaves the queue after `waited`.
  void observe(std::chrono::milliseconds waited, Time now);
  bool active(Time now);
  uint64_t starts() const { return starts_; }

 private:
  void end_if_quiet(Time now);

  BrownOutOptions options_;
  bool active_ = false;
  bool seen_above_ = false;            // in this spell of pressure some request waited start_above
  std::optional<Time> pressed_since_;  // every wait since was end_below or more
  std::optional<Time> last_pressed_;
  uint64_t starts_ = 0;
};

/// The name of a dropped second reading of what stands on the seams of windows. A text of one
/// window has none, which its answer tells (Answer::unvoted).
inline constexpr std::string_view kWindowVoting = "window_voting";

// Takes optional work away; the names of what was dropped, as warnings say them.
std::vector<std::string> drop_optional(Task& task);
std::vector<std::string> drop_optional(FreePrompt& prompt);

}  // namespace seqgpt
