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
/// largest, of kScaleGroup weights of 8 x 127 and inputs of 2^14, stay below 2^31.
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

/// Bytes that a tile fetches ahead while it multiplies a scale group: half of what int8 takes.
constexpr int64_t kGroupFetches = int64_t{kScaleGroup} / 2 * kGroupColumns;

/// sums [rows, kGroupColumns] += x [rows, k] times integers (packed W, or unpacked).
template <typename W>
struct ScaledProduct {
  const int16_t* x;
  int64_t x_stride;
  const float* x_scales;  // of the first scale group
  int64_t x_scales_stride;
  const int32_t* x_sums;   // kSubgroups times as many
  const W* weights;        // of the first scale group; int4 multipliers stand before them
  int64_t weights_step;    // bytes from one scale group to the next
  const uint16_t* scales;  // [kGroupColumns] bf16 of the first scale group
  int64_t scales_step;     // bytes
  int64_t k;
  float* sums;
  const std::byte* ahead;  // memory wanted soon, kGroupFetches for each scale group; or nullptr

  /// The same from scale group `group` on.
  ScaledProduct from(int64_t group) const {
    ScaledProduct rest = *this;
    rest.x += group * kScaleGroup;
    rest.x_scales += group;
    rest.x_sums += group * kSubgroups;
    rest.weights = reinterpret_cast<const W*>(reinterpret_cast<const std::byte*>(weights) +
                                              group * weights_step);
    rest.scales = reinterpret_cast<const uint16_t*>(reinterpret_cast<const std::byte*>(scales) +
                                                    group * scales_step);
    return rest;
  }
};

/// Rows of a tile that multiplies with W: fewer of int4, whose subgroups have sums of their own.
template <typename W>
constexpr int kScaledRows = kIntegerRows;
template <>
constexpr int kScaledRows<Int4x8> = kInt4Rows;

/// As many rows, and fewer, take the weights as they are packed; more rows share an unpacked block.
template <typename W>
constexpr int kPackedRows = kPackedInt8Rows;
template <>
constexpr int kPackedRows<Int4x8> = kPackedInt4Rows;

template <int kRows>
using Dots = I32x16[kRows][kTilePanels];

/// Not of packed int4, which few rows stream.
template <typename W>
constexpr bool kMayFetch = true;
template <>
constexpr bool kMayFetch<Int4x8> = false;

/// dots += x times the weights of `count` k.
template <typename W, int kRows, bool kFetches>
SEQGPT_INLINE void add_dots(const int16_t* x, int64_t x_stride, const W* w, int count,
                            const std::byte* ahead, Dots<kRows>& dots) {
  using S = Step<int16_t, W>;
  for (int k = 0; k < count; k += S::kDepth) {
    multiply_step<int16_t, W, kRows, kTilePanels, false>(x, x_stride, w, 0, dots);
    x += S::kDepth;
    w += kGroupColumns * S::kStored;
    if constexpr (kFetches) {
      __builtin_prefetch(ahead, 0, 2);  // into L2
      ahead += kGroupColumns;
    }
  }
}

/// dots = the dot products of the first scale group.
template <bool kFetches, typename W, int kRows>
SEQGPT_INLINE void dot_group(const ScaledProduct<W>& product, Dots<kRows>& dots) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) dots[r][p] = splat_sum(0);
  }
  add_dots<W, kRows, kFetches>(product.x, product.x_stride, product.weights, kScaleGroup,
                               product.ahead, dots);
}

/// In int4 each subgroup's, freed of the 8 in every weight, is multiplied as a whole.
template <bool, int kRows>
SEQGPT_INLINE void dot_group(const ScaledProduct<Int4x8>& product, Dots<kRows>& dots) {
  const auto* multipliers = reinterpret_cast<const int8_t*>(product.weights) -
                            multiplier_bytes(DType::kI4, kGroupColumns);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) dots[r][p] = splat_sum(0);
  }
  for (int i = 0; i < kSubgroups; ++i) {
    Dots<kRows> parts;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const int32_t* sums = product.x_sums + r * product.x_scales_stride * kSubgroups;
#pragma GCC unroll 8
      for (int p = 0; p < kTilePanels; ++p) parts[r][p] = splat_sum(sums[i]);
    }
    add_dots<Int4x8, kRows, false>(product.x + i * kSubgroup, product.x_stride,
                                   product.weights + i * kSubgroup / 8 * kGroupColumns, kSubgroup,
                                   nullptr, parts);
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      const I32x16 multiplier = widen_integers(multipliers + i * kGroupColumns + p * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        dots[r][p] = mul_add(parts[r][p], multiplier, dots[r][p]);
      }
    }
  }
}

/// sums += x scale * (scale * dot product), over the scale groups. A function of its own: where
/// g++ inlines it, addresses no longer fit into registers.
template <bool kFetches, typename W, int kRows>
__attribute__((noinline)) void multiply_scaled_tile(const ScaledProduct<W>& product) {
  for (int64_t group = 0; group < scale_groups(product.k); ++group) {
    ScaledProduct<W> rest = product.from(group);
    if constexpr (kFetches) rest.ahead += group * kGroupFetches;
    Dots<kRows> dots;
    dot_group<kFetches>(rest, dots);
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      const F32x16 scale = load_bf16(rest.scales + p * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        float* sums = product.sums + r * kGroupColumns + p * kLanes;
        const F32x16 x_scale = splat(rest.x_scales[r * product.x_scales_stride]);
        store(sums, mul_add(mul(to_floats(dots[r][p]), scale), x_scale, load(sums)));
      }
    }
  }
}

/// multiply_scaled_tile for a number of rows known at run time, 1..kRows.
template <typename W, int kRows = kScaledRows<W>>
inline void multiply_scaled(int rows, const ScaledProduct<W>& product) {
  if (rows == kRows && kMayFetch<W> && product.ahead != nullptr)
    return multiply_scaled_tile<kMayFetch<W>, W, kRows>(product);
  if (rows == kRows) return multiply_scaled_tile<false, W, kRows>(product);
  if constexpr (kRows > 1) multiply_scaled<W, kRows - 1>(rows, product);
}

/// The integers of a scale group, in int4 times their multipliers, as Step<int16_t, int16_t> reads
/// them.
inline void unpack(const int8_t* w, int16_t* to) {
  for (int i = 0; i < kScaleGroup * kGroupColumns; i += 2 * kLanes) {
    store(to + i, widen_bytes(w + i));
  }
}

inline void unpack(const Int4x8* w, int16_t* to) {
  const auto* multipliers =
      reinterpret_cast<const int8_t*>(w) - multiplier_bytes(DType::kI4, kGroupColumns);
  for (int i = 0; i < kScaleGroup; i += 8) {
#pragma GCC unroll 8
    for (int p = 0; p < kTilePanels; ++p) {
      const Nibbles words = load_nibbles(w + p * kLanes);
      const Pairs multiplier =
          twice(widen_integers(multipliers + i / kSubgroup * kGroupColumns + p * kLanes));
#pragma GCC unroll 8
      for (int part = 0; part < 4; ++part) {
        store(to + (part * kGroupColumns + p * kLanes) * 2,
              times_less_8(nibble_pair(words, part), multiplier));
      }
    }
    w += kGroupColumns;
    to += kGroupColumns * 8;
  }
}

}  // namespace
}  // namespace seqgpt::cpu
