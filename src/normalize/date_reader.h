// SPDX-License-Identifier: Apache-2.0
// Reading the words of one date, time or period.
#pragma once

#include "normalize/date_words.h"
#include "normalize/duration.h"

namespace seqgpt {

/// Takes the longest date, time or period that stands here; false when there is none.
bool take_date_words(Cursor& cursor, DateWords& out);

/// The unit that the first figure of a date text carries (月 of 9月份): what a bare figure before a
/// range mark shares. Empty when it has none.
Folded leading_unit(Folded text);

// The parts of it, one file each.

/// 2018-12-12, 2018/8, 13.5.2015, 20240307, 09-01: numbers with separators.
bool take_numeric_date(Cursor& cursor, DateWords& out);
/// March 5, 2022; 5 Mar 2022.
bool take_english_date(Cursor& cursor, DateWords& out);
/// 下午三点一刻, 15:30:10, 3pm, 零时, or a part of the day alone.
bool take_clock(Cursor& cursor, DateWords& out);
bool take_named_year(Cursor& cursor, DateWords& out);
bool take_decade(Cursor& cursor, DateWords& out);
bool take_half(Cursor& cursor, DateWords& out);
bool take_quarter(Cursor& cursor, DateWords& out);
bool take_year_and_quarter(Cursor& cursor, DateWords& out);
bool take_run(Cursor& cursor, DateWords& out);
bool take_nth(Cursor& cursor, DateWords& out);
bool take_month(Cursor& cursor, DateWords& out);
bool take_part_of_month(Cursor& cursor, DateWords& out);
bool names_part_of_month(const Cursor& cursor);
bool take_end_of_year(Cursor& cursor, DateWords& out);
bool take_day(Cursor& cursor, DateWords& out, bool bare);
/// 国庆节, 元旦, 母亲节: feasts of the solar calendar.
bool take_feast(Cursor& cursor, DateWords& out);
/// 三天后, 半小时前, 现在.
bool take_shift(Cursor& cursor, DateWords& out);
/// A length as whole months, days and seconds; false when it has parts of a day or is too long.
bool to_shift(const Duration& length, DateWords::Shift& out);
/// 今天, 上周三, 下个月, 去年, 本季度, …
bool take_relative_day(Cursor& cursor, DateWords& out);
bool take_relative_week(Cursor& cursor, DateWords& out);
bool take_relative_month(Cursor& cursor, DateWords& out);
bool take_relative_year(Cursor& cursor, DateWords& out);
bool take_relative_span(Cursor& cursor, DateWords& out);

/// 一..六, 日, 天, 1..7 behind 周 or 星期.
bool take_weekday_name(Cursor& cursor, int& weekday);
/// 周, 星期, 礼拜
bool take_week_word(Cursor& cursor);

}  // namespace seqgpt
