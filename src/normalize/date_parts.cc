// SPDX-License-Identifier: Apache-2.0
// The parts of a date by the calendar: years and their parts, months and theirs, days.
#include "normalize/date_numbers.h"
#include "normalize/date_reader.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

bool back(Cursor& cursor, size_t start) {
  cursor.go(start);
  return false;
}

/// 初, 末 behind a quarter: its first or last month.
void take_end_of_quarter(Cursor& cursor, DateWords& out) {
  if (cursor.take(U'初')) {
    out.quarter_month = 1;
  } else if (cursor.take_any({U"末", U"底"})) {
    out.quarter_month = 3;
  }
  out.approximate = out.approximate || out.quarter_month > 0;
}

}  // namespace

/// 2018年, 07年, 二零零八年, 两千零五年, 公元一六三年, 民国三年
bool take_named_year(Cursor& cursor, DateWords& out) {
  constexpr int kRepublic = 1911;
  const size_t start = cursor.at();
  const bool era = cursor.take_any({U"公元", U"西元", U"纪元"});
  const bool republic = !era && cursor.take(U"民国");
  Count year;
  if (!take_count(cursor, year) || !cursor.take(U'年')) return back(cursor, start);
  cursor.take_any({U"度", U"份"});
  const bool whole = era || year.digits == 4 || (year.digits == 0 && year.value >= 1000);
  if (republic) {
    out.year = kRepublic + year.value;
  } else if (whole) {
    out.year = year.value;
  } else if (year.digits == 2) {
    out.year = full_year(year.value);
  } else {
    return back(cursor, start);
  }
  return true;
}

/// 十九世纪七十年代, 上世纪90年代, 1990年代, 90年代
bool take_decade(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  std::optional<int> century;
  Count count;
  if (cursor.take(U"上世纪")) {
    century = 1900;
  } else if (cursor.take_any({U"本世纪", U"这个世纪"})) {
    century = 2000;
  } else if (take_count(cursor, count) && count.value <= 100 && cursor.take(U"世纪")) {
    century = (count.value - 1) * 100;
  } else {
    cursor.go(start);
  }
  if (!take_count(cursor, count) || !cursor.take(U"年代") || count.value % 10 != 0)
    return back(cursor, start);
  if (count.digits == 4 && !century) {
    out.decade = count.value;
  } else if (count.value < 100) {
    out.decade = century ? *century + count.value : full_year(count.value);
  } else {
    return back(cursor, start);
  }
  return true;
}

/// 上半年, 前半年, 下半年, 后半年
bool take_half(Cursor& cursor, DateWords& out) {
  if (cursor.take_any({U"上半年", U"前半年", U"半年度"})) {
    out.half = 1;
  } else if (cursor.take_any({U"下半年", U"后半年"})) {
    out.half = 2;
  } else {
    return false;
  }
  return true;
}

/// 第三季度, 三季度, 第一个季度, Q3
bool take_quarter(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count count;
  if ((cursor.take(U'Q') || cursor.take(U'q')) && take_count(cursor, count) && count.value >= 1 &&
      count.value <= 4) {
    out.quarter = count.value;
    return true;
  }
  cursor.go(start);
  if (cursor.take_any({U"首季度", U"首季"})) {
    out.quarter = 1;
    return true;
  }
  cursor.take(U'第');
  if (!take_count(cursor, count)) return back(cursor, start);
  cursor.take(U'个');
  if (!cursor.take_any({U"季度", U"季"}) || count.value < 1 || count.value > 4)
    return back(cursor, start);
  out.quarter = count.value;
  take_end_of_quarter(cursor, out);
  return true;
}

/// 2021Q3, 2021-Q3, 21Q3, 2019上半年, 2020第一季度
bool take_year_and_quarter(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count year;
  if (!take_count(cursor, year) || !year.arabic || (year.digits != 4 && year.digits != 2))
    return back(cursor, start);
  cursor.take(U'-');
  const bool begins_part = Folded(U"Qq上下第一二三四").find(cursor.peek()) != Folded::npos;
  if (cursor.at_end() || !begins_part || !(take_half(cursor, out) || take_quarter(cursor, out)))
    return back(cursor, start);
  out.year = year.digits == 4 ? year.value : full_year(year.value);
  return true;
}

