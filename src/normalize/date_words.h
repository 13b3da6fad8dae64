// SPDX-License-Identifier: Apache-2.0
// DateWords: what a text says about one point or period of time, before it is read against a
// reference time.
#pragma once

#include <cstdint>
#include <optional>

#include "normalize/cursor.h"

namespace seqgpt {

enum class DateUnit { kYear, kMonth, kWeek, kDay, kMinute, kSecond };

enum class DayPart {
  kNone,
  kSmallHours,  // 凌晨
  kMorning,     // 早上
  kForenoon,    // 上午
  kNoon,        // 中午
  kAfternoon,   // 下午
  kDusk,        // 傍晚
  kNight,       // 晚上
  kMidnight,    // 半夜, 深夜
  kDaytime,     // 白天
  kAm,          // a.m.
  kPm,          // p.m.
};

/// Offsets count from the reference time's own unit: 去年 is year_offset -1.
struct DateWords {
  std::optional<int> year;
  std::optional<int> year_offset;
  std::optional<int> month;
  std::optional<int> month_offset;
  std::optional<int> day;
  std::optional<int> day_offset;
  std::optional<int> week;  // 第N周 of the year, or of the month when one is given; -1 the last
  std::optional<int> week_offset;
  std::optional<int> weekday;      // Monday is 0
  std::optional<int> nth_weekday;  // 第3个星期日 of the month or year, -1 the last
  std::optional<int> nth_day;      // 第十天 of the month or year, -1 the last
  std::optional<int> half;         // 1, 2 of the year
  std::optional<int> half_offset;
  std::optional<int> quarter;  // 1..4
  int quarter_month = 0;       // 1 季度初, 3 季度末
  std::optional<int> quarter_offset;
  std::optional<int> third;       // 1 上旬, 2 中旬, 3 下旬 of the month
  std::optional<int> half_month;  // 1 上半月, 2 下半月
  std::optional<int> decade;      // its first year
  bool weekend = false;

  /// 前五个月, 最后4个月 (of the stated year), 前两天, 下三周 (around the reference time).
  struct Run {
    int count = 0;
    DateUnit unit = DateUnit::kMonth;
    bool quarters = false;
    bool last = false;      // counted from the end, or the future
    bool relative = false;  // around the reference time
  };
  std::optional<Run> run;

  /// 三天后, 半小时前
  struct Shift {
    int64_t months = 0;
    int64_t days = 0;
    int64_t seconds = 0;
    DateUnit unit = DateUnit::kDay;
  };
  std::optional<Shift> shift;

  bool now = false;
  DayPart part = DayPart::kNone;
  std::optional<int> hour;  // 0..24 as written
  std::optional<int> minute;
  std::optional<int> second;
  bool approximate = false;

  bool has_clock() const { return hour.has_value(); }
  bool has_time() const { return has_clock() || part != DayPart::kNone; }
  bool has_year() const { return year || year_offset || decade; }
  bool has_month() const { return month || month_offset; }
  /// A weekday or weekend of no stated week: this week's, or that of the range it ends.
  bool names_weekday() const { return (weekday || weekend) && !nth_weekday; }
  /// Tied to the reference time by its own words.
  bool anchored() const {
    return day_offset || week_offset || half_offset || quarter_offset || shift || now ||
           (run && run->relative) || names_weekday();
  }
  bool has_date() const {
    return has_year() || has_month() || day || week || nth_weekday || nth_day || half || quarter ||
           third || half_month || run || anchored() || weekend;
  }
};

}  // namespace seqgpt
