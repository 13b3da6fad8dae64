// SPDX-License-Identifier: Apache-2.0
// reference_time: the moment that 去年 and 下周三 are read against, as a checked ISO 8601 string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

inline constexpr std::string_view kDefaultTimezone = "Asia/Shanghai";

/// Minutes east of UTC: "+08:00", "Z", "UTC", or one of the zones that keep one offset all year
/// (Asia/Shanghai, Asia/Hong_Kong, Asia/Macau, Asia/Taipei, Asia/Singapore, Asia/Tokyo). Others
/// are kInvalidArgument: give their offset.
Result<int> timezone_offset(std::string_view timezone);

/// `none`, or YYYY-MM-DD with an optional THH:MM[:SS] and an optional offset, made whole:
/// 2026-11-30T09:00:00+08:00. Midnight when it has no time, `timezone` when it has no offset.
/// Errors: kInvalidArgument.
Result<std::string> parse_reference_time(std::string_view written, std::string_view timezone);

/// A moment in seconds since 1970 UTC in that form.
std::string format_reference_time(int64_t seconds, int offset_minutes);

}  // namespace seqgpt
