// SPDX-License-Identifier: Apache-2.0
// Decimal: an exact decimal number of up to 38 digits; what does not fit says so and stays so.
#pragma once

#include <cstdint>
#include <string>

namespace seqgpt {

__extension__ using Int128 = __int128;

/// unscaled / 10^scale, exact. A result that leaves 38 digits (or 60 decimals) is not fits(), and
/// neither is anything computed from it, so one check at the end is enough.
class Decimal {
 public:
  Decimal() = default;
  Decimal(Int128 unscaled, int scale = 0) : unscaled_(unscaled), scale_(scale) {}

  bool fits() const { return fits_; }
  bool negative() const { return unscaled_ < 0; }
  bool zero() const { return unscaled_ == 0; }
  bool whole() const { return trimmed().scale_ <= 0; }
  /// The value as int64_t, or `otherwise` when it is no whole number of that range.
  int64_t integer_or(int64_t otherwise) const;

  Decimal operator-() const;
  Decimal operator+(const Decimal& other) const;
  Decimal operator-(const Decimal& other) const { return *this + -other; }
  Decimal operator*(const Decimal& other) const;
  /// 10^exponent times this; exponent may be negative.
  Decimal shifted(int exponent) const;
  /// this / other to `places` decimals, half away from zero; other = 0 does not fit.
  Decimal divided(const Decimal& other, int places) const;
  int compare(const Decimal& other) const;  // -1, 0, 1; both must fit

  /// Plain digits without an exponent; trailing zeros cut, but at least `decimals` of them kept.
  std::string text(int decimals = 0) const;

 private:
  static Decimal overflow();
  Decimal trimmed() const;
  Decimal rescaled(int scale) const;

  Int128 unscaled_ = 0;
  int scale_ = 0;
  bool fits_ = true;
};

}  // namespace seqgpt
