// SPDX-License-Identifier: Apache-2.0
// The grammar of ranges over single dates.
#include "normalize/date_range.h"

#include "normalize/date_reader.h"
#include "normalize/duration.h"
#include "normalize/numerals.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotDate = "not_a_date";
constexpr std::string_view kNeedsReference = "needs_reference_time";

DateRange failed(std::string_view reason) {
  DateRange out;
  out.reason = reason;
  return out;
}

bool read_whole(Folded text, DateWords& out) {
  Cursor cursor(text);
  out = DateWords();
  return take_date_words(cursor, out) && cursor.at_end();
}

/// The words of the start that the end leaves out: 2017年8月11日至22日, 今晚7点到8点.
/// Returns the unit that was taken over whole (years when only the year was).
std::optional<DateUnit> inherit(DateWords& end, const DateWords& start) {
  const bool alone = !end.has_year() && !end.anchored() && !end.month_offset;
  if (!alone) return std::nullopt;
  if (!end.has_date()) {
    if (!start.has_date()) return std::nullopt;
    DateWords whole = start;
    if (start.now) {
      whole = DateWords();
      whole.day_offset = 0;
    }
    whole.part = end.part;
    whole.hour = end.hour;
    whole.minute = end.minute;
    whole.second = end.second;
    end = whole;
    return DateUnit::kDay;
  }
  end.year = start.year;
  end.year_offset = start.year_offset;
  const bool day_alone = (end.day || end.third || end.nth_weekday) && !end.has_month();
  if (!day_alone) return DateUnit::kYear;
  end.month = start.month;
  end.month_offset = start.month_offset;
  return DateUnit::kMonth;
}

/// 下午1点半到3点: the end's hour belongs to the same part of the day.
void inherit_part(DateWords& end, const DateWords& start) {
  const bool bare = end.has_clock() && end.part == DayPart::kNone && !end.has_date();
  if (bare && start.has_clock() && *end.hour <= 12) end.part = start.part;
}

/// 5月至2021年3月, 2点-明天4点: what the start takes from the end.
bool inherit_backwards(DateWords& start, const DateWords& end) {
  if (!start.has_date() && end.has_date()) {
    if (end.anchored()) {
      start.day_offset = 0;
    } else {
      start.year = end.year;
      start.year_offset = end.year_offset;
      start.month = end.month;
      start.day = end.day;
    }
    return false;
  }
  const bool lacks_year = start.has_date() && !start.has_year() && !start.anchored() &&
                          !start.month_offset && (start.has_month() || start.quarter || start.half);
  if (!lacks_year || !(end.year || end.year_offset)) return false;
  start.year = end.year;
  start.year_offset = end.year_offset;
  return true;
}

void add_year(DateWords& words, int years) {
  if (words.year) {
    *words.year += years;
  } else {
    words.year_offset = words.year_offset.value_or(0) + years;
  }
}

void move_days(Period& period, int days) {
  period.first = civil_of_seconds(seconds_of(period.first) + days * 86400);
  period.last = civil_of_seconds(seconds_of(period.last) + days * 86400);
}

/// 现在 at the end of a range is the day of the reference time.
void present_as_day(Period& period, const DateWords& words) {
  if (!words.now) return;
  period.unit = DateUnit::kDay;
  period.show_seconds = false;
  period.first.hour = period.first.minute = period.first.second = 0;
  period.last = period.first;
}

DateRange between(DateWords start, DateWords end, const ReferenceTime& reference) {
  inherit_part(end, start);
  const bool start_took_year = inherit_backwards(start, end);
  const std::optional<DateUnit> taken = inherit(end, start);
  Period first = resolve(start, reference);
  if (!first.ok()) return failed(first.reason);
  if (end.now && !reference.given()) {  // 2018年至今
    DateRange open;
    open.start = first;
    return open;
  }
  Period last = resolve(end, reference);
  if (!last.ok()) return failed(last.reason);
  if (first.dated && begin_of(last) < begin_of(first)) {
    if (taken == DateUnit::kDay && begin_of(first) - begin_of(last) < 86400) {
      move_days(last, 1);
    } else if (start_took_year) {
      add_year(start, -1);
      first = resolve(start, reference);
    } else if (taken == DateUnit::kYear) {
      add_year(end, 1);
      last = resolve(end, reference);
    }
    if (!first.ok() || !last.ok()) return failed(first.ok() ? last.reason : first.reason);
    if (begin_of(last) < begin_of(first)) return failed("end_before_start");
  }
  present_as_day(last, end);
  DateRange out;
  out.start = first;
  out.end = last;
  out.approximate = start.approximate || end.approximate;
  return out;
}

