// SPDX-License-Identifier: Apache-2.0
// Days and instants in UTC as file names and logs write them.
#pragma once

#include <string>

#include "store/clock.h"

namespace seqgpt {

/// Days since 1970-01-01.
inline int64_t utc_day(UnixMs time) {
  constexpr int64_t kDayMs = 86'400'000;
  return time >= 0 ? time / kDayMs : (time - kDayMs + 1) / kDayMs;
}

/// "20261130"
std::string utc_date(UnixMs time);
/// "20261130T105931"
std::string utc_compact(UnixMs time);
/// "2026-11-30T10:59:31.123Z"
std::string utc_iso(UnixMs time);

}  // namespace seqgpt
