// SPDX-License-Identifier: Apache-2.0
// Steps over int8 and int4 keys and values: their integers as floats or as bf16, which hold them
// exactly. Attention's sums are short and its inputs stay what they are, unlike a layer's
// (quantised-inl.h).
#pragma once

namespace seqgpt::cpu {
namespace {

template <typename W>
constexpr bool kQuantised = false;
template <>
constexpr bool kQuantised<int8_t> = true;
template <>
constexpr bool kQuantised<KvInt4x8> = true;

/// As f32, one k at a time.
template <typename X, int depth>
struct WidenedIntegers {
  static constexpr int kDepth = depth;
  static constexpr int kParts = depth;
  using Weight = F32x16;
  using Input = F32x16;
  using Sum = F32x16;
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
  static SEQGPT_INLINE F32x16 weight(const KvInt4x8* w, int part) {
    return nibble(load_nibbles(w), part);
  }
};

template <>
struct Step<float, int8_t> : WidenedBytes<float> {};
template <>
struct Step<float, KvInt4x8> : WidenedNibbles<float> {};

#ifdef __AVX512BF16__
/// As bf16, two k at a time.
template <int depth>
struct PairedIntegers {
  static constexpr int kDepth = depth;
  static constexpr int kParts = depth / 2;
  using Weight = Pairs;
  using Input = Pairs;
  using Sum = F32x16;
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
struct Step<uint16_t, KvInt4x8> : PairedIntegers<8> {
  static constexpr int kStored = 1;
  static SEQGPT_INLINE Weight weight(const KvInt4x8* w, int part) {
    return bf16_nibbles(load_nibbles(w), part);
  }
};
#else
template <>
struct Step<uint16_t, int8_t> : WidenedBytes<uint16_t> {};
template <>
struct Step<uint16_t, KvInt4x8> : WidenedNibbles<uint16_t> {};
#endif

}  // namespace
}  // namespace seqgpt::cpu
