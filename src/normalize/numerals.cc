// SPDX-License-Identifier: Apache-2.0
// Reading numerals: digits written out, composed numerals, and the tail of a decimal.
#include "normalize/numerals.h"

#include "normalize/composed.h"

namespace seqgpt {

int chinese_digit(char32_t c) {
  switch (c) {
    case U'零':
      return 0;
    case U'一':
    case U'壹':
    case U'幺':
    case U'弌':
      return 1;
    case U'二':
    case U'贰':
    case U'两':
    case U'俩':
    case U'弍':
      return 2;
    case U'三':
    case U'叁':
    case U'仨':
      return 3;
    case U'四':
    case U'肆':
      return 4;
    case U'五':
    case U'伍':
      return 5;
    case U'六':
    case U'陆':
      return 6;
    case U'七':
    case U'柒':
      return 7;
    case U'八':
    case U'捌':
      return 8;
    case U'九':
    case U'玖':
      return 9;
    default:
      return -1;
  }
}

int unit_exponent(char32_t c) {
  switch (c) {
    case U'十':
    case U'拾':
      return 1;
    case U'百':
    case U'佰':
      return 2;
    case U'千':
    case U'仟':
      return 3;
    case U'万':
      return 4;
    case U'亿':
      return 8;
    case U'兆':
      return 12;
    default:
      return 0;
  }
}

namespace {

constexpr int kMostDigits = 38;

int latin_exponent(char32_t c) {
  switch (c) {
    case U'k':
    case U'K':
      return 3;
    case U'w':
    case U'W':
      return 4;
    case U'M':
      return 6;
    default:
      return 0;
  }
}

/// million and its like behind Arabic digits, as a power of ten; 0 when there is none.
int take_english_unit(Cursor& cursor) {
  if (cursor.take_any({U"thousand", U"Thousand"})) return 3;
  if (cursor.take_any({U"million", U"Million", U"mn"})) return 6;
  return cursor.take_any({U"billion", U"Billion", U"bn"}) ? 9 : 0;
}

size_t chinese_run(const Cursor& cursor) {
  size_t length = 0;
  while (chinese_digit(cursor.peek(length)) >= 0) ++length;
  return length;
}

Decimal take_chinese_digits(Cursor& cursor, size_t count) {
  Decimal value;
  for (; count > 0; --count, cursor.skip())
    value = value.shifted(1) + Decimal(chinese_digit(cursor.peek()));
  return value;
}

/// `.25` or 点二五 behind a whole part; false when no digit follows the point.
bool take_fraction(Cursor& cursor, Decimal& value) {
  const bool arabic = cursor.peek() == U'.' && is_ascii_digit(cursor.peek(1));
  const bool spoken =
      (cursor.peek() == U'点' && is_ascii_digit(cursor.peek(1))) ||
      ((cursor.peek() == U'点' || cursor.peek() == U'.') && chinese_digit(cursor.peek(1)) >= 0);
  if (!arabic && !spoken) return false;
  cursor.skip();
  Decimal digits;
  int places = 0;
  for (;; cursor.skip(), ++places) {
    const char32_t c = cursor.peek();
    const int digit =
        is_ascii_digit(c) ? static_cast<int>(c - U'0') : (spoken ? chinese_digit(c) : -1);
    if (digit < 0) break;
    digits = digits.shifted(1) + Decimal(digit);
  }
  value = value + digits.shifted(-places);
  return true;
}

/// 万, 千万, 万亿, k, w, M behind a decimal or behind digits written out.
void take_units(Cursor& cursor, Numeral& out) {
  int small = 0;
  for (int exponent = 0; (exponent = unit_exponent(cursor.peek())) > 0; cursor.skip())
    (exponent < 4 ? small : out.scale) += exponent;
  if (small == 0 && out.scale == 0) out.scale = take_english_unit(cursor);
  const int latin = latin_exponent(cursor.peek());
  if (small == 0 && out.scale == 0 && latin > 0 && !is_ascii_letter(cursor.peek(1))) {
    out.scale = latin;
    cursor.skip();
  }
  if (small + out.scale > 0) out.digits = 0;
  out.mantissa = out.low.shifted(small);
  out.low = out.mantissa.shifted(out.scale);
}

/// e5, E+14, e-1 behind Arabic digits.
void take_exponent(Cursor& cursor, Numeral& out) {
  const size_t start = cursor.at();
  if (!cursor.take(U'e') && !cursor.take(U'E')) return;
  const bool minus = cursor.take(U'-');
  if (!minus) cursor.take(U'+');
  int exponent = 0;
  int digits = 0;
  for (; is_ascii_digit(cursor.peek()) && digits < 3; ++digits, cursor.skip())
    exponent = exponent * 10 + static_cast<int>(cursor.peek() - U'0');
  if (digits == 0 || is_ascii_digit(cursor.peek()) || exponent > 60) return cursor.go(start);
  out.low = out.low.shifted(minus ? -exponent : exponent);
  out.digits = 0;
}

void finish(Cursor& cursor, Numeral& out, bool arabic) {
  if (take_fraction(cursor, out.low)) out.digits = 0;
  if (arabic) take_exponent(cursor, out);
  take_units(cursor, out);
  out.high = out.low;
}

/// Whether two neighbouring digits before `next` are 三四 (个) rather than thirty-four: something
/// is counted behind them, or the first is 两, which is never read as a mere digit.
bool counts_behind(char32_t first, const Cursor& behind) {
  if (first == U'两' || first == U'俩') return true;
  const char32_t next = behind.peek();
  return next >= U'一' && next <= U'龥' && !behind.sees(U"分之") &&
         Folded(U"点折到至又和与以左上下").find(next) == Folded::npos;
}

/// 三五天, 两三个: from one to the other.
bool take_pair(Cursor& cursor, Numeral& out) {
  const char32_t first = cursor.peek();
  const char32_t second = cursor.peek(1);
  Cursor behind = cursor;
  behind.skip(2);
  if (!neighbours(first, second) || chinese_digit(behind.peek()) >= 0 ||
      unit_exponent(behind.peek()) > 0 || !counts_behind(first, behind))
    return false;
  cursor.skip(2);
  out.low = out.mantissa = Decimal(chinese_digit(first));
  out.high = Decimal(chinese_digit(second));
  out.spans = true;
  return true;
}

/// 二零二二, 一七二零点一, 三八: digits read one by one, no units between them.
bool take_positional(Cursor& cursor, Numeral& out) {
  const size_t run = chinese_run(cursor);
  if (run < 2 || run > kMostDigits) return false;
  const int next = unit_exponent(cursor.peek(run));
  if (next > 0 && (next < 4 || (run == 2 && neighbours(cursor.peek(), cursor.peek(1)))))
    return false;
  out.low = take_chinese_digits(cursor, run);
  out.digits = static_cast<int>(run);
  finish(cursor, out, false);
  return true;
}

/// 1,234.5, .25, 10.1万, 300w: Arabic digits without Chinese units among them.
bool take_plain_arabic(Cursor& cursor, Numeral& out) {
  const bool point = cursor.peek() == U'.' && is_ascii_digit(cursor.peek(1));
  if (!point && !is_ascii_digit(cursor.peek())) return false;
  int digits = 0;
  if (!point) digits = take_arabic_digits(cursor, out.low);
  out.digits = digits;
  out.arabic = true;
  finish(cursor, out, true);
  if (digits == 1 && out.digits == 1) out.lone_exponent = 0;
  return true;
}

/// Whether Arabic digits here are the head of a composed numeral: 5万4千6百, 500余万, 3万2.
bool composes(Cursor cursor) {
  Decimal ignored;
  if (!is_ascii_digit(cursor.peek())) return true;
  take_arabic_digits(cursor, ignored);
  const char32_t next = cursor.peek();
  return unit_exponent(next) > 0 || next == U'多' || next == U'余' || next == U'几' ||
         next == U'来';
}

}  // namespace

bool take_numeral(Cursor& cursor, Numeral& out) {
  const size_t start = cursor.at();
  out = Numeral();
  if (take_pair(cursor, out) || take_positional(cursor, out)) return true;
  cursor.go(start);
  if (composes(cursor) && take_composed(cursor, out)) {
    Decimal value = out.low;
    if (!out.spans && take_fraction(cursor, value)) {
      out = Numeral();
      out.low = value;
      take_units(cursor, out);
      out.high = out.low;
    }
    return true;
  }
  cursor.go(start);
  return take_plain_arabic(cursor, out);
}

bool take_count(Cursor& cursor, Count& out) {
  constexpr int kMostCountDigits = 9;
  out = Count();
  for (; is_ascii_digit(cursor.peek()) && out.digits < kMostCountDigits; cursor.skip()) {
    out.value = out.value * 10 + static_cast<int>(cursor.peek() - U'0');
    ++out.digits;
  }
  out.arabic = out.digits > 0;
  if (out.arabic) return true;
  const size_t run = chinese_run(cursor);
  const int next = unit_exponent(cursor.peek(run));
  if (run == 2 && cursor.peek() == U'两') return false;  // 两三点
  if (run >= 2 && run <= kMostCountDigits && (next == 0 || next > 3)) {
    out.value = static_cast<int>(take_chinese_digits(cursor, run).integer_or(0));
    out.digits = static_cast<int>(run);
    return true;
  }
  return take_small_composed(cursor, out);
}

}  // namespace seqgpt
