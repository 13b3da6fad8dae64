// SPDX-License-Identifier: Apache-2.0
// What every measurement of bench needs: a clock around work that may fail, and ranks of its times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "base/result.h"

namespace seqgpt {

using BenchClock = std::chrono::steady_clock;

inline double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

/// How long `work` took, or what went wrong in it.
inline Result<double> seconds_of(const std::function<Status()>& work) {
  const auto start = BenchClock::now();
  SEQGPT_TRY(work());
  return seconds_since(start);
}

/// The smallest of `values` (at least one) that `share` of them, 0 to 1, do not exceed.
inline double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

inline double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

}  // namespace seqgpt
