// SPDX-License-Identifier: Apache-2.0
// Adding up, and writing Prometheus' text format 0.0.4.
#include "server/metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

namespace seqgpt {
namespace {

constexpr double kFirstMs = 0.1;
constexpr double kGrowth = 1.1;
constexpr size_t kLast = 10;
constexpr double kBounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                              1,     2.5,  5,     10,   30,  60};  // seconds

double upper_bound_ms(size_t bucket) {
  return kFirstMs * std::pow(kGrowth, static_cast<double>(bucket));
}

std::string number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

void open_family(std::string& out, std::string_view name, std::string_view type,
                 std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  out.append(" ").append(type).append("\n");
}

void write_histogram(std::string& out, std::string_view name, const std::string& label,
                     const LatencyHistogram& histogram) {
  const std::string comma = label.empty() ? "" : label + ",";
  const std::string braces = label.empty() ? "" : "{" + label + "}";
  for (const double bound : kBounds) {
    out.append(name).append("_bucket{").append(comma).append("le=\"").append(number(bound));
    out.append("\"} ").append(std::to_string(histogram.at_most(bound * 1000))).append("\n");
  }
  out.append(name).append("_bucket{").append(comma).append("le=\"+Inf\"} ");
  out.append(std::to_string(histogram.count())).append("\n");
  out.append(name).append("_sum").append(braces).append(" ");
  out.append(number(histogram.sum_ms() / 1000)).append("\n");
  out.append(name).append("_count").append(braces).append(" ");
  out.append(std::to_string(histogram.count())).append("\n");
}

Percentiles percentiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
  };
  return {values.size(), at(0.5), at(0.95), at(0.99)};
}

}  // namespace

void LatencyHistogram::add(double ms) {
  const double place = std::ceil(std::log(std::max(ms, kFirstMs) / kFirstMs) / std::log(kGrowth));
  ++buckets_[std::min(kBuckets - 1, static_cast<size_t>(std::max(0.0, place)))];
  ++count_;
  sum_ms_ += ms;
}

double LatencyHistogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= std::max<uint64_t>(rank, 1)) return upper_bound_ms(i);
  }
  return upper_bound_ms(kBuckets - 1);
}

uint64_t LatencyHistogram::at_most(double ms) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets && upper_bound_ms(i) <= ms * 1.0001; ++i) seen += buckets_[i];
  return seen;
}

void RequestMetrics::add(const Request& request) {
  const std::lock_guard lock(mutex_);
  ++by_status_[std::string(request.route)][request.status];
  by_route_[std::string(request.route)].add(request.ms);
  request_bytes_ += request.request_bytes;
  answer_bytes_ += request.answer_bytes;
  if (request.queue_ms >= 0) queue_.add(request.queue_ms);
  if (!request.model_work || request.status != 200) return;
  work_.add(request.ms);
  last_.push_back(request.ms);
  if (last_.size() > kLast) last_.pop_front();
}

void RequestMetrics::add_answer(bool empty, bool truncated, bool degraded) {
  const std::lock_guard lock(mutex_);
  empty_ += empty;
  truncated_ += truncated;
  degraded_ += degraded;
}

Percentiles RequestMetrics::last_ten() const {
  const std::lock_guard lock(mutex_);
  return percentiles_of({last_.begin(), last_.end()});
}

Percentiles RequestMetrics::overall() const {
  const std::lock_guard lock(mutex_);
  return {work_.count(), work_.percentile(0.5), work_.percentile(0.95), work_.percentile(0.99)};
}

void RequestMetrics::write(std::string& out) const {
  const std::lock_guard lock(mutex_);
  open_family(out, "seqgpt_requests_total", "counter", "Requests by route and status.");
  for (const auto& [route, statuses] : by_status_) {
    for (const auto& [status, count] : statuses) {
      out.append("seqgpt_requests_total{route=\"").append(route).append("\",status=\"");
      out.append(std::to_string(status)).append("\"} ").append(std::to_string(count)).append("\n");
    }
  }
  open_family(out, "seqgpt_request_duration_seconds", "histogram",
              "Time from a whole request to its answer.");
  for (const auto& [route, histogram] : by_route_)
    write_histogram(out, "seqgpt_request_duration_seconds", "route=\"" + route + "\"", histogram);
  open_family(out, "seqgpt_queue_duration_seconds", "histogram", "Time in the queue.");
  write_histogram(out, "seqgpt_queue_duration_seconds", "", queue_);
  const auto counter = [&](const char* name, const char* help, uint64_t value) {
    write_metric(out, name, "counter", help, static_cast<double>(value));
  };
  counter("seqgpt_request_bytes_total", "Bytes of request bodies.", request_bytes_);
  counter("seqgpt_answer_bytes_total", "Bytes of answer bodies.", answer_bytes_);
  counter("seqgpt_empty_results_total", "Extractions without any value.", empty_);
  counter("seqgpt_truncated_total", "Texts that were not read to their end.", truncated_);
  counter("seqgpt_degraded_total", "Answers without optional work.", degraded_);
}

void write_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, double value) {
  open_family(out, name, type, help);
  out.append(name).append(" ").append(number(value)).append("\n");
}

void write_samples(std::string& out, std::string_view name, std::string_view type,
                   std::string_view help,
                   const std::vector<std::pair<std::string, double>>& samples) {
  if (samples.empty()) return;
  open_family(out, name, type, help);
  for (const auto& [labels, value] : samples)
    out.append(name).append("{").append(labels).append("} ").append(number(value)).append("\n");
}

std::string metric_label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

ProcessFigures process_figures() {
  ProcessFigures figures;
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  if (statm >> size >> resident) {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    figures.virtual_bytes = size * page;
    figures.resident_bytes = resident * page;
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    figures.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  if (DIR* files = opendir("/proc/self/fd")) {
    while (readdir(files)) ++figures.open_files;
    figures.open_files -= std::min<uint64_t>(figures.open_files, 3);  // . and .. and this one
    closedir(files);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_open_files = limit.rlim_cur;
  return figures;
}

}  // namespace seqgpt
