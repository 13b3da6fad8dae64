// SPDX-License-Identifier: Apache-2.0
// Counters and latencies of the server, written in Prometheus' text format.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seqgpt {

/// Latencies in buckets that grow by a tenth, from 0.1 ms to more than an hour: percentiles are
/// right within 10 %.
class LatencyHistogram {
 public:
  void add(double ms);
  /// 0 when there are none.
  double percentile(double share) const;
  uint64_t count() const { return count_; }
  double sum_ms() const { return sum_ms_; }
  /// How many were at most `ms`, to within a bucket.
  uint64_t at_most(double ms) const;

 private:
  static constexpr size_t kBuckets = 190;

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  double sum_ms_ = 0;
};

struct Percentiles {
  uint64_t count = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

/// What happened to requests. Any thread.
class RequestMetrics {
 public:
  struct Request {
    std::string_view route;
    int status = 0;
    double ms = 0;
    double queue_ms = -1;  // negative: never queued
    uint64_t request_bytes = 0;
    uint64_t answer_bytes = 0;
    bool model_work = false;  // counts for the latencies of /health
  };
  void add(const Request& request);
  void add_answer(bool empty, bool truncated, bool degraded);

  Percentiles last_ten() const;
  Percentiles overall() const;
  /// Lines of all these families.
  void write(std::string& out) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<int, uint64_t>, std::less<>> by_status_;
  std::map<std::string, LatencyHistogram, std::less<>> by_route_;
  LatencyHistogram queue_;
  LatencyHistogram work_;
  std::deque<double> last_;
  uint64_t request_bytes_ = 0;
  uint64_t answer_bytes_ = 0;
  uint64_t empty_ = 0;
  uint64_t truncated_ = 0;
  uint64_t degraded_ = 0;
};

/// "# HELP name help", "# TYPE name type", "name value".
void write_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, double value);

/// The same of several samples, each under its labels, e.g. gpu="0".
void write_samples(std::string& out, std::string_view name, std::string_view type,
                   std::string_view help,
                   const std::vector<std::pair<std::string, double>>& samples);
/// name="value", escaped.
std::string metric_label(std::string_view name, std::string_view value);

struct ProcessFigures {
  uint64_t resident_bytes = 0;
  uint64_t virtual_bytes = 0;
  double cpu_seconds = 0;
  uint64_t open_files = 0;
  uint64_t max_open_files = 0;
};
/// Of this process, out of /proc; zeros where that cannot be read.
ProcessFigures process_figures();

}  // namespace seqgpt
