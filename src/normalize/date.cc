// SPDX-License-Identifier: Apache-2.0
// Writing dates: one period as date, datetime or time, two as a range.
#include "normalize/date.h"

#include <algorithm>
#include <cstdio>

#include "normalize/date_range.h"

namespace seqgpt {
namespace {

std::string day_text(const CivilTime& at) {
  char out[48];
  std::snprintf(out, sizeof out, "%04d-%02d-%02d", at.year, at.month, at.day);
  return out;
}

std::string clock_text(const CivilTime& at, bool seconds) {
  char out[48];
  if (seconds) {
    std::snprintf(out, sizeof out, "%02d:%02d:%02d", at.hour, at.minute, at.second);
  } else {
    std::snprintf(out, sizeof out, "%02d:%02d", at.hour, at.minute);
  }
  return out;
}

/// One end at the precision of its unit.
std::string end_text(const CivilTime& at, DateUnit unit, bool dated) {
  std::string day = day_text(at);
  switch (unit) {
    case DateUnit::kYear:
      return day.substr(0, day.size() - 6);
    case DateUnit::kMonth:
      return day.substr(0, day.size() - 3);
    case DateUnit::kWeek: {
      const IsoWeek week = iso_week_of(days_of(at.year, at.month, at.day));
      char out[48];
      std::snprintf(out, sizeof out, "%04d-W%02d", week.year, week.week);
      return out;
    }
    case DateUnit::kDay:
      return day;
    case DateUnit::kMinute:
    case DateUnit::kSecond: {
      const std::string clock = clock_text(at, unit == DateUnit::kSecond);
      return dated ? day + "T" + clock : clock;
    }
  }
  return day;
}

std::string_view precision(const Period& period) {
  switch (period.unit) {
    case DateUnit::kYear:
      return "year";
    case DateUnit::kMonth:
      return "month";
    case DateUnit::kWeek:
      return "week";
    case DateUnit::kDay:
      return "day";
    case DateUnit::kMinute:
      return "minute";
    case DateUnit::kSecond:
      return "second";
  }
  return "day";
}

std::string first_text(const Period& period) {
  return end_text(period.first, period.unit, period.dated);
}
std::string last_text(const Period& period) {
  return end_text(period.last, period.unit, period.dated);
}

/// The first day, or the moment when the period has a time.
std::string flat_text(const CivilTime& at, const Period& period) {
  const bool timed = period.unit == DateUnit::kMinute || period.unit == DateUnit::kSecond;
  return timed ? end_text(at, period.unit, period.dated) : day_text(at);
}

bool timed(const Period& period) {
  return period.unit == DateUnit::kMinute || period.unit == DateUnit::kSecond;
}

/// The same clock time on the reference day.
std::string anchored(const CivilTime& at, DateUnit unit, const ReferenceTime& reference) {
  const CivilTime& now = reference.local();
  const int64_t midnight = days_of(now.year, now.month, now.day) * 86400;
  return end_text(civil_of_seconds(midnight + seconds_of(at)), unit, true);
}

Normalized describe_single(const Period& period, const ReferenceTime& reference) {
  Normalized out;
  out.kind = !period.dated ? "time" : (timed(period) ? "datetime" : "date");
  out.add("value", first_text(period));
  if (!period.dated && reference.given())
    out.add("anchored", anchored(period.first, period.unit, reference));
  out.add("precision", precision(period));
  out.flat = {Flat::Shape::kText, flat_text(period.first, period), {}};
  return out;
}

Normalized describe_range(const std::optional<Period>& start, const std::optional<Period>& end,
                          const ReferenceTime& reference) {
  Normalized out{.kind = "range", .fields = {}, .flat = {}, .reason = {}};
  out.flat.shape = Flat::Shape::kStartEnd;
  std::optional<std::string> first;
  std::optional<std::string> last;
  if (start) {
    first = first_text(*start);
    out.flat.first = flat_text(start->first, *start);
  }
  if (end) {
    last = last_text(*end);
    out.flat.second = flat_text(end->last, *end);
  }
  out.add("start", first);
  out.add("end", last);
  if (start && end && !start->dated && !end->dated && reference.given()) {
    CivilTime until = end->last;
    if (seconds_of(until) < seconds_of(start->first))
      until = civil_of_seconds(seconds_of(until) + 86400);
    NormalizedPart field{"anchored", nullptr, {}};
    field.members.push_back({"start", anchored(start->first, start->unit, reference), {}});
    field.members.push_back({"end", anchored(until, end->unit, reference), {}});
    out.fields.push_back(std::move(field));
  }
  return out;
}

bool in_calendar(const std::optional<Period>& period) {
  return !period || (period->first.year >= kFirstYear && period->last.year <= kLastYear);
}

Normalized describe(const DateRange& range, const ReferenceTime& reference) {
  if (!range.ok()) return no_value(range.reason);
  if (!in_calendar(range.start) || !in_calendar(range.end)) return no_value("out_of_range");
  const bool one = range.single && !range.start->spans;
  Normalized out =
      one ? describe_single(*range.start, reference)
          : describe_range(range.start, range.single ? range.start : range.end, reference);
  if (range.approximate) out.add("approx", true);
  return out;
}

bool holds(Folded text, std::initializer_list<Folded> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](Folded word) { return text.find(word) != Folded::npos; });
}

/// Times that other calendars or rules decide, named instead of guessed.
std::string_view beyond_us(Folded text) {
  if (text.front() == U'每') return "recurrence";
  if (holds(text,
            {U"农历",   U"阴历",   U"旧历",   U"正月",   U"腊月",   U"月初一", U"月初二", U"月初三",
             U"月初四", U"月初五", U"月初六", U"月初七", U"月初八", U"月初九", U"月初十", U"月廿",
             U"春节",   U"除夕",   U"元宵",   U"端午",   U"七夕",   U"中秋",   U"重阳",   U"腊八"}))
    return "lunar_calendar";
  if (holds(text,
            {U"清明", U"冬至", U"夏至", U"立春", U"立夏", U"立秋", U"立冬", U"春分", U"秋分"}))
    return "solar_term";
  return {};
}

}  // namespace

Normalized normalize_date(Folded text, const ReferenceTime& reference) {
  if (const std::string_view reason = beyond_us(text); !reason.empty()) return no_value(reason);
  return describe(read_dates(text, reference), reference);
}

}  // namespace seqgpt
