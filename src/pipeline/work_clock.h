// SPDX-License-Identifier: Apache-2.0
// WorkClock: the times of one task's or prompt's stages, told to people who wait; no answer has
// them.
#pragma once

#include <chrono>

#include "pipeline/answer.h"

namespace seqgpt {

/// Runs from its making on. The marks come in this order; one that is left out takes no time.
class WorkClock {
 public:
  void has_read() {
    if (times_.read < 0) times_.read = lap();
  }
  void has_decided() {
    has_read();
    if (times_.decide < 0) times_.decide = lap();
  }
  void has_normalized() {
    has_decided();
    times_.normalize = lap();
  }
  const WorkTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;

  double lap() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

  Clock::time_point last_ = Clock::now();
  WorkTimes times_;
};

}  // namespace seqgpt
