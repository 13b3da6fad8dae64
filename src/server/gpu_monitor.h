// SPDX-License-Identifier: Apache-2.0
// GpuMonitor: what the driver tells of the machine's GPUs, for /health and /metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace seqgpt {

/// What could be read of one GPU; what could not, or cannot be true, is absent.
struct GpuFigures {
  std::string name;
  std::optional<double> utilization;  // percent of the time in which it worked
  std::optional<uint64_t> memory_used_bytes;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<double> temperature_c;
};

/// Reads in a thread of its own, since a driver may hang; figures() never waits for it. Any thread.
class GpuMonitor {
 public:
  /// NVIDIA's management library, found when the program runs: nothing is needed to build. Null
  /// where it is not, does not begin, or knows no GPU.
  static std::unique_ptr<GpuMonitor> open(const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// The last reading; empty when it is old (a driver that hangs).
  std::vector<GpuFigures> figures() const;

 private:
  struct State;
  explicit GpuMonitor(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with the reading thread, which may outlive this
};

}  // namespace seqgpt
