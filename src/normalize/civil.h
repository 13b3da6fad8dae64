// SPDX-License-Identifier: Apache-2.0
// The proleptic Gregorian calendar: days as numbers, weekdays, ISO weeks, sums with limits.
#pragma once

#include <cstdint>

namespace seqgpt {

struct CivilTime {
  int year = 1970;
  int month = 1;  // 1..12
  int day = 1;    // 1..31
  int hour = 0;   // 0..23
  int minute = 0;
  int second = 0;

  bool operator==(const CivilTime&) const = default;
};

/// Years that values may have; sums beyond them are refused.
inline constexpr int kFirstYear = 1;
inline constexpr int kLastYear = 9999;

int days_in_month(int year, int month);
bool valid_date(int year, int month, int day);

/// Days since 1970-01-01.
int64_t days_of(int year, int month, int day);
CivilTime civil_of_days(int64_t days);  // midnight of that day

inline int64_t seconds_of(const CivilTime& at) {
  return days_of(at.year, at.month, at.day) * 86400 + at.hour * 3600 + at.minute * 60 + at.second;
}
CivilTime civil_of_seconds(int64_t seconds);

/// Monday is 0, Sunday 6.
int weekday_of(int64_t days);

struct IsoWeek {
  int year;
  int week;  // 1..53
};
IsoWeek iso_week_of(int64_t days);
/// The Monday of an ISO week.
int64_t monday_of(IsoWeek week);
int weeks_in_year(int year);

/// The same day `months` later (earlier when negative), or the last of the month where there is no
/// such day.
CivilTime add_months(CivilTime at, int64_t months);

}  // namespace seqgpt
