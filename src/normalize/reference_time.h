// SPDX-License-Identifier: Apache-2.0
// ReferenceTime: the moment and zone that 去年 and 下周三 are read against; nothing here reads a
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "normalize/civil.h"

namespace seqgpt {

/// A zone of one fixed offset. Known: UTC, +08:00 and the like, and IANA names of places without
/// summer time today (Asia/Shanghai, Hong_Kong, Macau, Taipei, Singapore, Tokyo, Seoul, …). Zones
/// with summer time are refused: give the offset that holds at the reference time.
struct TimeZone {
  int offset_minutes = 8 * 60;

  static Result<TimeZone> parse(std::string_view name);
  bool operator==(const TimeZone&) const = default;
};

/// A local time with its offset, or none.
class ReferenceTime {
 public:
  ReferenceTime() = default;  // none: relative wording then has no value
  ReferenceTime(CivilTime local, TimeZone zone) : local_(local), zone_(zone) {}

  /// "none", or ISO 8601: 2026-11-30, 2026-11-30T09:00[:00[.000]], with Z or +08:00 or without; a
  /// time without an offset is local in `zone` (Asia/Shanghai when none is given); one with an
  /// offset keeps it, and is converted when `zone` is given. Errors: kInvalidArgument, param
  /// reference_time.
  static Result<ReferenceTime> parse(std::string_view text, std::optional<TimeZone> zone = {});
  /// The moment `unix_seconds` (what a clock gave the caller) as local time of `zone`.
  static ReferenceTime at(int64_t unix_seconds, TimeZone zone = {});

  bool given() const { return local_.has_value(); }
  const CivilTime& local() const { return *local_; }  // only when given()
  TimeZone zone() const { return zone_; }
  /// "2026-11-30T09:00:00+08:00" or "none": what is echoed and what parse() takes back.
  std::string text() const;

 private:
  std::optional<CivilTime> local_;
  TimeZone zone_;
};

}  // namespace seqgpt
