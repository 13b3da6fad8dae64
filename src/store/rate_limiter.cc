// SPDX-License-Identifier: Apache-2.0
// Filling and taking.
#include "store/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace seqgpt {
namespace {

constexpr std::chrono::milliseconds kMinute{60'000};

}  // namespace

void RateLimiter::fill(Bucket& bucket, uint32_t rate_per_minute) const {
  const auto now = clock_();
  const double minutes = std::chrono::duration<double>(now - bucket.filled) / kMinute;
  bucket.tokens += std::max(0.0, minutes) * bucket.rate_per_minute;
  bucket.rate_per_minute = rate_per_minute;
  bucket.tokens = std::min(bucket.tokens, static_cast<double>(rate_per_minute));
  bucket.filled = now;
}

std::optional<std::chrono::milliseconds> RateLimiter::take(const std::string& id,
                                                           uint32_t rate_per_minute) {
  if (rate_per_minute == 0) return kMinute;
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = buckets_.try_emplace(id);
  Bucket& bucket = place->second;
  if (fresh) {
    bucket = {static_cast<double>(rate_per_minute), rate_per_minute, clock_()};
  } else {
    fill(bucket, rate_per_minute);
  }
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::nullopt;
  }
  const double minutes = (1 - bucket.tokens) / rate_per_minute;
  return std::chrono::milliseconds(
      static_cast<int64_t>(std::ceil(minutes * static_cast<double>(kMinute.count()))));
}

void RateLimiter::tidy() {
  const std::lock_guard lock(mutex_);
  for (auto place = buckets_.begin(); place != buckets_.end();) {
    fill(place->second, place->second.rate_per_minute);
    const bool full = place->second.tokens >= place->second.rate_per_minute;
    place = full ? buckets_.erase(place) : std::next(place);
  }
}

}  // namespace seqgpt
