// SPDX-License-Identifier: Apache-2.0
// Numerals: 二十一万, 3万2, 1,100万, 二零二二, 一点五亿, 三五百, 十几, 2e5 as exact decimals.
#pragma once

#include <optional>

#include "normalize/cursor.h"
#include "normalize/decimal.h"

namespace seqgpt {

/// 0..9 for a Chinese digit (plain, capital, 幺, 两, 俩, 仨), else -1.
int chinese_digit(char32_t c);
/// The power of ten of 十 百 千 万 亿 兆 (兆 is 10^12), 0 for anything else.
int unit_exponent(char32_t c);

/// An unsigned numeral. low and high differ only where the wording spans an interval: 三五百 is 300
/// to 500, 十几 and 十多 are 10 to 20, 几十 is 10 to 100.
struct Numeral {
  Decimal low;
  Decimal high;
  bool spans = false;
  bool approximate = false;  // 几, 多, 余, 数
  int digits = 0;            // how many, when it is written with digits alone (2022, 二零二二)
  bool arabic = false;       // and they are Arabic
  int scale = 0;             // power of ten of the 万 and 亿 (and k, w, M) that end it
  Decimal mantissa;          // what stands before those
  int lone_exponent = -1;    // of one digit and units alone: 八 0, 八百 2, 八百万 6
};

/// Takes the longest numeral that stands here; nothing is moved when there is none.
bool take_numeral(Cursor& cursor, Numeral& out);

/// A small whole number as calendars use them (07, 十二, 廿三, 二十, 一一, 二零二二): no 点, 万 or
/// commas.
struct Count {
  int value = 0;
  int digits = 0;  // written digits, 0 when it has units (十二)
  bool arabic = false;
};
/// At most nine digits; nothing is moved when there is none.
bool take_count(Cursor& cursor, Count& out);

}  // namespace seqgpt
