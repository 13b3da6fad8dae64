// SPDX-License-Identifier: Apache-2.0
// A machine over digits and units: sections below ten thousand, groups of 万, 亿 and 兆.
#include "normalize/composed.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr int kMostGroups = 8;
constexpr int kBig = 4;  // 万 and above close a section

enum class Token { kStart, kDigit, kZero, kSmall, kBig, kMore };

/// Reads one numeral. `upper` chooses the upper end where the wording spans an interval.
class Machine {
 public:
  Machine(Cursor& cursor, bool upper) : cursor_(cursor), upper_(upper) {}

  bool run(Numeral& out) {
    while (step()) {
    }
    return finish(out);
  }
  bool spans() const { return spans_; }

 private:
  bool step();
  bool take_digits();
  bool take_chinese_digit();
  bool take_some();
  bool take_twenty(char32_t c);
  bool take_zero();
  bool take_small(int exponent);
  bool take_big(int exponent);
  bool take_more();
  void settle_carry();
  bool finish(Numeral& out);
  Decimal pop_groups(int exponent, bool also_equal);

  bool pending() const { return width_ > 0; }
  void set_digit(Decimal value, int width) {
    digit_ = value;
    width_ = width;
    ++digit_tokens_;
    last_ = Token::kDigit;
  }

  Cursor& cursor_;
  bool upper_;
  bool spans_ = false;
  bool vague_ = false;  // 几, 多, 余

  struct Group {
    Decimal value;
    int exponent;
  };
  Group groups_[kMostGroups];
  int depth_ = 0;
  Decimal section_;    // the open section: 三千二百 of 三千二百万
  int limit_ = kBig;   // the next small unit must be below this
  Decimal digit_;      // a digit that no unit has closed yet
  int width_ = 0;      // its written digits, 0: none is open
  bool zero_ = false;  // 零 since the last unit
  int unit_ = 0;       // exponent of the last unit
  Token last_ = Token::kStart;
  int digit_tokens_ = 0;
  int zeros_ = 0;
  int total_exponent_ = 0;
  Decimal first_digit_;
  int first_width_ = 0;
  int scale_ = 0;
  Decimal mantissa_;
};

bool Machine::step() {
  const char32_t c = cursor_.peek();
  if (const int exponent = unit_exponent(c); exponent > 0)
    return exponent < kBig ? take_small(exponent) : take_big(exponent);
  if (last_ == Token::kMore) return false;
  if (is_ascii_digit(c)) return take_digits();
  if (c == U'零') return take_zero();
  if (chinese_digit(c) > 0) return take_chinese_digit();
  if (c == U'几' && last_ == Token::kDigit && width_ > 1) return take_more();
  if (c == U'几' || c == U'数') return take_some();
  if (c == U'廿' || c == U'卅' || c == U'卌') return take_twenty(c);
  if (c == U'多' || c == U'余' || c == U'来') return take_more();
  // 两个亿
  if (c == U'个' && pending() && unit_exponent(cursor_.peek(1)) >= kBig) {
    cursor_.skip();
    return true;
  }
  return false;
}

bool Machine::take_digits() {
  if (pending()) return false;
  Decimal value;
  const size_t start = cursor_.at();
  take_arabic_digits(cursor_, value);
  set_digit(value, static_cast<int>(cursor_.at() - start));
  return true;
}

bool Machine::take_chinese_digit() {
  if (pending()) return false;
  const char32_t first = cursor_.peek();
  const char32_t second = cursor_.peek(1);
  int digit = chinese_digit(first);
  if (chinese_digit(second) > 0) {
    if (!neighbours(first, second) || chinese_digit(cursor_.peek(2)) >= 0) return false;
    if (last_ == Token::kStart && unit_exponent(cursor_.peek(2)) == 0) return false;
    spans_ = true;
    if (upper_) digit = chinese_digit(second);
    cursor_.skip();
  }
  cursor_.skip();
  set_digit(digit, 1);
  return true;
}

