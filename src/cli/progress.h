// SPDX-License-Identifier: Apache-2.0
// Progress: a bar with rate and remaining time on standard error, when that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace seqgpt::cli {

/// One line of a bar: share of the work done (0..1, if known), texts, rate, remaining time.
std::string progress_line(std::optional<double> share, uint64_t texts, double per_second,
                          std::optional<double> seconds_left);

class Progress {
 public:
  Progress();
  /// Where the work begins: what an earlier run has done took no time of this one.
  void begin(uint64_t texts, std::optional<double> share);
  /// `share` is the part of the work done, if known. Draws at most ten times a second.
  void show(uint64_t texts, std::optional<double> share);
  /// Leaves the last line standing.
  void finish();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_ - std::chrono::hours(1);
  std::optional<double> first_share_;
  uint64_t first_texts_ = 0;
};

}  // namespace seqgpt::cli
