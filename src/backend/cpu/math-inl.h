// SPDX-License-Identifier: Apache-2.0
// exp and GELU on vectors: our own, so that no library's choice of the day reaches an answer.
#pragma once

namespace seqgpt::cpu {
namespace {

/// e^x to about 1e-7 relative for x in [-87, 88]; x is clamped there (NaN stays NaN). exp(0) is 1.
/// Source: Cephes expf: x = n ln 2 + r, a polynomial in r, the power of two by the exponent bits.
SEQGPT_INLINE F32x16 exp(F32x16 x) {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = min(splat(88.0F), max(splat(-87.0F), x));
  const F32x16 shifted = mul_add(x, splat(1.44269504F), splat(kShift));
  const F32x16 n = sub(shifted, splat(kShift));
  F32x16 r = mul_add(n, splat(-0.693359375F), x);
  r = mul_add(n, splat(2.12194440e-4F), r);
  F32x16 p = splat(1.9875691500e-4F);
  p = mul_add(p, r, splat(1.3981999507e-3F));
  p = mul_add(p, r, splat(8.3334519073e-3F));
  p = mul_add(p, r, splat(4.1665795894e-2F));
  p = mul_add(p, r, splat(1.6666665459e-1F));
  p = mul_add(p, r, splat(5.0000001201e-1F));
  p = add(mul_add(p, mul(r, r), r), splat(1.0F));
  return scale_by_power(p, shifted);
}

/// v / 2 (1 + tanh(u)), u = 0.79788456 v (1 + 0.044715 v^2), written as v / (1 + e^(-2u)): the same
/// function, and exact to rounding where 1 + tanh(u) would cancel.
SEQGPT_INLINE F32x16 gelu(F32x16 v) {
  const F32x16 inner = mul_add(mul(splat(0.044715F), v), v, splat(1.0F));
  const F32x16 minus_2u = mul(mul(splat(-2.0F * 0.79788456F), v), inner);
  return div(v, add(splat(1.0F), exp(minus_2u)));
}

template <typename Function>
SEQGPT_INLINE void map_array(const float* x, float* y, int64_t count, Function function) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(y + i, function(load(x + i)));
  const int rest = static_cast<int>(count - i);
  if (rest > 0) store_partial(y + i, function(load_partial(x + i, rest)), rest);
}

inline void exp_array(const float* x, float* y, int64_t count) {
  map_array(x, y, count, [](F32x16 v) { return exp(v); });
}

inline void gelu_array(const float* x, float* y, int64_t count) {
  map_array(x, y, count, [](F32x16 v) { return gelu(v); });
}

}  // namespace
}  // namespace seqgpt::cpu