/// 几十 is 10 to 100, 十几 is 10 to 20, 数 only as in 数十.
bool Machine::take_some() {
  const bool leads = last_ == Token::kStart;
  const bool before_unit = unit_exponent(cursor_.peek(1)) > 0;
  if (pending() || (leads && !before_unit) || (cursor_.peek() == U'数' && !before_unit))
    return false;
  cursor_.skip();
  spans_ = vague_ = true;
  set_digit(upper_ ? 10 : (leads ? 1 : 0), 1);
  return true;
}

bool Machine::take_twenty(char32_t c) {
  if (pending() || limit_ <= 1) return false;
  cursor_.skip();
  section_ = section_ + Decimal(c == U'廿' ? 20 : (c == U'卅' ? 30 : 40));
  limit_ = unit_ = 1;
  zero_ = false;
  ++digit_tokens_;
  last_ = Token::kSmall;
  return true;
}

bool Machine::take_zero() {
  if (pending()) {
    // 两万二零三: the two is thousands
    if (unit_ < kBig || zero_ || width_ != 1) return false;
    settle_carry();
  }
  cursor_.skip();
  zero_ = true;
  ++zeros_;
  last_ = Token::kZero;
  return true;
}

void Machine::settle_carry() {
  section_ = section_ + digit_.shifted(unit_ - 1);
  width_ = 0;
}

bool Machine::take_small(int exponent) {
  if (exponent >= limit_) return false;
  if (!pending()) {
    // 十五, 百三, 一百十六, 一千零十
    const bool implicit = last_ == Token::kStart || (exponent == 1 && last_ != Token::kMore);
    if (!implicit) return false;
    digit_ = Decimal(1);
  }
  if (digit_tokens_ == 1 && first_width_ == 0) {
    first_digit_ = digit_;
    first_width_ = width_;
  }
  cursor_.skip();
  section_ = section_ + digit_.shifted(exponent);
  width_ = 0;
  zero_ = false;
  limit_ = unit_ = exponent;
  total_exponent_ += exponent;
  last_ = Token::kSmall;
  return true;
}

Decimal Machine::pop_groups(int exponent, bool also_equal) {
  Decimal sum;
  while (depth_ > 0 && (groups_[depth_ - 1].exponent < exponent ||
                        (also_equal && groups_[depth_ - 1].exponent == exponent)))
    sum = sum + groups_[--depth_].value;
  return sum;
}

bool Machine::take_big(int exponent) {
  const bool direct = last_ == Token::kBig;
  Decimal value = section_ + (pending() ? digit_ : Decimal());
  if (last_ == Token::kStart) value = Decimal(1);
  if (value.zero() && !direct) return false;
  if (digit_tokens_ == 1 && first_width_ == 0 && pending()) {
    first_digit_ = digit_;
    first_width_ = width_;
  }
  value = value + pop_groups(exponent, direct);
  if (depth_ == kMostGroups || (depth_ > 0 && groups_[depth_ - 1].exponent <= exponent))
    return false;
  cursor_.skip();
  mantissa_ = direct ? mantissa_ : value;
  scale_ = direct ? scale_ + exponent : exponent;
  groups_[depth_++] = {value.shifted(exponent), exponent};
  section_ = Decimal();
  width_ = 0;
  zero_ = false;
  limit_ = kBig;
  unit_ = exponent;
  total_exponent_ += exponent;
  last_ = Token::kBig;
  return true;
}

/// 一千多万, 500余, 十来: up to one more of the last unit, or of the last digit that is no zero.
bool Machine::take_more() {
  int exponent = unit_;
  if (last_ == Token::kDigit) {
    const bool one_digit = width_ == 1 && unit_exponent(cursor_.peek(1)) == 0;
    if (unit_ > 0 || one_digit || cursor_.peek() == U'来') return false;
    for (exponent = 0; digit_.shifted(-exponent - 1).whole() && exponent < width_;) ++exponent;
  } else if (last_ != Token::kSmall && last_ != Token::kBig) {
    return false;
  }
  cursor_.skip();
  spans_ = vague_ = true;
  if (pending()) section_ = section_ + digit_;
  width_ = 0;
  if (upper_) section_ = section_ + Decimal(1).shifted(exponent);
  last_ = Token::kMore;
  return true;
}

