// SPDX-License-Identifier: Apache-2.0
// Words that count from the reference time: days, weeks, months, years, and lengths before or after
// it.
#include "normalize/date_reader.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

struct OffsetWord {
  Folded word;
  int offset;
};

template <size_t n>
bool take_offset(Cursor& cursor, const OffsetWord (&words)[n], int& offset) {
  for (const OffsetWord& entry : words) {
    if (!cursor.take(entry.word)) continue;
    offset = entry.offset;
    return true;
  }
  return false;
}

constexpr OffsetWord kDays[] = {
    {U"大前天", -3}, {U"大前日", -3}, {U"大后天", 3}, {U"大后日", 3}, {U"前天", -2},
    {U"前日", -2},   {U"昨天", -1},   {U"昨日", -1},  {U"今天", 0},   {U"今日", 0},
    {U"本日", 0},    {U"当天", 0},    {U"当日", 0},   {U"即日", 0},   {U"明天", 1},
    {U"明日", 1},    {U"次日", 1},    {U"翌日", 1},   {U"后天", 2},   {U"后日", 2},
};

// 今晚, 明早: the part of the day stays to be read.
constexpr OffsetWord kShortDays[] = {{U"今", 0}, {U"昨", -1}, {U"明", 1}, {U"前", -2}, {U"当", 0}};

constexpr OffsetWord kYears[] = {
    {U"大前年", -3}, {U"大后年", 3}, {U"前年", -2}, {U"去年", -1}, {U"上一年", -1},
    {U"上年", -1},   {U"今年", 0},   {U"本年", 0},  {U"当年", 0},  {U"这一年", 0},
    {U"这年", 0},    {U"当前年", 0}, {U"明年", 1},  {U"来年", 1},  {U"次年", 1},
    {U"翌年", 1},    {U"下一年", 1}, {U"下年", 1},  {U"后年", 2},  {U"现年", 0},
};

constexpr OffsetWord kNearby[] = {
    {U"上上", -2}, {U"下下", 2}, {U"上", -1}, {U"下", 1}, {U"本", 0},
    {U"这", 0},    {U"当前", 0}, {U"当", 0},  {U"今", 0}, {U"次", 1},
};

/// 上, 上上一个, 这个, …
bool take_nearby(Cursor& cursor, int& offset) {
  if (!take_offset(cursor, kNearby, offset)) return false;
  cursor.take(U'一');
  cursor.take(U'个');
  return true;
}

bool back(Cursor& cursor, size_t start) {
  cursor.go(start);
  return false;
}

/// 2008年3月, 07年, 五八年 and 3月 are dates, not lengths: a figure for a year, or 月 without 个.
bool names_a_date(Folded length) {
  Cursor cursor(length);
  Count count;
  const bool year = take_count(cursor, count) && cursor.peek() == U'年';
  const bool figure = count.digits == 4 || (count.digits == 2 && !count.arabic) ||
                      (count.digits == 2 && length.front() == U'0');
  if (year && figure) return true;
  const size_t month = length.find(U'月');
  if (month == Folded::npos || month == 0) return false;
  const Folded small = U"个两俩仨半";
  return small.find(length[month - 1]) == Folded::npos;
}

}  // namespace

bool to_shift(const Duration& length, DateWords::Shift& out) {
  constexpr int64_t kNone = -1;
  constexpr int64_t kMost = 100'000'000'000;
  const auto whole = [](const Decimal& value) { return value.integer_or(kNone); };
  const int64_t parts[] = {whole(length.years),  whole(length.months), whole(length.weeks),
                           whole(length.days),   whole(length.hours),  whole(length.minutes),
                           whole(length.seconds)};
  for (const int64_t part : parts) {
    if (part < 0 || part > kMost) return false;
  }
  out.months = parts[0] * 12 + parts[1];
  out.days = parts[2] * 7 + parts[3];
  out.seconds = parts[4] * 3600 + parts[5] * 60 + parts[6];
  if (out.seconds > 0) {
    out.unit = DateUnit::kSecond;
  } else if (parts[3] > 0) {
    out.unit = DateUnit::kDay;
  } else if (parts[2] > 0) {
    out.unit = DateUnit::kWeek;
  } else {
    out.unit = parts[1] > 0 ? DateUnit::kMonth : DateUnit::kYear;
  }
  return true;
}