/// 前五个月, 前两个季度, 最后4个月, 前10天, of the year that stands before them.
bool take_run(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  const bool first = cursor.take(U'前');
  Count count;
  if ((!first && !cursor.take_any({U"最后", U"后"})) || !take_count(cursor, count) ||
      count.value < 1 || count.value > 366)
    return back(cursor, start);
  cursor.take(U'个');
  DateWords::Run run{.count = count.value, .last = !first};
  if (cursor.take_any({U"季度", U"季"})) {
    run.quarters = true;
  } else if (!out.has_month() && cursor.take(U'月')) {
    run.unit = DateUnit::kMonth;
  } else if ((out.has_year() || out.has_month()) && take_week_word(cursor)) {
    run.unit = DateUnit::kWeek;
  } else if ((out.has_year() || out.has_month()) && cursor.take_any({U"天", U"日"})) {
    run.unit = DateUnit::kDay;
  } else {
    return back(cursor, start);
  }
  if (!run.quarters && run.unit == DateUnit::kMonth && run.last && run.count == 1) {
    out.month = 12;
  } else {
    out.run = run;
  }
  return true;
}

/// 第8个月, 第一周, 第三十七个星期, 第十天, of the year or month that stands before them.
bool take_nth(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  const bool last = cursor.take_any({U"最后一", U"最后1"});
  Count count;
  constexpr int kMost = 366;
  if (!last &&
      (!cursor.take(U'第') || !take_count(cursor, count) || count.value < 1 || count.value > kMost))
    return back(cursor, start);
  const int n = last ? -1 : count.value;
  cursor.take(U'个');
  int weekday = 0;
  if (take_week_word(cursor)) {
    if (take_weekday_name(cursor, weekday)) {
      if (!out.has_month() && !out.has_year()) return back(cursor, start);
      out.weekday = weekday;
      out.nth_weekday = n;
      return true;
    }
    if (last && !out.has_month() && !out.has_year()) return back(cursor, start);
    out.week = n;
    return true;
  }
  if (!out.has_month() && cursor.take(U'月')) {
    out.month = last ? 12 : n;
    return true;
  }
  if ((out.has_month() || out.has_year()) && cursor.take_any({U"天", U"日"})) {
    out.nth_day = n;
    return true;
  }
  return back(cursor, start);
}

/// 3月, 十二月份, 元月
bool take_month(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count count;
  if (cursor.take(U"元月")) {
    out.month = 1;
  } else if (take_count(cursor, count) && cursor.take(U'月')) {
    out.month = count.value;
  } else {
    return back(cursor, start);
  }
  cursor.take(U'份');
  return true;
}

/// 上旬, 月初 (as 初 behind a month), 年底 (as 底 behind a year)
bool take_part_of_month(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  cursor.take_any({U"的", U"月"});
  if (cursor.take_any({U"上半月", U"前半月"})) {
    out.half_month = 1;
  } else if (cursor.take_any({U"下半月", U"后半月"})) {
    out.half_month = 2;
  } else if (cursor.take_any({U"上旬", U"初"})) {
    out.third = 1;
  } else if (cursor.take_any({U"中旬", U"中"})) {
    out.third = 2;
  } else if (cursor.take_any({U"下旬", U"底", U"末"})) {
    out.third = 3;
  } else {
    return back(cursor, start);
  }
  return true;
}

/// 月底, 上旬, 上半月 without a month before them.
bool names_part_of_month(const Cursor& cursor) {
  for (const Folded word :
       {Folded(U"月初"), Folded(U"月中"), Folded(U"月底"), Folded(U"月末"), Folded(U"上旬"),
        Folded(U"中旬"), Folded(U"下旬"), Folded(U"上半月"), Folded(U"下半月")}) {
    if (cursor.sees(word)) return true;
  }
  return false;
}

/// 年初 is January, 年底 and 年末 December; without a year before them the reference year's.
bool take_end_of_year(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  const bool word = cursor.take(U'年');
  if (!word && !out.has_year()) return false;
  if (cursor.take(U'初')) {
    out.month = 1;
  } else if (cursor.take_any({U"底", U"末"})) {
    out.month = 12;
  } else if (word && cursor.take_any({U"内", U"度内"})) {
    out.year_offset = out.has_year() ? out.year_offset : 0;
    return true;
  } else {
    return back(cursor, start);
  }
  out.approximate = true;
  return true;
}

/// 12日, 7号, and behind a month 十月31; `bare` where a month came before.
bool take_day(Cursor& cursor, DateWords& out, bool bare) {
  const size_t start = cursor.at();
  Count count;
  if (!take_count(cursor, count) || count.value > 31) return back(cursor, start);
  const bool named = cursor.take_any({U"日", U"号"});
  const char32_t next = cursor.peek();
  const bool figure_alone = bare && Folded(U"年月周个季时点分秒天:/.%").find(next) == Folded::npos;
  if (!named && !figure_alone && next != U'\0') return back(cursor, start);
  if (!named && !bare) return back(cursor, start);
  out.day = count.value;
  return true;
}

}  // namespace seqgpt
