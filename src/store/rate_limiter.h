// SPDX-License-Identifier: Apache-2.0
// A token bucket for each bearer key.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace seqgpt {

/// A bucket holds a minute's worth of requests and fills evenly. Any thread may call take().
class RateLimiter {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  explicit RateLimiter(Clock clock = std::chrono::steady_clock::now) : clock_(std::move(clock)) {}

  /// Takes one request of `id` from its bucket: nothing when there was one, else how long until
  /// there will be (for Retry-After). A changed rate holds from the next call on; rate 0 refuses
  /// for a minute at a time.
  std::optional<std::chrono::milliseconds> take(const std::string& id, uint32_t rate_per_minute);
  /// Forgets buckets that are full again.
  void tidy();

 private:
  struct Bucket {
    double tokens = 0;
    uint32_t rate_per_minute = 0;
    std::chrono::steady_clock::time_point filled;
  };
  void fill(Bucket& bucket, uint32_t rate_per_minute) const;

  Clock clock_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;  // bounded by the ids of the key file
};

}  // namespace seqgpt
