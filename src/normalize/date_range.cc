// SPDX-License-Identifier: Apache-2.0
// The grammar of ranges over single dates.
#include "normalize/date_range.h"

#include "normalize/date_reader.h"
#include "normalize/numerals.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotDate = "not_a_date";

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

void copy_date(DateWords& end, const DateWords& start) {
  DateWords whole = start;
  whole.part = end.part;
  whole.hour = end.hour;
  whole.minute = end.minute;
  whole.second = end.second;
  end = whole;
}

/// The words of the start that the end leaves out: 2017年8月11日至22日, 今晚7点到8点.
/// Returns the unit that was taken over whole (years when only the year was).
std::optional<DateUnit> inherit(DateWords& end, const DateWords& start) {
  if (end.names_weekday() && !end.week_offset && start.names_weekday()) {
    end.week_offset = start.week_offset;  // 下周一至周五
    return DateUnit::kWeek;
  }
  const bool alone = !end.has_year() && !end.anchored() && !end.month_offset;
  if (!alone) return std::nullopt;
  if (!end.has_date()) {
    if (!start.has_date()) return std::nullopt;
    DateWords from = start;
    if (start.now) {
      from = DateWords();
      from.day_offset = 0;
    }
    copy_date(end, from);
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

/// 同年10月, 次日4时, 次月5日 at the end of a range count from its start, not from the reference.
struct Anaphora {
  enum class Unit { kNone, kYear, kMonth, kDay };
  Unit unit = Unit::kNone;
  int later = 0;
};

Anaphora take_anaphora(Cursor& cursor) {
  using Unit = Anaphora::Unit;
  if (cursor.take_any({U"同年", U"当年"})) return {Unit::kYear, 0};
  if (cursor.take_any({U"次年", U"翌年", U"第二年"})) return {Unit::kYear, 1};
  if (cursor.take_any({U"同月", U"当月"})) return {Unit::kMonth, 0};
  if (cursor.take(U"次月")) return {Unit::kMonth, 1};
  if (cursor.take_any({U"同日", U"当日", U"当天"})) return {Unit::kDay, 0};
  if (cursor.take_any({U"次日", U"翌日", U"第二天"})) return {Unit::kDay, 1};
  return {};
}

void refer_back(DateWords& end, const DateWords& start, const Anaphora& anaphora) {
  if (anaphora.unit == Anaphora::Unit::kDay) return copy_date(end, start);
  end.year = start.year;
  end.year_offset = start.year ? std::nullopt : std::optional(start.year_offset.value_or(0));
  if (anaphora.unit == Anaphora::Unit::kYear) return add_year(end, anaphora.later);
  end.month = start.month;
  end.month_offset = start.month_offset;
  if (anaphora.later == 0) return;
  if (!end.month) {
    end.month_offset = end.month_offset.value_or(0) + 1;
  } else if (*end.month == 12) {
    end.month = 1;
    add_year(end, 1);
  } else {
    end.month = *end.month + 1;
  }
}

DateRange between(DateWords start, DateWords end, const Anaphora& anaphora,
                  const ReferenceTime& reference) {
  if (anaphora.unit != Anaphora::Unit::kNone) refer_back(end, start, anaphora);
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
  if (anaphora.unit == Anaphora::Unit::kDay) move_days(last, anaphora.later);
  if (first.dated && begin_of(last) < begin_of(first)) {
    if (taken == DateUnit::kDay && begin_of(first) - begin_of(last) < 86400) {
      move_days(last, 1);
    } else if (taken == DateUnit::kWeek) {
      move_days(last, 7);
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

bool read_end(Folded right, DateWords& out, Anaphora& anaphora) {
  Cursor cursor(right);
  out = DateWords();
  anaphora = take_anaphora(cursor);
  out.now = right == U"今" || right == U"至今";
  if (out.now || (anaphora.unit != Anaphora::Unit::kNone && cursor.at_end())) return true;
  return read_whole(cursor.rest(), out);
}

/// 5月、6月 is a range; 5月、8月 are two dates.
bool follows(const Period& next, const Period& before) {
  if (next.unit != before.unit || !next.dated || !before.dated) return false;
  switch (before.unit) {
    case DateUnit::kYear:
      return next.first == add_months(before.last, 12);
    case DateUnit::kMonth:
      return next.first == add_months(before.last, 1);
    case DateUnit::kDay:
      return seconds_of(next.first) == seconds_of(before.last) + 86400;
    default:
      return false;
  }
}

Folded without_tail(Folded right) {
  for (const Folded tail : {Folded(U"止"), Folded(U"之间"), Folded(U"期间"), Folded(U"间")}) {
    if (right.ends_with(tail)) return right.substr(0, right.size() - tail.size());
  }
  return right;
}

/// 2010.05.06-长期, as identity cards and licences say it.
bool never_ends(Folded right) {
  return right == U"长期" || right == U"长期有效" || right == U"永久" || right == U"永久有效" ||
         right == U"无固定期限";
}

DateRange open_from(const DateWords& start, const ReferenceTime& reference) {
  DateRange out;
  out.start = resolve(start, reference);
  out.reason = out.start->reason;
  out.approximate = start.approximate;
  return out;
}

/// The range that a mark at the cursor makes of what stands before it and behind it.
DateRange read_around(Folded text, Cursor& cursor, const ReferenceTime& reference) {
  Folded left = text.substr(0, cursor.at());
  const bool listed = !take_range_mark(cursor);
  if (listed && !cursor.take_any({U"、", U"和", U"与", U"及"})) return failed(kNotDate);
  const Folded right = without_tail(cursor.rest());
  const bool framed = right.size() < cursor.rest().size();  // 三月和九月之间
  if (left.ends_with(U'起')) left.remove_suffix(1);
  DateWords start;
  DateWords end;
  Anaphora anaphora;
  if (never_ends(right) && read_whole(left, start)) return open_from(start, reference);
  if (!read_start(left, right, start) || !read_end(right, end, anaphora)) return failed(kNotDate);
  DateRange found = between(start, end, anaphora, reference);
  if (found.ok() && listed && !framed && !(found.end && follows(*found.end, *found.start)))
    return failed("several_dates");
  return found;
}

DateRange read_two_ends(Folded text, const ReferenceTime& reference) {
  DateRange best = failed(kNotDate);
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    Cursor cursor(text);
    cursor.go(at);
    DateRange found = read_around(text, cursor, reference);
    if (cursor.at() == at) continue;
    if (found.ok()) return found;
    if (best.reason == kNotDate) best = found;
    at = cursor.at() - 1;
  }
  return best;
}

/// What a word behind a date opens.
enum class Open { kNone, kAfter, kBefore, kToPresent };

Open take_open(Cursor& cursor) {
  if (cursor.take_any({U"起至今", U"至今", U"迄今"})) return Open::kToPresent;
  if (cursor.take_any({U"以来", U"起", U"开始", U"始", U"或之后", U"及之后", U"及以后", U"或以后",
                       U"之后", U"以后", U"后"})) {
    cursor.take_any({U"起", U"开始"});
    return Open::kAfter;
  }
  if (cursor.take_any(
          {U"或之前", U"及之前", U"及以前", U"或以前", U"之前", U"以前", U"前", U"为止", U"止"}))
    return Open::kBefore;
  return Open::kNone;
}

/// 2014年6月14日起, 自2018年以来, 2012年1月1日或之后; 2010年1月10日或之前, 截至2018年
DateRange read_open_end(Folded text, bool from, const ReferenceTime& reference) {
  Cursor cursor(text);
  const bool until =
      cursor.take_any({U"截至到", U"截止到", U"截止至", U"截至", U"截止", U"不晚于", U"至", U"到"});
  DateWords words;
  if (!take_date_words(cursor, words)) return failed(kNotDate);
  const Open open = take_open(cursor);
  if (!cursor.at_end() || (open == Open::kNone && !until && !from)) return failed(kNotDate);
  const Period period = resolve(words, reference);
  if (!period.ok()) return failed(period.reason);
  DateRange out;
  out.approximate = words.approximate;
  if (until || open == Open::kBefore) {
    out.end = period;
    return out;
  }
  out.start = period;
  if (open == Open::kToPresent && reference.given()) {
    DateWords today;
    today.day_offset = 0;
    out.end = resolve(today, reference);
  }
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
  return between(start, end, Anaphora(), reference);
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
