// SPDX-License-Identifier: Apache-2.0
// The microkernel: a tile of rows times panels of packed weights, one f32 sum an element, k in
// order.
#pragma once

namespace seqgpt::cpu {
namespace {

/// How one step of k runs for inputs X and weights W (float, or uint16_t for bf16): kDepth values
/// of k lie together in the packed weights, as kStored numbers W a column, and are taken in kParts
/// multiplications. `last` is for a step of which only `rest` values of k exist.
template <typename X, typename W>
struct Step;

template <>
struct Step<float, float> {
  static constexpr int kDepth = 1;
  static constexpr int kStored = 1;
  static constexpr int kParts = 1;
  using Weight = F32x16;
  using Input = F32x16;
  using Sum = F32x16;
  static SEQGPT_INLINE Weight weight(const float* w, int) { return load(w); }
  static SEQGPT_INLINE Input input(const float* x, int) { return splat(*x); }
  static SEQGPT_INLINE Input last(const float* x, int, int) { return splat(*x); }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Weight w, Input x) { return mul_add(x, w, sum); }
};

SEQGPT_INLINE float widen_one(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value = 0;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}
SEQGPT_INLINE float widen_one(float value) {
  return value;
}

template <>
struct Step<uint16_t, float> : Step<float, float> {
  static SEQGPT_INLINE Input input(const uint16_t* x, int) { return splat(widen_one(*x)); }
  static SEQGPT_INLINE Input last(const uint16_t* x, int, int) { return splat(widen_one(*x)); }
};

/// bf16 weights widened to f32: the even k of each pair, then the odd one.
template <typename X>
struct WidenedStep {
  static constexpr int kDepth = 2;
  static constexpr int kStored = 2;
  static constexpr int kParts = 2;
  using Weight = F32x16;
  using Input = F32x16;
  using Sum = F32x16;
  static SEQGPT_INLINE Weight weight(const uint16_t* w, int part) {
    return part == 0 ? even(load_pairs(w)) : odd(load_pairs(w));
  }
  static SEQGPT_INLINE Input input(const X* x, int part) { return splat(widen_one(x[part])); }
  static SEQGPT_INLINE Input last(const X* x, int part, int) {
    return splat(part == 0 ? widen_one(*x) : 0.0F);
  }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Weight w, Input x) { return mul_add(x, w, sum); }
};

template <>
struct Step<float, uint16_t> : WidenedStep<float> {};

#ifdef __AVX512BF16__
template <>
struct Step<uint16_t, uint16_t> {
  static constexpr int kDepth = 2;
  static constexpr int kStored = 2;
  static constexpr int kParts = 1;
  using Weight = Pairs;
  using Input = Pairs;
  using Sum = F32x16;
  static SEQGPT_INLINE Weight weight(const uint16_t* w, int) { return load_pairs(w); }
  static SEQGPT_INLINE Input input(const uint16_t* x, int) {
    int pair = 0;
    __builtin_memcpy(&pair, x, sizeof pair);
    return {_mm512_set1_epi32(pair)};
  }
  static SEQGPT_INLINE Input last(const uint16_t* x, int, int) { return {_mm512_set1_epi32(*x)}; }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Weight w, Input x) {
    return dot_pairs(sum, w, x);
  }
};
#else
template <>
struct Step<uint16_t, uint16_t> : WidenedStep<uint16_t> {};
#endif

template <typename S, bool kLast, typename X>
SEQGPT_INLINE typename S::Input step_input(const X* x, int part, int rest) {
  if constexpr (kLast) {
    return S::last(x, part, rest);
  } else {
    return S::input(x, part);
  }
}

template <typename X, typename W, int kRows, int kPanels, bool kLast>
SEQGPT_INLINE void multiply_step(const X* x, int64_t x_stride, const W* w, int rest,
                                 typename Step<X, W>::Sum (&sums)[kRows][kPanels]) {
  using S = Step<X, W>;
#pragma GCC unroll 8
  for (int part = 0; part < S::kParts; ++part) {
    if (kLast && part * (S::kDepth / S::kParts) >= rest) return;
    typename S::Weight weights[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) weights[p] = S::weight(w + p * kLanes * S::kStored, part);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const typename S::Input input = step_input<S, kLast>(x + r * x_stride, part, rest);
#pragma GCC unroll 8
      for (int p = 0; p < kPanels; ++p) sums[r][p] = S::multiply(sums[r][p], weights[p], input);
    }
  }
}

constexpr int kGroupColumns = kTilePanels * kLanes;
constexpr int kLineBytes = 64;
constexpr int kLinesAhead = kTilePanels >= 2 ? 2 : 1;

/// sums [rows, panels * 16] += x [rows, k] times panels of packed weights that lie side by side.
template <typename X, typename W>
struct Product {
  const X* x;
  int64_t x_stride;
  const W* w;
  int64_t w_step;  // values of W from one step of k to the next
  int64_t k;
  float* sums;
  int64_t sums_stride;
  const std::byte* ahead;  // memory wanted soon: kLinesAhead lines are fetched at each step of k
  int64_t ahead_step;      // bytes
};

template <typename X, typename W, int kRows, int kPanels>
inline void multiply_tile(const Product<X, W>& product) {
  constexpr int kDepth = Step<X, W>::kDepth;
  F32x16 tile[kRows][kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const float* row = product.sums + r * product.sums_stride;
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) tile[r][p] = load(row + p * kLanes);
  }
  const X* x = product.x;
  const W* w = product.w;
  const std::byte* ahead = product.ahead;
  for (int64_t steps = product.k / kDepth; steps > 0; --steps) {
    multiply_step<X, W, kRows, kPanels, false>(x, product.x_stride, w, 0, tile);
#pragma GCC unroll 2
    for (int line = 0; line < kLinesAhead; ++line) {
      __builtin_prefetch(ahead + line * kLineBytes, 0, 2);  // into L2
    }
    x += kDepth;
    w += product.w_step;
    ahead += product.ahead_step;
  }
  const int rest = static_cast<int>(product.k % kDepth);
  if (rest != 0) multiply_step<X, W, kRows, kPanels, true>(x, product.x_stride, w, rest, tile);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    float* row = product.sums + r * product.sums_stride;
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) store(row + p * kLanes, tile[r][p]);
  }
}

/// multiply_tile for a number of rows known at run time, 1..kRows.
template <typename X, typename W, int kPanels, int kRows = kTileRows>
inline void multiply_panels(int rows, const Product<X, W>& product) {
  if (rows == kRows) return multiply_tile<X, W, kRows, kPanels>(product);
  if constexpr (kRows > 1) multiply_panels<X, W, kPanels, kRows - 1>(rows, product);
}

/// The same for any number of panels.
template <typename X, typename W>
inline void multiply(int rows, int panels, Product<X, W> product) {
  const auto advance = [&](auto count) {
    constexpr int kPanels = decltype(count)::kValue;
    for (; panels >= kPanels; panels -= kPanels) {
      multiply_panels<X, W, kPanels>(rows, product);
      product.w += kPanels * kLanes * Step<X, W>::kStored;
      product.sums += kPanels * kLanes;
    }
  };
  if constexpr (kTilePanels >= 4) advance(Constant<4>{});
  if constexpr (kTilePanels >= 2) advance(Constant<2>{});
  advance(Constant<1>{});
}

}  // namespace
}  // namespace seqgpt::cpu
