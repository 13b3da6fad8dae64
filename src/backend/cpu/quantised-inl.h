// SPDX-License-Identifier: Apache-2.0
// Microkernels over int8 and int4 weights: inputs become 16-bit integers, dot products of integers
// run within a scale group, exactly, and sums of floats over the groups.
//
// Few rows unpack the weights in registers; many rows share a block unpacked in scratch. Integer
// sums have no order, so both give the same bits.
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

/// 16-bit inputs times integer weights, two k at a time, into 32-bit sums: exact, in any order. The
/// largest, of kInputGroup weights of 2^7 and inputs of 2^14, stay below 2^29.
template <int depth>
struct IntegerStep {
  static constexpr int kDepth = depth;
  static constexpr int kParts = depth / 2;
  using Weight = Pairs;
  using Input = Pairs;
  using Sum = I32x16;
  static SEQGPT_INLINE Input input(const int16_t* x, int part) { return splat_pair(x + 2 * part); }
  static SEQGPT_INLINE Sum multiply(Sum sum, Weight w, Input x) { return dot_integers(sum, w, x); }
};

template <>
struct Step<int16_t, int8_t> : IntegerStep<2> {
  static constexpr int kStored = 2;
  static SEQGPT_INLINE Weight weight(const int8_t* w, int) { return widen_bytes(w); }
};
template <>
struct Step<int16_t, Int4x8> : IntegerStep<8> {
  static constexpr int kStored = 1;
  static SEQGPT_INLINE Weight weight(const Int4x8* w, int part) {
    return nibble_pair(load_nibbles(w), part);
  }
};
/// Either of them unpacked.
template <>
struct Step<int16_t, int16_t> : IntegerStep<2> {
  static constexpr int kStored = 2;
  static SEQGPT_INLINE Weight weight(const int16_t* w, int) {
    return in_register(load_integers(w));
  }
};

/// Rows of a tile: half as many as for plain weights, as both sums and dot products take registers.
constexpr int kScaledRows = (kTileRows + 1) / 2;

/// sums [rows, kGroupColumns] += x [rows, k] times integers (packed W, or unpacked).
template <typename W>
struct ScaledProduct {
  const int16_t* x;
  int64_t x_stride;
  const float* x_scales;  // of the first input group
  int64_t x_scales_stride;
  const int32_t* x_sums;   // kInputSums times as many
  const W* weights;        // of the first scale group
  int64_t weights_step;    // bytes from one scale group to the next
  const uint16_t* scales;  // [kGroupColumns] bf16 of the first scale group
  int64_t scales_step;     // bytes
  int64_t k;
  float* sums;
};

/// What takes the 8 of Int4x8 off a dot product, for the row's scale group of number `group`.
template <DType kType>
SEQGPT_INLINE int32_t correction(const int32_t* x_sums, int64_t group) {
  return kType == DType::kI4 ? -8 * x_sums[group] : 0;
}

/// dots += the dot products of one scale group. Nothing is fetched ahead: the hardware does it
/// better at these rates.
template <DType kType, typename W, int kRows>
SEQGPT_INLINE void dot_group(const int16_t* x, int64_t x_stride, const W* w,
                             I32x16 (&dots)[kRows][kTilePanels]) {
  using S = Step<int16_t, W>;
  for (int k = 0; k < scale_group(kType); k += S::kDepth) {
    multiply_step<int16_t, W, kRows, kTilePanels, false>(x, x_stride, w, 0, dots);
    x += S::kDepth;
    w += kGroupColumns * S::kStored;
  }
}

/// parts += over the scale groups of one input group, scale times dot product.
template <DType kType, typename W, int kRows>
SEQGPT_INLINE void add_input_group(const ScaledProduct<W>& product, int64_t k,
                                   F32x16 (&parts)[kRows][kTilePanels]) {
  const int64_t first = k / scale_group(kType);
  const auto* weights =
      reinterpret_cast<const std::byte*>(product.weights) + first * product.weights_step;
  const auto* scales =
      reinterpret_cast<const std::byte*>(product.scales) + first * product.scales_step;
  for (int64_t i = k; i < k + kInputGroup && i < product.k; i += scale_group(kType)) {
    I32x16 dots[kRows][kTilePanels];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const int32_t* sums = product.x_sums + r * product.x_scales_stride * kInputSums;
      const int32_t first_sum = correction<kType>(sums, i / scale_group(kType));
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) dots[r][p] = splat_sum(first_sum);
    }
    dot_group<kType, W, kRows>(product.x + i, product.x_stride, reinterpret_cast<const W*>(weights),
                               dots);
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      const F32x16 scale = load_bf16(reinterpret_cast<const uint16_t*>(scales) + p * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        parts[r][p] = mul_add(to_floats(dots[r][p]), scale, parts[r][p]);
      }
    }
    weights += product.weights_step;
    scales += product.scales_step;
  }
}

template <DType kType, typename W, int kRows>
inline void multiply_scaled_tile(const ScaledProduct<W>& product) {
  for (int64_t k = 0; k < product.k; k += kInputGroup) {
    F32x16 parts[kRows][kTilePanels];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) parts[r][p] = splat(0);
    }
    add_input_group<kType, W, kRows>(product, k, parts);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const F32x16 scale = splat(product.x_scales[r * product.x_scales_stride + k / kInputGroup]);
      float* row = product.sums + r * kGroupColumns;
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) {
        store(row + p * kLanes, mul_add(parts[r][p], scale, load(row + p * kLanes)));
      }
    }
  }
}

/// multiply_scaled_tile for a number of rows known at run time, 1..kRows.
template <DType kType, typename W, int kRows = kScaledRows>
inline void multiply_scaled(int rows, const ScaledProduct<W>& product) {
  if (rows == kRows) return multiply_scaled_tile<kType, W, kRows>(product);
  if constexpr (kRows > 1) multiply_scaled<kType, W, kRows - 1>(rows, product);
}

/// The integers of scale groups that hold k values of k, as Step<int16_t, int16_t> reads them.
template <typename W>
inline void unpack(const std::byte* groups, int64_t k, int16_t* to) {
  using S = Step<int16_t, W>;
  constexpr DType kType = Quantised<W>::kType;
  constexpr int64_t kBytes = scale_group_bytes(kType, kGroupColumns);
  for (; k > 0; k -= scale_group(kType), groups += kBytes) {
    const auto* w = reinterpret_cast<const W*>(groups + kGroupColumns * sizeof(uint16_t));
    for (int i = 0; i < scale_group(kType); i += S::kDepth) {
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) {
#pragma GCC unroll 8
        for (int part = 0; part < S::kParts; ++part) {
          store(to + (part * kGroupColumns + p * kLanes) * 2,
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
