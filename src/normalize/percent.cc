// SPDX-License-Identifier: Apache-2.0
// The grammar of percentages, and of tenths and discounts.
#include "normalize/measure.h"
#include "normalize/number.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotPercent = "not_a_percent";

/// How a figure says its share: the power of ten that makes it percent. kNone: it does not say.
enum class Unit { kNone, kPercent, kPermille, kTenths, kDiscount, kBasisPoints, kRatio };

struct Share {
  Quantity quantity;
  Unit unit = Unit::kNone;
  Decimal below;  // the 100 of 百分之, for kRatio
};

void scale(Share& share, int exponent) {
  Numeral& numeral = share.quantity.numeral;
  numeral.low = numeral.low.shifted(exponent);
  numeral.high = numeral.high.shifted(exponent);
}

Unit take_unit(Cursor& cursor) {
  if (cursor.take_any({U"%", U"个百分点", U"百分点", U"pct"})) return Unit::kPercent;
  if (cursor.take(U'‰')) return Unit::kPermille;
  if (cursor.take(U'成')) return Unit::kTenths;
  if (cursor.take(U'折')) return Unit::kDiscount;
  if (cursor.take_any({U"个基点", U"基点", U"个bp", U"bp", U"BP"})) return Unit::kBasisPoints;
  return Unit::kNone;
}

/// From the figure as written to percent. 75折 and 七五折 are 75, 7.5折 and 九折 are 75 and 90.
void apply(Share& share) {
  switch (share.unit) {
    case Unit::kPermille:
      return scale(share, -1);
    case Unit::kTenths:
      return scale(share, 1);
    case Unit::kBasisPoints:
      return scale(share, -2);
    case Unit::kDiscount:
      if (share.quantity.low().compare(Decimal(10)) <= 0) scale(share, 1);
      return;
    case Unit::kRatio: {
      Numeral& numeral = share.quantity.numeral;
      numeral.low = quotient(numeral.low.shifted(2), share.below);
      numeral.high = quotient(numeral.high.shifted(2), share.below);
      return;
    }
    case Unit::kNone:
    case Unit::kPercent:
      return;
  }
}

/// 百分之…, 千分之…, 100分之…, 百分三十: the figure behind 分之.
bool take_ratio(Cursor& cursor, Share& share, bool minus) {
  const size_t start = cursor.at();
  Numeral below;
  if (!take_numeral(cursor, below) || below.spans || below.low.zero() || !cursor.take(U'分')) {
    cursor.go(start);
    return false;
  }
  const bool spoken = cursor.take(U'之');
  minus = cursor.take(U'负') || minus;
  if ((!spoken && below.low.integer_or(0) != 100) ||
      !take_numeral(cursor, share.quantity.numeral)) {
    cursor.go(start);
    return false;
  }
  share.unit = Unit::kRatio;
  share.below = below.low;
  if (minus) {
    Numeral& numeral = share.quantity.numeral;
    numeral.low = -numeral.low;
    numeral.high = -numeral.high;
  }
  return true;
}

/// 三成半, 七成六: the half or the digit behind 成.
void take_hundredths(Cursor& cursor, Share& share) {
  Numeral& numeral = share.quantity.numeral;
  Decimal more;
  Numeral digit;
  const size_t start = cursor.at();
  if (cursor.take(U'半')) {
    more = Decimal(5, 1);
  } else if (take_numeral(cursor, digit) && digit.lone_exponent == 0) {
    more = digit.low.shifted(-1);
  } else {
    cursor.go(start);
  }
  numeral.low = numeral.low + more;
  numeral.high = numeral.high + more;
}

bool take_share(Cursor& cursor, Share& share) {
  const size_t start = cursor.at();
  if (cursor.take_any({U"对折", U"半价"})) {
    share.quantity.numeral.low = share.quantity.numeral.high = Decimal(50);
    share.unit = Unit::kPercent;
    return true;
  }
  const bool minus = cursor.take_any({U"负的", U"负", U"-"});
  if (take_ratio(cursor, share, minus)) return true;
  cursor.go(start);
  if (!take_signed(cursor, share.quantity)) return false;
  share.unit = take_unit(cursor);
  if (share.unit == Unit::kTenths) take_hundredths(cursor, share);
  return true;
}

Normalized value_of(const Share& low, const Share& high, bool range, const Wording& wording) {
  Normalized out{.kind = "percent", .fields = {}, .flat = {}, .reason = {}};
  const Decimal& first = low.quantity.low();
  const Decimal& last = high.quantity.high();
  if (!first.fits() || !last.fits()) return no_value("too_many_digits");
  const bool spans = range || low.quantity.numeral.spans;
  if (spans && first.compare(last) > 0) return no_value("low_above_high");
  if (spans) {
    out.add("low", first.text());
    out.add("high", last.text());
    out.flat = {Flat::Shape::kLowHigh, first.text(), last.text()};
  } else {
    out.add("value", first.text());
    out.flat = {Flat::Shape::kNumber, first.text(), {}};
  }
  if (wording.approximate || wording.nearly || (spans && !range)) out.add("approx", true);
  if (wording.any_bound()) out.add("bound", wording.bound_name());
  return out;
}

/// The end without a unit takes the other's: 5-20%, 百分之三十到四十一.
bool agree(Share& low, Share& high) {
  if (low.unit == Unit::kNone) {
    if (high.unit == Unit::kRatio) return false;
    low.unit = high.unit;
  }
  if (high.unit == Unit::kNone) {
    high.unit = low.unit;
    high.below = low.below;
  }
  return low.unit != Unit::kNone;
}

}  // namespace

Normalized normalize_percent(Folded text) {
  Cursor cursor(text);
  Wording wording;
  take_wording_before(cursor, wording);
  cursor.take(U'打');
  Share low;
  if (!take_share(cursor, low)) return no_value(kNotPercent);
  Share high;
  bool range = take_range_mark(cursor);
  if (range && !take_share(cursor, high)) return no_value(kNotPercent);
  if (!range) high = low;
  if (cursor.take_any({U"多", U"余"})) wording.approximate = true;
  cursor.take_any({U"之间", U"间"});
  take_wording_after(cursor, wording);
  if (!range && !cursor.at_end() && wording.bound == Wording::Bound::kAbove) {
    Wording upper;  // 百分之十以上百分之三十以下
    range = take_share(cursor, high);
    take_wording_after(cursor, upper);
    if (upper.bound != Wording::Bound::kBelow) return no_value(kNotPercent);
    wording.bound = Wording::Bound::kNone;
  }
  if (!cursor.at_end() || !agree(low, high)) return no_value(kNotPercent);
  apply(low);
  apply(high);
  return value_of(low, high, range, wording);
}

}  // namespace seqgpt
