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
  if (month) {
    cursor.take_any({U"的", U","});
    if (take_part_of_month(cursor, out) || take_nth(cursor, out) || take_run(cursor, out))
      return true;
  }
  if (!take_day(cursor, out, month)) return month;
  cursor.take_any({U"当天", U"当日", U"那天"});
  skip_weekday(cursor);
  DateWords said_again;  // 2月14日情人节
  take_feast(cursor, said_again);
  return true;
}

/// 今日(8月9日), 星期四(8日): the date in brackets says it better.
void take_date_in_brackets(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  DateWords date;
  if (cursor.take(U'(') && take_month_and_day(cursor, date) && date.day && cursor.take(U')')) {
    out = date;
  } else {
    cursor.go(start);
  }
}

/// What may stand behind a year, or alone for the reference year.
bool take_part_of_year(Cursor& cursor, DateWords& out) {
  return take_half(cursor, out) || take_end_of_year(cursor, out) || take_feast(cursor, out) ||
         take_nth(cursor, out) || take_run(cursor, out) || take_quarter(cursor, out) ||
         take_month_and_day(cursor, out);
}

bool take_date(Cursor& cursor, DateWords& out) {
  if (take_decade(cursor, out)) return true;
  if (take_year(cursor, out)) {
    const size_t behind = cursor.at();
    cursor.take_any({U"的", U"内", U","});
    if (!take_part_of_year(cursor, out)) {
      cursor.go(behind);
      cursor.take_any({U"全年", U"内", U"里"});
    }
    return true;
  }
  if (take_relative_day(cursor, out) || take_relative_week(cursor, out)) {
    take_date_in_brackets(cursor, out);
    return true;
  }
  if (take_relative_span(cursor, out)) return true;
  if (names_part_of_month(cursor)) return take_part_of_month(cursor, out);
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
  cursor.take_any(
      {U"出生于", U"生于", U"始于", U"早在", U"北京时间", U"当地时间", U"公历", U"阳历"});
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
      if (!take_english_date(cursor, out) && !take_bare_year(cursor, out) &&
          !take_year_and_quarter(cursor, out) && !take_date(cursor, out))
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