/// The start of a range as written, or with the unit that only the end carries: 9 of 9-11月.
bool read_start(Folded left, Folded right, DateWords& out) {
  if (read_whole(left, out)) return true;
  const Folded unit = leading_unit(right);
  if (unit.empty()) return false;
  std::u32string completed(left);
  completed += unit;
  return read_whole(completed, out);
}

bool read_end(Folded right, DateWords& out) {
  out = DateWords();
  out.now = right == U"今" || right == U"至今";
  return out.now || read_whole(right, out);
}

DateRange read_two_ends(Folded text, const ReferenceTime& reference) {
  DateRange best = failed(kNotDate);
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    Cursor cursor(text);
    cursor.go(at);
    const bool mark =
        take_range_mark(cursor) || ((text.ends_with(U"间")) && cursor.take_any({U"和", U"与"}));
    if (!mark) continue;
    Folded right = cursor.rest();
    for (const Folded tail : {Folded(U"止"), Folded(U"之间"), Folded(U"期间"), Folded(U"间")}) {
      if (right.ends_with(tail)) {
        right.remove_suffix(tail.size());
        break;
      }
    }
    Folded left = text.substr(0, at);
    if (left.ends_with(U'起')) left.remove_suffix(1);
    DateWords start;
    DateWords end;
    if (!read_start(left, right, start) || !read_end(right, end)) {
      at = cursor.at() - 1;
      continue;
    }
    DateRange found = between(start, end, reference);
    if (found.ok()) return found;
    if (best.reason == kNotDate) best = found;
    at = cursor.at() - 1;
  }
  return best;
}

/// 2014年6月14日起, 自2018年以来, 2012年1月1日或之后; 2010年1月10日或之前, 截至2018年
DateRange read_open_end(Folded text, bool from, const ReferenceTime& reference) {
  Cursor cursor(text);
  const bool until =
      cursor.take_any({U"截至到", U"截止到", U"截止至", U"截至", U"截止", U"不晚于", U"至", U"到"});
  DateWords words;
  if (!take_date_words(cursor, words)) return failed(kNotDate);
  bool after = false;
  bool before = false;
  const bool present = cursor.take_any({U"起至今", U"至今", U"以来", U"起"}) &&
                       cursor.since(cursor.at() - 1) == U"今";
  const bool began = cursor.at() > 0 && !until;
  const Folded taken = text.substr(0, cursor.at());
  after = began && (present || taken.ends_with(U"以来") || taken.ends_with(U"起"));
  if (!after) {
    after = cursor.take_any(
        {U"或之后", U"及之后", U"及以后", U"或以后", U"之后", U"以后", U"后", U"开始"});
  }
  if (!after) {
    before = cursor.take_any(
        {U"或之前", U"及之前", U"及以前", U"或以前", U"之前", U"以前", U"前", U"为止", U"止"});
  }
  cursor.take_any({U"起", U"开始"});
  if (!cursor.at_end() || !(after || before || until || from)) return failed(kNotDate);
  Period period = resolve(words, reference);
  if (!period.ok()) return failed(period.reason);
  DateRange out;
  out.approximate = words.approximate;
  if (before || until) {
    out.end = period;
    return out;
  }
  out.start = period;
  if (present && reference.given()) {
    DateWords today;
    today.day_offset = 0;
    out.end = resolve(today, reference);
  }
  return out;
}

