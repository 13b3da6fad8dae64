// SPDX-License-Identifier: Apache-2.0
// Resolving date words: the date, then the time of day on it.
#include "normalize/date_resolve.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr std::string_view kNeedsReference = "needs_reference_time";
constexpr std::string_view kNoSuchDay = "no_such_day";

Period failed(std::string_view reason) {
  Period out;
  out.reason = reason;
  return out;
}

Period unit_at(DateUnit unit, const CivilTime& at) {
  Period out;
  out.unit = unit;
  out.first = out.last = at;
  return out;
}

Period span(DateUnit unit, const CivilTime& first, const CivilTime& last) {
  Period out;
  out.unit = unit;
  out.first = first;
  out.last = last;
  out.spans = !(first == last);
  return out;
}

CivilTime date(int year, int month, int day) {
  CivilTime out;
  out.year = year;
  out.month = month;
  out.day = day;
  return out;
}

Period days(int64_t first, int64_t last) {
  return span(DateUnit::kDay, civil_of_days(first), civil_of_days(last));
}

Period week(int64_t monday) {
  return unit_at(DateUnit::kWeek, civil_of_days(monday));
}

Period months(int year, int first, int last) {
  return span(DateUnit::kMonth, date(year, first, 1), date(year, last, 1));
}

/// The date of the words, without their time of day.
class DateOf {
 public:
  DateOf(const DateWords& words, const ReferenceTime& reference)
      : words_(words), reference_(reference) {}

  Period run() const;

 private:
  int64_t today() const {
    const CivilTime& now = reference_.local();
    return days_of(now.year, now.month, now.day);
  }
  int64_t this_monday() const { return today() - weekday_of(today()); }
  bool needs_reference() const {
    const bool stated_year = words_.year || words_.decade;
    const bool month_alone = words_.month_offset.has_value();
    const bool day_alone = words_.day && !words_.has_month();
    return words_.anchored() || !stated_year || month_alone || day_alone;
  }
  int year() const {
    if (words_.year) return *words_.year;
    return reference_.local().year + words_.year_offset.value_or(0);
  }
  /// The month the words name or mean, in its year.
  CivilTime month() const {
    if (words_.month) return date(year(), *words_.month, 1);
    const CivilTime& now = reference_.local();
    CivilTime out = add_months(date(now.year, now.month, 1), words_.month_offset.value_or(0));
    if (words_.has_year()) out.year = year();
    return out;
  }
  Period around() const;
  Period shifted() const;
  Period near_run() const;
  Period run_of_year() const;
  Period run_of_month() const;
  Period nth_day() const;
  void bounds(int64_t& first, int64_t& last) const;
  Period part_of_year() const;
  Period nth_weekday() const;
  Period numbered_week() const;
  Period part_of_month() const;
  Period month_or_day() const;

  const DateWords& words_;
  const ReferenceTime& reference_;
};

Period DateOf::shifted() const {
  const DateWords::Shift& shift = *words_.shift;
  const CivilTime& now = reference_.local();
  const std::optional<CivilTime> there = moved(now, shift, 1);
  if (!there) return failed("out_of_range");
  const CivilTime& at = *there;
  if (shift.unit == DateUnit::kSecond)
    return unit_at(at.second == 0 ? DateUnit::kMinute : DateUnit::kSecond, at);
  const CivilTime day = date(at.year, at.month, at.day);
  switch (shift.unit) {
    case DateUnit::kYear:
      return unit_at(DateUnit::kYear, date(day.year, 1, 1));
    case DateUnit::kMonth:
      return unit_at(DateUnit::kMonth, date(day.year, day.month, 1));
    case DateUnit::kWeek: {
      const int64_t number = days_of(day.year, day.month, day.day);
      return week(number - weekday_of(number));
    }
    default:
      return unit_at(DateUnit::kDay, day);
  }
}

/// 前两年: the two whole years before this one; 后3天: the three days after today.
Period DateOf::near_run() const {
  const DateWords::Run& run = *words_.run;
  const int sign = run.last ? 1 : -1;
  const int near = sign;
  const int far = sign * run.count;
  const int low = std::min(near, far);
  const int high = std::max(near, far);
  if (run.unit == DateUnit::kYear)
    return span(DateUnit::kYear, date(year() + low, 1, 1), date(year() + high, 1, 1));
  if (run.unit == DateUnit::kWeek)
    return days(this_monday() + 7 * low, this_monday() + 7 * high + 6);
  return days(today() + low, today() + high);
}

/// The first or last days or weeks of a stated month.
Period DateOf::run_of_month() const {
  const DateWords::Run& run = *words_.run;
  const CivilTime at = month();
  const int length = days_in_month(at.year, at.month);
  const int64_t first = days_of(at.year, at.month, 1);
  const int count = run.unit == DateUnit::kWeek ? run.count * 7 : run.count;
  if (count > length) return failed(kNoSuchDay);
  return run.last ? days(first + length - count, first + length - 1)
                  : days(first, first + count - 1);
}

