// SPDX-License-Identifier: Apache-2.0
// Calendar arithmetic after Howard Hinnant's days_from_civil.
#include "normalize/civil.h"

#include <algorithm>

namespace seqgpt {

int days_in_month(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool valid_date(int year, int month, int day) {
  return year >= kFirstYear && year <= kLastYear && month >= 1 && month <= 12 && day >= 1 &&
         day <= days_in_month(year, month);
}

int64_t days_of(int year, int month, int day) {
  const int64_t y = static_cast<int64_t>(year) - (month <= 2);
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

CivilTime civil_of_days(int64_t days) {
  const int64_t z = days + 719468;
  const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const int64_t day_of_era = z - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  CivilTime out;
  out.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  out.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  out.year = static_cast<int>(year_of_era + era * 400 + (out.month <= 2));
  return out;
}

CivilTime civil_of_seconds(int64_t seconds) {
  const int64_t days = (seconds >= 0 ? seconds : seconds - 86399) / 86400;
  const int rest = static_cast<int>(seconds - days * 86400);
  CivilTime out = civil_of_days(days);
  out.hour = rest / 3600;
  out.minute = rest / 60 % 60;
  out.second = rest % 60;
  return out;
}

int weekday_of(int64_t days) {
  return static_cast<int>(((days + 3) % 7 + 7) % 7);
}

IsoWeek iso_week_of(int64_t days) {
  const int64_t thursday = days - weekday_of(days) + 3;
  const int year = civil_of_days(thursday).year;
  return {year, static_cast<int>((thursday - days_of(year, 1, 1)) / 7 + 1)};
}

int64_t monday_of(IsoWeek week) {
  const int64_t fourth = days_of(week.year, 1, 4);
  return fourth - weekday_of(fourth) + 7 * (week.week - 1);
}

int weeks_in_year(int year) {
  return iso_week_of(days_of(year, 12, 28)).week;
}

CivilTime add_months(CivilTime at, int64_t months) {
  const int64_t total = static_cast<int64_t>(at.year) * 12 + at.month - 1 + months;
  const int64_t year = total >= 0 ? total / 12 : (total - 11) / 12;
  at.year = static_cast<int>(std::clamp<int64_t>(year, -1'000'000, 1'000'000));
  at.month = static_cast<int>(total - year * 12) + 1;
  at.day = std::min(at.day, days_in_month(at.year, at.month));
  return at;
}

}  // namespace seqgpt