bool take_relative_day(Cursor& cursor, DateWords& out) {
  int offset = 0;
  if (take_offset(cursor, kDays, offset)) {
    out.day_offset = offset;
    return true;
  }
  const size_t start = cursor.at();
  if (!take_offset(cursor, kShortDays, offset)) return false;
  const char32_t part = cursor.peek();
  if (part != U'早' && part != U'晚' && part != U'晨' && part != U'夜') return back(cursor, start);
  out.day_offset = offset;
  return true;
}

bool take_week_word(Cursor& cursor) {
  return cursor.take_any({U"周", U"星期", U"礼拜"});
}

bool take_weekday_name(Cursor& cursor, int& weekday) {
  const char32_t c = cursor.peek();
  int day = chinese_digit(c);
  if (c >= U'1' && c <= U'7') day = static_cast<int>(c - U'0');
  if (c == U'日' || c == U'天') day = 7;
  if (day < 1 || day > 7) return false;
  cursor.skip();
  weekday = day - 1;
  return true;
}

bool take_relative_week(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  int offset = 0;
  const bool nearby = take_nearby(cursor, offset);
  if (!take_week_word(cursor)) return back(cursor, start);
  int weekday = 0;
  const size_t behind = cursor.at();
  // 下周的周三
  if (!(nearby && cursor.take(U'的') && take_week_word(cursor))) cursor.go(behind);
  if (cursor.take(U'末')) {
    out.weekend = true;
  } else if (take_weekday_name(cursor, weekday)) {
    out.weekday = weekday;
  } else if (!nearby) {
    return back(cursor, start);
  }
  if (nearby) out.week_offset = offset;
  return true;
}

bool take_relative_month(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  int offset = 0;
  if (!take_nearby(cursor, offset) || !cursor.take(U'月')) return back(cursor, start);
  cursor.take(U'份');
  out.month_offset = offset;
  return true;
}

bool take_relative_year(Cursor& cursor, DateWords& out) {
  int offset = 0;
  if (!take_offset(cursor, kYears, offset)) return false;
  cursor.take_any({U"度", U"份"});
  out.year_offset = offset;
  return true;
}

/// 上季度, 上个半年, 前两天, 下三周
bool take_relative_span(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  int offset = 0;
  if (take_nearby(cursor, offset)) {
    if (cursor.take_any({U"季度", U"季"})) {
      out.quarter_offset = offset;
      return true;
    }
    if (cursor.since(start).back() == U'个' && cursor.take(U"半年")) {
      out.half_offset = offset;
      return true;
    }
    cursor.go(start);
  }
  const bool past = cursor.take_any({U"上", U"前"});
  Count count;
  if ((!past && !cursor.take_any({U"下", U"后"})) || !take_count(cursor, count) ||
      count.value < 1 || count.value > 1000)
    return back(cursor, start);
  cursor.take(U'个');
  DateWords::Run run{.count = count.value, .last = !past, .relative = true};
  if (cursor.take(U'年')) {
    run.unit = DateUnit::kYear;
  } else if (take_week_word(cursor)) {
    run.unit = DateUnit::kWeek;
  } else if (cursor.take_any({U"天", U"日"})) {
    run.unit = DateUnit::kDay;
  } else {
    return back(cursor, start);
  }
  out.run = run;
  return true;
}

bool take_shift(Cursor& cursor, DateWords& out) {
  if (cursor.take_any({U"现在", U"此时此刻", U"此时", U"此刻", U"目前", U"当前时间", U"眼下"})) {
    out.now = true;
    return true;
  }
  const size_t start = cursor.at();
  const bool later = cursor.take_any({U"再过", U"过"});
  Duration length;
  DateWords::Shift shift;
  if (!take_duration(cursor, length) || length.business_days || names_a_date(cursor.since(start)) ||
      !to_shift(length, shift))
    return back(cursor, start);
  if (cursor.sees(U"前后")) return back(cursor, start);
  const bool past = !later && cursor.take_any({U"以前", U"之前", U"前"});
  if (!past && !cursor.take_any({U"以后", U"之后", U"后"}) && !later) return back(cursor, start);
  if (past) {
    shift.months = -shift.months;
    shift.days = -shift.days;
    shift.seconds = -shift.seconds;
  }
  out.approximate = out.approximate || length.approximate;
  out.shift = shift;
  return true;
}

}  // namespace seqgpt
