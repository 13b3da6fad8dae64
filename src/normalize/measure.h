// SPDX-License-Identifier: Apache-2.0
// A signed quantity, and how the two ends of a range share their units.
#pragma once

#include <optional>
#include <string>

#include "normalize/numerals.h"

namespace seqgpt {

/// A numeral with its sign and, for numbers, its fraction.
struct Quantity {
  Numeral numeral;
  std::string fraction;  // "1/3", "1 1/2", empty when it is none

  const Decimal& low() const { return numeral.low; }
  const Decimal& high() const { return numeral.high; }
  bool fits() const { return numeral.low.fits() && numeral.high.fits(); }
};

/// [-负] numeral
bool take_signed(Cursor& cursor, Quantity& out);
/// [-负] numeral, 五分之一, 1/3, 一又二分之一, 半百
bool take_number(Cursor& cursor, Quantity& out);

/// 两到三万, 10~15k, 两~3百: the lower end takes the units of the upper one when it has none of its
/// own and is the smaller figure.
void share_units(Quantity& low, const Quantity& high);

/// above / below: exact when the quotient ends within 20 decimals, else to 9.
Decimal quotient(const Decimal& above, const Decimal& below);

}  // namespace seqgpt
