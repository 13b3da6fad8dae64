// SPDX-License-Identifier: Apache-2.0
// Exact decimal arithmetic on 128-bit integers with overflow checks.
#include "normalize/decimal.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr int kMaxScale = 60;

/// a * 10^exponent; false when it overflows.
bool times_power(Int128& value, int exponent) {
  for (; exponent > 0 && value != 0; --exponent) {
    if (__builtin_mul_overflow(value, Int128{10}, &value)) return false;
  }
  return true;
}

}  // namespace

Decimal Decimal::overflow() {
  Decimal none;
  none.fits_ = false;
  return none;
}

Decimal Decimal::trimmed() const {
  Decimal out = *this;
  if (out.unscaled_ == 0) out.scale_ = 0;
  for (; out.scale_ > 0 && out.unscaled_ % 10 == 0; --out.scale_) out.unscaled_ /= 10;
  return out;
}

Decimal Decimal::rescaled(int scale) const {
  Decimal out = *this;
  if (scale > kMaxScale || !times_power(out.unscaled_, scale - scale_)) return overflow();
  out.scale_ = scale;
  return out;
}

int64_t Decimal::integer_or(int64_t otherwise) const {
  const Decimal plain = trimmed().rescaled(0);
  if (!fits_ || trimmed().scale_ > 0 || !plain.fits_) return otherwise;
  const bool small = plain.unscaled_ >= INT64_MIN && plain.unscaled_ <= INT64_MAX;
  return small ? static_cast<int64_t>(plain.unscaled_) : otherwise;
}

Decimal Decimal::operator-() const {
  Decimal out = *this;
  if (__builtin_sub_overflow(Int128{0}, unscaled_, &out.unscaled_)) return overflow();
  return out;
}

Decimal Decimal::operator+(const Decimal& other) const {
  if (!fits_ || !other.fits_) return overflow();
  const int scale = std::max(scale_, other.scale_);
  const Decimal a = rescaled(scale);
  const Decimal b = other.rescaled(scale);
  Decimal out(0, scale);
  if (!a.fits_ || !b.fits_ || __builtin_add_overflow(a.unscaled_, b.unscaled_, &out.unscaled_))
    return overflow();
  return out;
}

Decimal Decimal::operator*(const Decimal& other) const {
  if (!fits_ || !other.fits_) return overflow();
  const Decimal a = trimmed();
  const Decimal b = other.trimmed();
  Decimal out(0, a.scale_ + b.scale_);
  if (out.scale_ > kMaxScale || __builtin_mul_overflow(a.unscaled_, b.unscaled_, &out.unscaled_))
    return overflow();
  return out;
}

Decimal Decimal::shifted(int exponent) const {
  if (!fits_) return *this;
  Decimal out = *this;
  out.scale_ -= exponent;
  if (out.scale_ > kMaxScale) return overflow();
  return out.scale_ >= 0 ? out : out.rescaled(0);
}

Decimal Decimal::divided(const Decimal& other, int places) const {
  if (!fits_ || !other.fits_ || other.zero()) return overflow();
  const int scale = std::max(scale_, other.scale_);
  const Decimal below = other.rescaled(scale);
  Decimal above = rescaled(scale);
  if (!above.fits_ || !below.fits_ || !times_power(above.unscaled_, places)) return overflow();
  Int128 quotient = above.unscaled_ / below.unscaled_;
  const Int128 rest = above.unscaled_ % below.unscaled_;
  const Int128 magnitude = rest < 0 ? -rest : rest;
  const Int128 divisor = below.unscaled_ < 0 ? -below.unscaled_ : below.unscaled_;
  if (magnitude >= divisor - magnitude)
    quotient += (above.unscaled_ < 0) == (below.unscaled_ < 0) ? 1 : -1;
  return Decimal(quotient, places).trimmed();
}

int Decimal::compare(const Decimal& other) const {
  const Decimal difference = *this - other;
  return difference.unscaled_ < 0 ? -1 : difference.unscaled_ > 0;
}

std::string Decimal::text(int decimals) const {
  const Decimal shown = trimmed();
  const int places = std::max(shown.scale_, 0);
  Int128 rest = shown.unscaled_ < 0 ? -shown.unscaled_ : shown.unscaled_;
  std::string out;
  const auto put = [&out](char c) { out.push_back(c); };
  for (int i = places; i < decimals; ++i) put('0');
  for (int i = 0; i < places || rest != 0 || i == places; ++i) {
    if (i == places && (places > 0 || decimals > 0)) put('.');
    put(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  if (shown.unscaled_ < 0) put('-');
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace seqgpt
