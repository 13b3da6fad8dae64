// SPDX-License-Identifier: Apache-2.0
// The time of day as the store sees it, replaceable in tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace seqgpt {

/// Milliseconds since 1970-01-01T00:00:00Z.
using UnixMs = int64_t;
using UnixClock = std::function<UnixMs()>;

inline UnixMs system_unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace seqgpt
