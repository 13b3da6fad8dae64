// SPDX-License-Identifier: Apache-2.0
// Reading a date from its coarsest word to its finest: year, part of the year, month, day, time.
#include "normalize/date_reader.h"

#include "normalize/date_numbers.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

bool back(Cursor& cursor, size_t start) {
  cursor.go(start);
  return false;
}

/// 2018年, 07年, 二零零八年, 两千零五年, 公元一六三年, 民国三年
bool take_named_year(Cursor& cursor, DateWords& out) {
  constexpr int kRepublic = 1911;
  const size_t start = cursor.at();
  const bool era = cursor.take_any({U"公元", U"西元", U"纪元"});
  const bool republic = !era && cursor.take(U"民国");
  Count year;
  if (!take_count(cursor, year) || !cursor.take(U'年')) return back(cursor, start);
  cursor.take_any({U"度", U"份"});
  if (era) {
    out.year = year.value;
  } else if (republic) {
    out.year = kRepublic + year.value;
  } else if (year.digits == 4 || (year.digits == 0 && year.value >= 1000)) {
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
  } else if (take_count(cursor, count) && cursor.take(U"世纪")) {
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
  if (cursor.take_any({U"上半年", U"前半年"})) {
    out.half = 1;
  } else if (cursor.take_any({U"下半年", U"后半年"})) {
    out.half = 2;
  } else {
    return false;
  }
  return true;
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

/// 2021Q3, 2021-Q3, 21Q3
bool take_year_and_quarter(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count year;
  if (!take_count(cursor, year) || !year.arabic || (year.digits != 4 && year.digits != 2))
    return back(cursor, start);
  cursor.take(U'-');
  const char32_t letter = cursor.peek();
  if ((letter != U'Q' && letter != U'q') || !take_quarter(cursor, out)) return back(cursor, start);
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
  if (!last && (!cursor.take(U'第') || !take_count(cursor, count) || count.value < 1))
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
  if (!out.has_year()) out.year_offset = 0;
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

/// (星期三), 周日 behind a date: says nothing new.
void skip_weekday(Cursor& cursor) {
  const size_t start = cursor.at();
  const bool bracket = cursor.take(U'(');
  cursor.take(U',');
  int ignored = 0;
  const bool day = take_week_word(cursor) && take_weekday_name(cursor, ignored);
  if (!day || (bracket && !cursor.take(U')'))) cursor.go(start);
}

bool take_year(Cursor& cursor, DateWords& out) {
  return take_relative_year(cursor, out) || take_named_year(cursor, out);
}

bool take_month_and_day(Cursor& cursor, DateWords& out) {
  const bool month = take_month(cursor, out) || take_relative_month(cursor, out);
  if (!month) return take_day(cursor, out, false);
  cursor.take_any({U"的", U","});
  if (take_part_of_month(cursor, out) || take_nth(cursor, out) || take_run(cursor, out))
    return true;
  if (take_day(cursor, out, true)) skip_weekday(cursor);
  return true;
}

/// What may stand behind a year, or alone for the reference year.
bool take_part_of_year(Cursor& cursor, DateWords& out) {
  return take_half(cursor, out) || take_end_of_year(cursor, out) || take_nth(cursor, out) ||
         take_run(cursor, out) || take_quarter(cursor, out) || take_month_and_day(cursor, out);
}

bool take_date(Cursor& cursor, DateWords& out) {
  if (take_decade(cursor, out)) return true;
  if (take_year(cursor, out)) {
    const size_t behind = cursor.at();
    cursor.take_any({U"的", U"内", U","});
    if (!take_part_of_year(cursor, out)) {
      cursor.go(behind);
      cursor.take_any({U"内", U"里", U"间"});
    }
    return true;
  }
  if (take_relative_day(cursor, out) || take_relative_week(cursor, out)) return true;
  if (take_relative_span(cursor, out)) return true;
  if (names_part_of_month(cursor)) {
    out.month_offset = 0;
    return take_part_of_month(cursor, out);
  }
  return take_part_of_year(cursor, out);
}

/// A four-digit year that is all of the text.
bool take_bare_year(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count count;
  if (take_count(cursor, count) && count.digits == 4 && cursor.at_end() && count.value >= 1000 &&
      count.value <= 2999) {
    out.year = count.value;
    return true;
  }
  return back(cursor, start);
}

void take_time_of_day(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  while (cursor.take_any({U",", U"的", U" "})) {
  }
  if (!take_clock(cursor, out)) cursor.go(start);
}

/// 周日, 二月十号: the day's name says nothing when its date follows.
void skip_leading_weekday(Cursor& cursor) {
  const size_t start = cursor.at();
  int ignored = 0;
  if (!take_week_word(cursor) || !take_weekday_name(cursor, ignored)) return cursor.go(start);
  cursor.take(U',');
  Cursor ahead = cursor;
  DateWords date;
  const bool dated = take_numeric_date(ahead, date) || take_date(ahead, date);
  if (!dated || !date.has_month()) cursor.go(start);
}

}  // namespace

bool take_date_words(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  if (cursor.take_any({U"大约", U"大概", U"约"})) out.approximate = true;
  cursor.take_any({U"于", U"在"});
  cursor.take_any({U"出生于", U"生于", U"始于"});
  skip_leading_weekday(cursor);
  if (take_shift(cursor, out)) {
    if (out.shift && out.shift->unit == DateUnit::kDay) take_time_of_day(cursor, out);
  } else if (!take_numeric_date(cursor, out)) {
    DateWords clock = out;
    const size_t at = cursor.at();
    // 10:13 and 五点半 before 5 is taken for a day
    if (take_clock(cursor, clock)) {
      out = clock;
    } else {
      cursor.go(at);
      if (!take_bare_year(cursor, out) && !take_year_and_quarter(cursor, out) &&
          !take_date(cursor, out))
        return back(cursor, start);
      take_time_of_day(cursor, out);
    }
  }
  if (cursor.take_any({U"左右", U"前后", U"许"})) out.approximate = true;
  if (out.has_year()) cursor.take_any({U"出生", U"生"});
  return true;
}

Folded leading_unit(Folded text) {
  Cursor cursor(text);
  Count count;
  cursor.take(U'第');
  if (!take_count(cursor, count)) return {};
  for (const Folded unit :
       {Folded(U"个季度"), Folded(U"季度"), Folded(U"个月"), Folded(U"月份"), Folded(U"年"),
        Folded(U"月"), Folded(U"日"), Folded(U"号"), Folded(U"点"), Folded(U"时")}) {
    if (cursor.sees(unit)) return unit;
  }
  return {};
}

}  // namespace seqgpt