Period DateOf::run_of_year() const {
  const DateWords::Run& run = *words_.run;
  const int count = run.quarters ? run.count * 3 : run.count;
  switch (run.unit) {
    case DateUnit::kMonth:
      if (count > 12) return failed("no_such_month");
      return run.last ? months(year(), 13 - count, 12) : months(year(), 1, count);
    case DateUnit::kWeek: {
      const int weeks = weeks_in_year(year());
      if (count > weeks) return failed("no_such_week");
      const int first = run.last ? weeks - count + 1 : 1;
      const int64_t monday = monday_of({year(), first});
      return days(monday, monday + 7 * count - 1);
    }
    default: {
      const int64_t first = days_of(year(), 1, 1);
      const int64_t last = days_of(year(), 12, 31);
      if (count > last - first + 1) return failed(kNoSuchDay);
      return run.last ? days(last - count + 1, last) : days(first, first + count - 1);
    }
  }
}

Period DateOf::part_of_year() const {
  if (words_.half) return months(year(), *words_.half * 6 - 5, *words_.half * 6);
  if (words_.quarter) {
    const int before = *words_.quarter * 3 - 3;
    if (words_.quarter_month == 0) return months(year(), before + 1, before + 3);
    return months(year(), before + words_.quarter_month, before + words_.quarter_month);
  }
  const CivilTime& now = reference_.local();
  const int size = words_.half_offset ? 6 : 3;
  const int offset = words_.half_offset ? *words_.half_offset : *words_.quarter_offset;
  const int first_month = (now.month - 1) / size * size + 1;
  const CivilTime first = add_months(date(now.year, first_month, 1), offset * size);
  return span(DateUnit::kMonth, first, add_months(first, size - 1));
}

/// The first and last day of the month the words name, else of their year.
void DateOf::bounds(int64_t& first, int64_t& last) const {
  if (!words_.has_month()) {
    first = days_of(year(), 1, 1);
    last = days_of(year(), 12, 31);
    return;
  }
  const CivilTime at = month();
  first = days_of(at.year, at.month, 1);
  last = first + days_in_month(at.year, at.month) - 1;
}

Period DateOf::nth_weekday() const {
  int64_t first = 0;
  int64_t last = 0;
  bounds(first, last);
  const int64_t first_match = first + (*words_.weekday - weekday_of(first) + 7) % 7;
  const int n = *words_.nth_weekday;
  const int64_t match =
      n < 0 ? last - (weekday_of(last) - *words_.weekday + 7) % 7 : first_match + 7 * (n - 1);
  return match > last ? failed(kNoSuchDay) : days(match, match);
}

Period DateOf::nth_day() const {
  int64_t first = 0;
  int64_t last = 0;
  bounds(first, last);
  const int64_t day = *words_.nth_day < 0 ? last : first + *words_.nth_day - 1;
  return day > last ? failed(kNoSuchDay) : days(day, day);
}

/// Week N of the year is ISO's; of a month, counted from the week of its first Monday.
Period DateOf::numbered_week() const {
  const int n = *words_.week;
  if (!words_.has_month()) {
    const int weeks = weeks_in_year(year());
    return n > weeks ? failed("no_such_week") : week(monday_of({year(), n < 0 ? weeks : n}));
  }
  int64_t first = 0;
  int64_t last = 0;
  bounds(first, last);
  if (n < 0) return week(last - weekday_of(last));
  const int64_t monday = first + (7 - weekday_of(first)) % 7 + 7 * (n - 1);
  return monday > last ? failed("no_such_week") : week(monday);
}

Period DateOf::part_of_month() const {
  constexpr int kFirst[] = {1, 11, 21};
  const CivilTime at = month();
  if (words_.half_month) {
    const bool first = *words_.half_month == 1;
    return span(DateUnit::kDay, date(at.year, at.month, first ? 1 : 16),
                date(at.year, at.month, first ? 15 : days_in_month(at.year, at.month)));
  }
  const int third = *words_.third;
  const int last = third == 3 ? days_in_month(at.year, at.month) : third * 10;
  return span(DateUnit::kDay, date(at.year, at.month, kFirst[third - 1]),
              date(at.year, at.month, last));
}

Period DateOf::month_or_day() const {
  if (words_.day) {
    const CivilTime at = month();
    if (!valid_date(at.year, at.month, *words_.day)) return failed(kNoSuchDay);
    return unit_at(DateUnit::kDay, date(at.year, at.month, *words_.day));
  }
  if (words_.has_month()) {
    return unit_at(DateUnit::kMonth, month());
  }
  return unit_at(DateUnit::kYear, date(year(), 1, 1));
}

Period DateOf::around() const {
  if (words_.now) {
    Period now = unit_at(DateUnit::kSecond, reference_.local());
    now.show_seconds = true;
    return now;
  }
  if (words_.shift) return shifted();
  if (words_.run && words_.run->relative) return near_run();
  if (words_.half_offset || words_.quarter_offset) return part_of_year();
  if (words_.day_offset) return days(today() + *words_.day_offset, today() + *words_.day_offset);
  const int64_t monday = this_monday() + 7 * words_.week_offset.value_or(0);
  if (words_.weekend) return days(monday + 5, monday + 6);
  if (words_.weekday) return days(monday + *words_.weekday, monday + *words_.weekday);
  return week(monday);
}