Period moment(CivilTime at, bool whole_days) {
  Period out;
  if (whole_days) {
    at.hour = at.minute = at.second = 0;
    out.unit = DateUnit::kDay;
  } else {
    out.unit = at.second == 0 ? DateUnit::kMinute : DateUnit::kSecond;
  }
  out.first = out.last = at;
  return out;
}

/// 近30天, 过去三年, 最近10分钟, 未来7天, 17天内: from or to the reference time.
DateRange read_window(Folded text, const ReferenceTime& reference) {
  Cursor cursor(text);
  const bool past = cursor.take_any({U"最近的", U"最近", U"过去的", U"过去", U"近来", U"近"});
  const bool future = !past && cursor.take_any({U"未来的", U"未来", U"今后的", U"今后", U"接下来的",
                                                U"接下来", U"之后", U"还剩"});
  Duration length;
  if (!take_duration(cursor, length) || length.business_days) return failed(kNotDate);
  const bool within = cursor.take_any({U"以内", U"之内", U"内"});
  cursor.take_any({U"来", U"里", U"间"});
  if (!cursor.at_end() || (!past && !future && !within)) return failed(kNotDate);
  if (!reference.given()) return failed(kNeedsReference);
  const Decimal months = length.years * Decimal(12) + length.months;
  const Decimal days = length.weeks * Decimal(7) + length.days;
  const Decimal seconds =
      length.hours * Decimal(3600) + length.minutes * Decimal(60) + length.seconds;
  constexpr int64_t kMost = 3'652'059;  // days in years 1 to 9999
  const int64_t m = months.integer_or(-1);
  const int64_t d = days.integer_or(-1);
  const int64_t s = seconds.integer_or(-1);
  if (m < 0 || d < 0 || s < 0 || m > kMost || d > kMost || s > kMost * 86400)
    return failed("out_of_range");
  const int sign = past ? -1 : 1;
  const CivilTime now = reference.local();
  const CivilTime moved = add_months(now, sign * m);
  const CivilTime other = civil_of_seconds(seconds_of(moved) + sign * (d * 86400 + s));
  if (other.year < kFirstYear || other.year > kLastYear) return failed("out_of_range");
  DateRange out;
  out.approximate = length.approximate;
  out.start = moment(past ? other : now, s == 0);
  out.end = moment(past ? now : other, s == 0);
  return out;
}

/// 今明两年, 今明两天, 昨今两天
DateRange read_pair(Folded text, const ReferenceTime& reference) {
  Cursor cursor(text);
  int first = 0;
  if (cursor.take_any({U"今明"})) {
    first = 0;
  } else if (cursor.take_any({U"昨今", U"去今"})) {
    first = -1;
  } else if (cursor.take_any({U"明后"})) {
    first = 1;
  } else {
    return failed(kNotDate);
  }
  cursor.take_any({U"两", U"二", U"2"});
  const bool years = cursor.take(U'年');
  if ((!years && !cursor.take_any({U"天", U"日"})) || !cursor.at_end()) return failed(kNotDate);
  DateWords start;
  DateWords end;
  (years ? start.year_offset : start.day_offset) = first;
  (years ? end.year_offset : end.day_offset) = first + 1;
  return between(start, end, reference);
}

DateRange single(const DateWords& words, const ReferenceTime& reference) {
  const Period period = resolve(words, reference);
  if (!period.ok()) return failed(period.reason);
  DateRange out;
  out.start = period;
  out.single = true;
  out.approximate = words.approximate;
  return out;
}

}  // namespace

DateRange read_dates(Folded text, const ReferenceTime& reference) {
  DateWords words;
  if (read_whole(text, words)) return single(words, reference);
  DateRange pair = read_pair(text, reference);
  if (pair.ok()) return pair;
  DateRange window = read_window(text, reference);
  if (window.ok() || window.reason != kNotDate) return window;
  Cursor cursor(text);
  const bool from = cursor.take_any({U"自从", U"从", U"自", U"由", U"介于", U"在"});
  DateRange range = read_two_ends(cursor.rest(), reference);
  if (range.ok() || range.reason != kNotDate) return range;
  return read_open_end(cursor.rest(), from, reference);
}

}  // namespace seqgpt
