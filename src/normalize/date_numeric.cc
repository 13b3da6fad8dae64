// SPDX-License-Identifier: Apache-2.0
// Dates of numbers and separators: 2018-12-12, 2018/8, 13.5.2015, 10/31/74, 20240307, 09-01.
#include "normalize/date_numbers.h"
#include "normalize/date_reader.h"
#include "normalize/numerals.h"

namespace seqgpt {

int full_year(int two_digits) {
  constexpr int kPivot = 50;  // 00..49 are this century, 50..99 the last
  return two_digits + (two_digits < kPivot ? 2000 : 1900);
}

namespace {

struct Figure {
  int value = 0;
  int digits = 0;
};

/// At most `most` digits, so that 2018-12-1209:03 still has its day.
bool take_figure(Cursor& cursor, int most, Figure& out) {
  out = Figure();
  for (; out.digits < most && is_ascii_digit(cursor.peek()); cursor.skip(), ++out.digits)
    out.value = out.value * 10 + static_cast<int>(cursor.peek() - U'0');
  return out.digits > 0;
}

void set_date(DateWords& out, int year, int month, int day) {
  out.year = year;
  out.month = month;
  out.day = day;
}

bool is_month(int value) {
  return value >= 1 && value <= 12;
}

/// 20240307, 202403, 20240307093015
bool take_compact(Cursor& cursor, DateWords& out) {
  size_t digits = 0;
  while (is_ascii_digit(cursor.peek(digits))) ++digits;
  const auto figure = [&cursor](int most) {
    Figure read;
    take_figure(cursor, most, read);
    return read.value;
  };
  if (digits != 6 && digits != 8 && digits != 12 && digits != 14) return false;
  const int year = figure(4);
  const int month = figure(2);
  if (year < 1000 || year > 2999 || !is_month(month)) return false;
  out.year = year;
  out.month = month;
  if (digits >= 8) out.day = figure(2);
  if (digits >= 12) {
    out.hour = figure(2);
    out.minute = figure(2);
  }
  if (digits == 14) out.second = figure(2);
  return true;
}

/// Year first unless four digits come last, or the first figure is one digit, or a slash stands
/// behind a possible month (10/31/74); then month before day unless it cannot be one.
bool order_three(char32_t separator, const Figure (&part)[3], DateWords& out) {
  const auto two = [](const Figure& figure) { return figure.digits <= 2; };
  const bool slashed = separator == U'/' && is_month(part[0].value);
  const bool year_last = part[2].digits == 4 || part[0].digits == 1 || slashed;
  if (part[0].digits == 4 && two(part[1]) && two(part[2])) {
    set_date(out, part[0].value, part[1].value, part[2].value);
    return true;
  }
  if (!two(part[0]) || !two(part[1]) || part[2].digits == 3) return false;
  if (!year_last) {
    set_date(out, full_year(part[0].value), part[1].value, part[2].value);
    return true;
  }
  const int year = part[2].digits == 4 ? part[2].value : full_year(part[2].value);
  const bool month_first = is_month(part[0].value);
  set_date(out, year, part[month_first ? 0 : 1].value, part[month_first ? 1 : 0].value);
  return true;
}

/// 2008/08, 17/7 (a year that cannot be a month), 2/15
bool order_two(char32_t separator, const Figure& first, const Figure& second, DateWords& out) {
  if (first.digits == 4) {
    if (second.digits > 2 || !is_month(second.value)) return false;
    out.year = first.value;
    out.month = second.value;
    return true;
  }
  if (first.digits > 2 || second.digits > 2 || separator == U' ') return false;
  if (is_month(first.value)) {
    out.month = first.value;
    out.day = second.value;
    return true;
  }
  if (first.digits != 2 || !is_month(second.value) || separator == U'.') return false;
  out.year = full_year(first.value);
  out.month = second.value;
  return true;
}

bool take_separated(Cursor& cursor, DateWords& out) {
  Figure part[3];
  if (!take_figure(cursor, 4, part[0])) return false;
  const char32_t separator = cursor.peek();
  if (separator != U'-' && separator != U'/' && separator != U'.' && separator != U' ')
    return false;
  cursor.skip();
  if (!take_figure(cursor, 2, part[1]) || is_ascii_digit(cursor.peek())) return false;
  const size_t after_two = cursor.at();
  const int most = part[0].digits == 4 ? 2 : 4;
  const bool three = cursor.take(separator) && take_figure(cursor, most, part[2]);
  if (three && cursor.peek() != U':' && order_three(separator, part, out)) return true;
  cursor.go(after_two);
  return order_two(separator, part[0], part[1], out);
}

/// Z, +08:00 behind an ISO 8601 time: the offset is dropped, the time is as written.
void take_zone(Cursor& cursor) {
  const size_t start = cursor.at();
  if (cursor.take(U'Z')) return;
  Figure hours;
  Figure minutes;
  const bool sign = cursor.take(U'+') || cursor.take(U'-');
  if (!sign || !take_figure(cursor, 2, hours) || hours.digits != 2 || !cursor.take(U':') ||
      !take_figure(cursor, 2, minutes) || minutes.digits != 2)
    cursor.go(start);
}

}  // namespace

bool take_numeric_date(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  DateWords read = out;
  bool found = take_compact(cursor, read);
  if (!found) {
    cursor.go(start);
    read = out;
    found = take_separated(cursor, read);
  }
  if (!found) {
    cursor.go(start);
    return false;
  }
  if (read.day) cursor.take_any({U"日", U"号"});
  out = read;
  const size_t behind = cursor.at();
  const bool marked =
      cursor.take(U'T') || cursor.take(U't') || cursor.take(U' ') || cursor.take(U',');
  if (read.day && !read.hour && take_clock(cursor, read)) {
    out = read;
    if (out.minute) take_zone(cursor);
  } else if (marked) {
    cursor.go(behind);
  }
  return true;
}

}  // namespace seqgpt