Period DateOf::run() const {
  if (needs_reference() && !reference_.given()) return failed(kNeedsReference);
  if (words_.decade)
    return span(DateUnit::kYear, date(*words_.decade, 1, 1), date(*words_.decade + 9, 1, 1));
  if (words_.anchored()) return around();
  if (year() < kFirstYear || year() > kLastYear) return failed("out_of_range");
  if (words_.has_month() && (month().month < 1 || month().month > 12))
    return failed("no_such_month");
  if (words_.run) return words_.has_month() ? run_of_month() : run_of_year();
  if (words_.half || words_.quarter) return part_of_year();
  if (words_.nth_weekday) return nth_weekday();
  if (words_.week) return numbered_week();
  if (words_.nth_day) return nth_day();
  return words_.third || words_.half_month ? part_of_month() : month_or_day();
}

/// 24-hour clock of an hour as spoken; 24 is the next day's midnight. -1 when it cannot be.
int hour_of(const DateWords& words) {
  const int hour = *words.hour;
  switch (words.part) {
    case DayPart::kSmallHours:
      return hour == 12 ? 0 : hour;
    case DayPart::kAfternoon:
    case DayPart::kDusk:
      return hour >= 1 && hour < 12 ? hour + 12 : hour;
    case DayPart::kPm:
      return hour >= 1 && hour < 12 ? hour + 12 : (hour == 12 ? 12 : -1);
    case DayPart::kAm:
      return hour == 12 ? 0 : (hour < 12 ? hour : -1);
    case DayPart::kNight:
      // 晚上一点 is an hour after midnight, of the next day
      if (hour >= 1 && hour < 5) return hour + 24;
      return hour >= 5 && hour < 12 ? hour + 12 : (hour == 12 || hour == 0 ? 24 : hour);
    case DayPart::kMidnight:
      return hour >= 9 && hour < 12 ? hour + 12 : (hour == 12 ? 24 : hour);
    case DayPart::kNoon:
      return hour >= 1 && hour < 4 ? hour + 12 : hour;
    default:
      return hour;
  }
}

struct Hours {
  int first;
  int last;
};
/// What a part of the day means without a clock time (docs/normalize.md).
Hours hours_of(DayPart part) {
  switch (part) {
    case DayPart::kSmallHours:
      return {0, 6};
    case DayPart::kMorning:
      return {6, 9};
    case DayPart::kForenoon:
      return {8, 12};
    case DayPart::kNoon:
      return {11, 13};
    case DayPart::kAfternoon:
      return {12, 18};
    case DayPart::kDusk:
      return {17, 19};
    case DayPart::kMidnight:
      return {23, 26};
    case DayPart::kDaytime:
      return {6, 18};
    default:
      return {18, 24};
  }
}

Period with_time(const DateWords& words, const CivilTime& day) {
  const int64_t midnight = seconds_of(day);
  if (!words.has_clock()) {
    const Hours hours = hours_of(words.part);
    return span(DateUnit::kMinute, civil_of_seconds(midnight + hours.first * 3600),
                civil_of_seconds(midnight + hours.last * 3600));
  }
  const int hour = hour_of(words);
  const int minute = words.minute.value_or(0);
  const int second = words.second.value_or(0);
  const bool exists = *words.hour <= 24 && hour >= 0 && minute < 60 && second < 60 &&
                      (*words.hour < 24 || minute + second == 0);
  if (!exists) return failed("no_such_time");
  const DateUnit unit = words.second ? DateUnit::kSecond : DateUnit::kMinute;
  return unit_at(unit, civil_of_seconds(midnight + hour * 3600 + minute * 60 + second));
}

}  // namespace

std::optional<CivilTime> moved(const CivilTime& at, const DateWords::Shift& shift, int sign) {
  const CivilTime month = add_months(at, sign * shift.months);
  const auto known = [](const CivilTime& time) {
    return time.year >= kFirstYear && time.year <= kLastYear;
  };
  if (!known(month)) return std::nullopt;
  const CivilTime out =
      civil_of_seconds(seconds_of(month) + sign * (shift.days * 86400 + shift.seconds));
  return known(out) ? std::optional(out) : std::nullopt;
}

Period resolve(const DateWords& words, const ReferenceTime& reference) {
  if (!words.has_date()) {
    Period time = with_time(words, CivilTime());
    time.dated = false;
    return time;
  }
  const Period day = DateOf(words, reference).run();
  if (!day.ok() || !words.has_time()) return day;
  if (day.unit != DateUnit::kDay || day.spans) return failed("not_a_date");
  return with_time(words, day.first);
}

int64_t begin_of(const Period& period) {
  return seconds_of(period.first);
}

}  // namespace seqgpt
