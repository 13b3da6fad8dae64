// SPDX-License-Identifier: Apache-2.0
// Service::Flight: what the service keeps of one computation. Internal to the service.
#pragma once

#include "server/service.h"

namespace seqgpt {

inline double ms_between(std::chrono::steady_clock::time_point from,
                         std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

/// One computation and those who wait for it.
struct Service::Flight {
  struct Waiter {
    OrderId id;
    Clock::time_point deadline;
    std::function<void(Finished)> done;
    std::function<void(double)> started;
    std::function<void(const TaskProgress&, double)> progress;
    std::function<void(const Decided&)> decided;
    std::function<void(double)> has_read;
    std::function<void(std::shared_ptr<const std::string>)> written;
  };

  std::string key;
  Work work;
  bool may_degrade;
  bool background;
  Clock::time_point queued;
  std::vector<Waiter> waiters;
  bool submitted = false;
  Ticket ticket = 0;
  Clock::time_point began;
  std::vector<std::string> dropped;
  TaskProgress progress;
  bool read_told = false;
  size_t written = 0;  // bytes that were told
};

}  // namespace seqgpt