bool Machine::finish(Numeral& out) {
  if (last_ == Token::kStart) return false;
  if (pending() && unit_ > 0 && !zero_) {
    if (width_ == 1) {
      settle_carry();
    } else if (width_ != unit_) {
      return false;
    }
  }
  if (pending()) section_ = section_ + digit_;
  if (last_ == Token::kZero && (unit_ > 0 || zeros_ > 1)) return false;
  const bool one_group = depth_ == 1 && section_.zero();
  out.low = section_ + pop_groups(kMostGroups * kBig, true);
  out.spans = spans_;
  out.approximate = vague_;
  if (last_ == Token::kBig && one_group) {
    out.scale = scale_;
    out.mantissa = mantissa_;
  }
  const bool lone = digit_tokens_ == 1 && zeros_ == 0 && !spans_ &&
                    (unit_ == 0 ? width_ == 1 : first_width_ == 1 && last_ != Token::kDigit);
  if (lone) out.lone_exponent = total_exponent_;
  if (out.scale == 0) out.mantissa = out.low;
  return true;
}

/// 3 or 4 when a separator and so many digits stand here (1,234,567 and 198,5604), else 0. White
/// space separates threes alone.
size_t group_size(const Cursor& cursor, char32_t separator) {
  if (cursor.peek() != separator || (separator != U',' && separator != U' ')) return 0;
  size_t digits = 0;
  while (is_ascii_digit(cursor.peek(digits + 1))) ++digits;
  return digits == 3 || (digits == 4 && separator == U',') ? digits : 0;
}

}  // namespace

bool neighbours(char32_t first, char32_t second) {
  const int a = chinese_digit(first);
  const int b = chinese_digit(second);
  return a > 0 && (b == a + 1 || (a == 3 && b == 5));
}

int take_arabic_digits(Cursor& cursor, Decimal& value) {
  int digits = 0;
  value = Decimal();
  const auto take = [&] {
    value = value.shifted(1) + Decimal(static_cast<int>(cursor.peek() - U'0'));
    cursor.skip();
    ++digits;
  };
  while (is_ascii_digit(cursor.peek())) take();
  const char32_t separator = cursor.peek();
  const size_t size = group_size(cursor, separator);
  if (size == 0 || digits > static_cast<int>(size)) return digits;
  do {
    cursor.skip();
    for (size_t i = 0; i < size; ++i) take();
  } while (group_size(cursor, separator) == size);
  return 0;
}

bool take_composed(Cursor& cursor, Numeral& out) {
  const size_t start = cursor.at();
  Machine machine(cursor, false);
  const bool arabic = is_ascii_digit(cursor.peek());
  if (!machine.run(out)) {
    cursor.go(start);
    return false;
  }
  out.high = out.low;
  if (machine.spans()) {
    Numeral upper;
    cursor.go(start);
    Machine(cursor, true).run(upper);
    out.high = upper.low;
  }
  out.arabic = arabic;
  return true;
}

bool take_small_composed(Cursor& cursor, Count& out) {
  const size_t start = cursor.at();
  Numeral numeral;
  if (!take_composed(cursor, numeral) || numeral.spans || numeral.low.integer_or(-1) < 0 ||
      numeral.low.integer_or(0) > 99999) {
    cursor.go(start);
    return false;
  }
  out.value = static_cast<int>(numeral.low.integer_or(0));
  out.digits = chinese_digit(cursor.since(start).front()) >= 0 && cursor.at() - start == 1 ? 1 : 0;
  return true;
}

}  // namespace seqgpt
