// SPDX-License-Identifier: Apache-2.0
// Microkernels over int8 and int4 weights: a dot product of integers for each scale group, then one
// multiply-add by its scale.
//
// Few rows unpack the integers in registers; many rows share a block unpacked in scratch. Both run
// the same multiplications in the same order, hence give the same bits.
#pragma once

namespace seqgpt::cpu {
namespace {

template <typename W>
struct Quantised;
template <>
struct Quantised<int8_t> {
  static constexpr DType kType = DType::kI8;
};
template <>
struct Quantised<Int4x8> {
  static constexpr DType kType = DType::kI4;
};

/// int8 and int4 as f32, one k at a time.
template <typename X, int depth>
struct WidenedIntegers {
  static constexpr int kDepth = depth;
  static constexpr int kParts = depth;
  using Weight = F32x16;
  using Input = F32x16;
  using Unpacked = float;
  static SEQGPT_INLINE Input input(const X* x, int part) { return splat(widen_one(x[part])); }
  static SEQGPT_INLINE Input last(const X* x, int part, int) { return input(x, part); }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Weight w, Input x) { return mul_add(x, w, sum); }
};

template <typename X>
struct WidenedBytes : WidenedIntegers<X, 2> {
  static constexpr int kStored = 2;
  static SEQGPT_INLINE F32x16 weight(const int8_t* w, int part) {
    return load_int8(w + part * kLanes);
  }
};
template <typename X>
struct WidenedNibbles : WidenedIntegers<X, 8> {
  static constexpr int kStored = 1;
  static SEQGPT_INLINE F32x16 weight(const Int4x8* w, int part) {
    return nibble(load_nibbles(w), part);
  }
};

template <>
struct Step<float, int8_t> : WidenedBytes<float> {};
template <>
struct Step<float, Int4x8> : WidenedNibbles<float> {};

#ifdef __AVX512BF16__
/// int8 and int4 as bf16, two k at a time.
template <int depth>
struct PairedIntegers {
  static constexpr int kDepth = depth;
  static constexpr int kParts = depth / 2;
  using Weight = Pairs;
  using Input = Pairs;
  using Unpacked = uint16_t;
  static SEQGPT_INLINE Input input(const uint16_t* x, int part) {
    return Step<uint16_t, uint16_t>::input(x + 2 * part, 0);
  }
  static SEQGPT_INLINE Input last(const uint16_t* x, int part, int rest) {
    return 2 * part + 1 < rest ? input(x, part)
                               : Step<uint16_t, uint16_t>::last(x + 2 * part, 0, 1);
  }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Weight w, Input x) {
    return dot_pairs(sum, w, x);
  }
};

template <>
struct Step<uint16_t, int8_t> : PairedIntegers<2> {
  static constexpr int kStored = 2;
  static SEQGPT_INLINE Weight weight(const int8_t* w, int) {
    return exact_pairs(load_int8(w), load_int8(w + kLanes));
  }
};
template <>
struct Step<uint16_t, Int4x8> : PairedIntegers<8> {
  static constexpr int kStored = 1;
  static SEQGPT_INLINE Weight weight(const Int4x8* w, int part) {
    return nibble_pair(load_nibbles(w), part);
  }
};
#else
template <>
struct Step<uint16_t, int8_t> : WidenedBytes<uint16_t> {};
template <>
struct Step<uint16_t, Int4x8> : WidenedNibbles<uint16_t> {};
#endif

/// Rows of a tile: half as many as for plain weights, as both sums and dot products take registers.
constexpr int kScaledRows = (kTileRows + 1) / 2;

/// sums [rows, kGroupColumns] += scale groups of x [rows, k] times integers (packed W, or
/// unpacked).
template <typename X, typename W>
struct ScaledProduct {
  const X* x;
  int64_t x_stride;
  const W* weights;        // of the first scale group
  int64_t weights_step;    // bytes from one scale group to the next
  const uint16_t* scales;  // [kGroupColumns] bf16 of the first scale group
  int64_t scales_step;     // bytes
  int64_t k;
  float* sums;
};

/// One scale group, of which k values exist. Nothing is fetched ahead: the hardware does it better
/// at these rates.
template <typename X, typename W, int kRows>
SEQGPT_INLINE void dot_group(const X* x, int64_t x_stride, const W* w, int64_t k,
                             F32x16 (&dots)[kRows][kTilePanels]) {
  constexpr int kDepth = Step<X, W>::kDepth;
  for (int64_t steps = k / kDepth; steps > 0; --steps) {
    multiply_step<X, W, kRows, kTilePanels, false>(x, x_stride, w, 0, dots);
    x += kDepth;
    w += kGroupColumns * Step<X, W>::kStored;
  }
  const int rest = static_cast<int>(k % kDepth);
  if (rest > 0) multiply_step<X, W, kRows, kTilePanels, true>(x, x_stride, w, rest, dots);
}

template <DType kType, typename X, typename W, int kRows>
inline void multiply_scaled_tile(const ScaledProduct<X, W>& product) {
  constexpr int kGroup = scale_group(kType);
  const auto* weights = reinterpret_cast<const std::byte*>(product.weights);
  const auto* scales = reinterpret_cast<const std::byte*>(product.scales);
  F32x16 sums[kRows][kTilePanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      sums[r][p] = load(product.sums + r * kGroupColumns + p * kLanes);
    }
  }
  for (int64_t k = 0; k < product.k; k += kGroup) {
    F32x16 dots[kRows][kTilePanels];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) dots[r][p] = splat(0);
    }
    const int64_t depth = product.k - k < kGroup ? product.k - k : kGroup;
    dot_group<X, W, kRows>(product.x + k, product.x_stride, reinterpret_cast<const W*>(weights),
                           depth, dots);
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      const F32x16 scale = load_bf16(reinterpret_cast<const uint16_t*>(scales) + p * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sums[r][p] = mul_add(dots[r][p], scale, sums[r][p]);
    }
    weights += product.weights_step;
    scales += product.scales_step;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      store(product.sums + r * kGroupColumns + p * kLanes, sums[r][p]);
    }
  }
}

/// multiply_scaled_tile for a number of rows known at run time, 1..kRows.
template <DType kType, typename X, typename W, int kRows = kScaledRows>
inline void multiply_scaled(int rows, const ScaledProduct<X, W>& product) {
  if (rows == kRows) return multiply_scaled_tile<kType, X, W, kRows>(product);
  if constexpr (kRows > 1) multiply_scaled<kType, X, W, kRows - 1>(rows, product);
}

/// The integers of scale groups that hold k values of k, as Step<X, Unpacked> reads them.
template <typename X, typename W>
inline void unpack(const std::byte* groups, int64_t k, typename Step<X, W>::Unpacked* to) {
  using S = Step<X, W>;
  constexpr DType kType = Quantised<W>::kType;
  constexpr int64_t kBytes = scale_group_bytes(kType, kGroupColumns);
  for (; k > 0; k -= scale_group(kType), groups += kBytes) {
    const auto* w = reinterpret_cast<const W*>(groups + kGroupColumns * sizeof(uint16_t));
    for (int i = 0; i < scale_group(kType); i += S::kDepth) {
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) {
#pragma GCC unroll 8
        for (int part = 0; part < S::kParts; ++part) {
          constexpr int kWidth = S::kDepth / S::kParts;
          store(to + (part * kGroupColumns + p * kLanes) * kWidth,
                S::weight(w + p * kLanes * S::kStored, part));
        }
      }
      w += kGroupColumns * S::kStored;
      to += kGroupColumns * S::kDepth;
    }
  }
}

}  // namespace
}  // namespace seqgpt::cpu
