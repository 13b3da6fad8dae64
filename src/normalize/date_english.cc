// SPDX-License-Identifier: Apache-2.0
// English dates in mixed text: March 5, 2022, 5 Mar 2022, Mar. 2022 (white space is folded away).
#include "normalize/date_reader.h"
#include "normalize/fold.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

constexpr std::u32string_view kMonths[] = {U"JANUARY",   U"FEBRUARY", U"MARCH",    U"APRIL",
                                           U"MAY",       U"JUNE",     U"JULY",     U"AUGUST",
                                           U"SEPTEMBER", U"OCTOBER",  U"NOVEMBER", U"DECEMBER"};

/// A month's name or its first three (Sept: four) letters; 0 when there is none.
int take_month_name(Cursor& cursor) {
  size_t length = 0;
  while (is_ascii_letter(cursor.peek(length))) ++length;
  if (length < 3) return 0;
  for (size_t month = 0; month < std::size(kMonths); ++month) {
    const Folded name = kMonths[month];
    const bool whole = length == name.size();
    const bool cut = length == 3 || (month == 8 && length == 4);
    if (!whole && !cut) continue;
    size_t same = 0;
    while (same < length && upper(cursor.peek(same)) == name[same]) ++same;
    if (same < length) continue;
    cursor.skip(length);
    cursor.take(U'.');
    return static_cast<int>(month) + 1;
  }
  return 0;
}

/// 5, 5th, 1st
bool take_day_figure(Cursor& cursor, int& day) {
  const size_t start = cursor.at();
  Count count;
  if (take_count(cursor, count) && count.arabic && count.digits <= 2) {
    day = count.value;
    cursor.take_any({U"st", U"nd", U"rd", U"th"});
    return true;
  }
  cursor.go(start);
  return false;
}

bool take_year_figure(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count count;
  cursor.take_any({U",", U" "});
  if (take_count(cursor, count) && count.arabic && count.digits == 4) {
    out.year = count.value;
    return true;
  }
  cursor.go(start);
  return false;
}

}  // namespace

bool take_english_date(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  int day = 0;
  const bool day_first = is_ascii_digit(cursor.peek()) && take_day_figure(cursor, day);
  const int month = take_month_name(cursor);
  if (month == 0) {
    cursor.go(start);
    return false;
  }
  const bool day_second = !day_first && take_day_figure(cursor, day);
  out.month = month;
  if (day_first || day_second) out.day = day;
  take_year_figure(cursor, out);
  return true;
}

}  // namespace seqgpt
