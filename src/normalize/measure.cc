// SPDX-License-Identifier: Apache-2.0
// Signs, fractions and shared units.
#include "normalize/measure.h"

#include <utility>

namespace seqgpt {
namespace {

bool take_sign(Cursor& cursor) {
  if (cursor.take_any({U"负的", U"负", U"零下", U"-"})) return true;
  cursor.take(U'+');
  return false;
}

void negate(Quantity& out) {
  Numeral& numeral = out.numeral;
  numeral.low = -numeral.low;
  numeral.high = -numeral.high;
  numeral.mantissa = -numeral.mantissa;
  std::swap(numeral.low, numeral.high);
  numeral.lone_exponent = -1;
  if (!out.fraction.empty()) out.fraction.insert(0, "-");
}

void set_exact(Numeral& numeral, const Decimal& value) {
  numeral = Numeral();
  numeral.low = numeral.high = numeral.mantissa = value;
}

/// 五分之二 behind the five, 1/3 behind the one: `first` is what was read before.
bool take_rest_of_fraction(Cursor& cursor, const Decimal& first, Decimal& above, Decimal& below) {
  Numeral second;
  if (cursor.take(U"分之")) {
    if (!take_numeral(cursor, second)) return false;
    above = second.low;
    below = first;
    return !second.spans;
  }
  if (!cursor.take(U'/') || !take_numeral(cursor, second) || second.spans) return false;
  above = first;
  below = second.low;
  return true;
}

bool take_fraction_tail(Cursor& cursor, Quantity& out) {
  const bool mixed = cursor.take(U'又');
  Decimal whole;
  Decimal first = out.low();
  if (mixed) {
    Numeral next;
    if (!take_numeral(cursor, next) || next.spans) return false;
    whole = out.low();
    first = next.low;
  }
  Decimal above;
  Decimal below;
  if (!take_rest_of_fraction(cursor, first, above, below) || below.zero()) return false;
  if (above.whole() && below.whole())
    out.fraction = (mixed ? whole.text() + " " : "") + above.text() + "/" + below.text();
  set_exact(out.numeral, whole + quotient(above, below));
  return true;
}

}  // namespace

Decimal quotient(const Decimal& above, const Decimal& below) {
  constexpr int kExactPlaces = 20;
  constexpr int kRoundedPlaces = 9;
  const Decimal exact = above.divided(below, kExactPlaces);
  if (exact.fits()) {
    const Decimal back = exact * below;
    if (back.fits() && back.compare(above) == 0) return exact;
  }
  return above.divided(below, kRoundedPlaces);
}

bool take_signed(Cursor& cursor, Quantity& out) {
  const size_t start = cursor.at();
  const bool minus = take_sign(cursor);
  if (!take_numeral(cursor, out.numeral)) {
    cursor.go(start);
    return false;
  }
  if (minus) negate(out);
  return true;
}

bool take_number(Cursor& cursor, Quantity& out) {
  const size_t start = cursor.at();
  const bool minus = take_sign(cursor);
  if (cursor.take(U"半百")) {
    set_exact(out.numeral, Decimal(50));
  } else if (!take_numeral(cursor, out.numeral)) {
    cursor.go(start);
    return false;
  }
  const bool fraction = cursor.peek() == U'又' || cursor.peek() == U'/' || cursor.sees(U"分之");
  if (fraction && (out.numeral.spans || !take_fraction_tail(cursor, out))) {
    cursor.go(start);
    return false;
  }
  if (minus) negate(out);
  return true;
}

void share_units(Quantity& low, const Quantity& high) {
  Numeral& a = low.numeral;
  const Numeral& b = high.numeral;
  if (!a.low.fits() || !b.low.fits()) return;
  const auto lift = [&a](int exponent) {
    a.low = a.low.shifted(exponent);
    a.high = a.high.shifted(exponent);
  };
  if (a.lone_exponent == 0 && b.lone_exponent > 0) {
    if (a.low.compare(b.low.shifted(-b.lone_exponent)) < 0) lift(b.lone_exponent);
  } else if (a.scale == 0 && b.scale > 0 && a.low.compare(b.mantissa) < 0) {
    lift(b.scale);
  }
}

}  // namespace seqgpt
