// SPDX-License-Identifier: Apache-2.0
// F32x16 from two 256-bit vectors: AVX2 with FMA.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {
namespace {

#define SEQGPT_INLINE inline __attribute__((always_inline))

struct F32x16 {
  __m256 lo, hi;
};

constexpr const char* kIsaName = "avx2";
constexpr bool kNativeBf16 = false;
constexpr int kTileRows = 6;
constexpr int kTilePanels = 1;
// Of quantised weights (quantised-inl.h), as measured.
constexpr int kIntegerRows = 4;
constexpr int kInt4Rows = 2;
constexpr int kPackedInt8Rows = 8;
constexpr int kPackedInt4Rows = 2;

SEQGPT_INLINE F32x16 splat(float value) {
  return {_mm256_set1_ps(value), _mm256_set1_ps(value)};
}
SEQGPT_INLINE F32x16 load(const float* from) {
  return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}
SEQGPT_INLINE void store(float* to, F32x16 v) {
  _mm256_storeu_ps(to, v.lo);
  _mm256_storeu_ps(to + 8, v.hi);
}

SEQGPT_INLINE F32x16 add(F32x16 a, F32x16 b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
SEQGPT_INLINE F32x16 sub(F32x16 a, F32x16 b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
SEQGPT_INLINE F32x16 mul(F32x16 a, F32x16 b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
SEQGPT_INLINE F32x16 div(F32x16 a, F32x16 b) {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
/// a b + c, in one rounding.
SEQGPT_INLINE F32x16 mul_add(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
/// NaN in b stays.
SEQGPT_INLINE F32x16 max(F32x16 a, F32x16 b) {
  return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}
SEQGPT_INLINE F32x16 min(F32x16 a, F32x16 b) {
  return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}

SEQGPT_INLINE __m256 scale_half(__m256 v, __m256 shifted) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(v), exponent));
}
/// v 2^n, where n are the low bits of shifted = n + 1.5 * 2^23.
SEQGPT_INLINE F32x16 scale_by_power(F32x16 v, F32x16 shifted) {
  return {scale_half(v.lo, shifted.lo), scale_half(v.hi, shifted.hi)};
}

/// All ones in lanes (numbered from `first`) below count.
SEQGPT_INLINE __m256i lane_mask(int first, int count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count - first), lanes);
}
/// Lanes below count from v, the others from `other`.
SEQGPT_INLINE F32x16 first_lanes(F32x16 v, int count, F32x16 other) {
  return {_mm256_blendv_ps(other.lo, v.lo, _mm256_castsi256_ps(lane_mask(0, count))),
          _mm256_blendv_ps(other.hi, v.hi, _mm256_castsi256_ps(lane_mask(8, count)))};
}

SEQGPT_INLINE F32x16 lane_numbers() {
  return {_mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_ps(8, 9, 10, 11, 12, 13, 14, 15)};
}

/// ((v0 + v8) + (v4 + v12)) + ...: halves folded onto each other, the same tree everywhere.
SEQGPT_INLINE float reduce_add(F32x16 v) {
  const __m256 eight = _mm256_add_ps(v.lo, v.hi);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
SEQGPT_INLINE float reduce_max(F32x16 v) {
  const __m256 eight = _mm256_max_ps(v.lo, v.hi);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

SEQGPT_INLINE F32x16 load_partial(const float* from, int count) {
  return {_mm256_maskload_ps(from, lane_mask(0, count)),
          count > 8 ? _mm256_maskload_ps(from + 8, lane_mask(8, count)) : _mm256_setzero_ps()};
}
SEQGPT_INLINE void store_partial(float* to, F32x16 v, int count) {
  _mm256_maskstore_ps(to, lane_mask(0, count), v.lo);
  if (count > 8) _mm256_maskstore_ps(to + 8, lane_mask(8, count), v.hi);
}

/// 16 pairs of bf16 as they lie in memory.
struct Pairs {
  __m256i lo, hi;
};

SEQGPT_INLINE __m256i load_bytes(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
SEQGPT_INLINE Pairs load_pairs(const uint16_t* from) {
  return {load_bytes(from), load_bytes(from + 16)};
}
/// `count` bf16 numbers, then zeros.
SEQGPT_INLINE Pairs load_pairs_partial(const uint16_t* from, int count) {
  uint16_t numbers[32] = {};
  __builtin_memcpy(numbers, from, count * sizeof(uint16_t));
  return load_pairs(numbers);
}
SEQGPT_INLINE F32x16 even(Pairs pairs) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(pairs.lo, 16)),
          _mm256_castsi256_ps(_mm256_slli_epi32(pairs.hi, 16))};
}
SEQGPT_INLINE F32x16 odd(Pairs pairs) {
  const __m256i high = _mm256_set1_epi32(static_cast<int>(0xFFFF0000U));
  return {_mm256_castsi256_ps(_mm256_and_si256(pairs.lo, high)),
          _mm256_castsi256_ps(_mm256_and_si256(pairs.hi, high))};
}

SEQGPT_INLINE __m256 widen(__m128i numbers) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(numbers), 16));
}
SEQGPT_INLINE F32x16 load_bf16(const uint16_t* from) {
  const __m256i numbers = load_bytes(from);
  return {widen(_mm256_castsi256_si128(numbers)), widen(_mm256_extracti128_si256(numbers, 1))};
}
SEQGPT_INLINE F32x16 load_bf16_partial(const uint16_t* from, int count) {
  uint16_t numbers[16] = {};
  __builtin_memcpy(numbers, from, count * sizeof(uint16_t));
  return load_bf16(numbers);
}

/// 16 sums of integers.
struct I32x16 {
  __m256i lo, hi;
};

SEQGPT_INLINE I32x16 splat_sum(int32_t value) {
  return {_mm256_set1_epi32(value), _mm256_set1_epi32(value)};
}
SEQGPT_INLINE F32x16 to_floats(I32x16 sums) {
  return {_mm256_cvtepi32_ps(sums.lo), _mm256_cvtepi32_ps(sums.hi)};
}
/// acc + a b of 32-bit integers.
SEQGPT_INLINE I32x16 mul_add(I32x16 a, I32x16 b, I32x16 acc) {
  return {_mm256_add_epi32(acc.lo, _mm256_mullo_epi32(a.lo, b.lo)),
          _mm256_add_epi32(acc.hi, _mm256_mullo_epi32(a.hi, b.hi))};
}
SEQGPT_INLINE I32x16 widen_integers(const int8_t* from) {
  const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm256_cvtepi8_epi32(numbers), _mm256_cvtepi8_epi32(_mm_srli_si128(numbers, 8))};
}
SEQGPT_INLINE __m256i twice_half(__m256i v) {
  return _mm256_blend_epi16(v, _mm256_slli_epi32(v, 16), 0xAA);
}
/// Each integer, of 16 bits, as both of a pair.
SEQGPT_INLINE Pairs twice(I32x16 v) {
  return {twice_half(v.lo), twice_half(v.hi)};
}
SEQGPT_INLINE Pairs load_integers(const int16_t* from) {
  return {load_bytes(from), load_bytes(from + 16)};
}
SEQGPT_INLINE Pairs in_register(Pairs pairs) {
  return pairs;
}
SEQGPT_INLINE void store(int16_t* to, Pairs pairs) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), pairs.lo);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16), pairs.hi);
}
SEQGPT_INLINE Pairs splat_pair(const int16_t* from) {
  int pair = 0;
  __builtin_memcpy(&pair, from, sizeof pair);
  return {_mm256_set1_epi32(pair), _mm256_set1_epi32(pair)};
}
/// acc + even product + odd product of 16-bit integers.
SEQGPT_INLINE I32x16 dot_integers(I32x16 acc, Pairs a, Pairs b) {
  return {_mm256_add_epi32(acc.lo, _mm256_madd_epi16(a.lo, b.lo)),
          _mm256_add_epi32(acc.hi, _mm256_madd_epi16(a.hi, b.hi))};
}
/// Nearest even, for |v| < 2^15.
SEQGPT_INLINE void store_integers(int16_t* to, F32x16 v) {
  const __m256i mixed = _mm256_packs_epi32(_mm256_cvtps_epi32(v.lo), _mm256_cvtps_epi32(v.hi));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(mixed, 0xD8));
}
SEQGPT_INLINE Pairs widen_bytes(const int8_t* from) {
  const __m256i bytes = load_bytes(from);
  return {_mm256_cvtepi8_epi16(_mm256_castsi256_si128(bytes)),
          _mm256_cvtepi8_epi16(_mm256_extracti128_si256(bytes, 1))};
}

/// 16 words of eight int4.
struct Nibbles {
  __m256i lo, hi;
};

SEQGPT_INLINE Nibbles load_nibbles(const Int4x8* from) {
  return {load_bytes(from), load_bytes(from + 8)};
}
/// Numbers 2 pair and 2 pair + 1 of each word, 8 too large.
SEQGPT_INLINE Pairs nibble_pair(Nibbles words, int pair) {
  const __m256i low = _mm256_set1_epi16(15);
  return {_mm256_and_si256(_mm256_srli_epi16(words.lo, 4 * pair), low),
          _mm256_and_si256(_mm256_srli_epi16(words.hi, 4 * pair), low)};
}
/// (a - 8) b of 16-bit integers.
SEQGPT_INLINE Pairs times_less_8(Pairs a, Pairs b) {
  const __m256i eight = _mm256_set1_epi16(8);
  return {_mm256_mullo_epi16(_mm256_sub_epi16(a.lo, eight), b.lo),
          _mm256_mullo_epi16(_mm256_sub_epi16(a.hi, eight), b.hi)};
}

SEQGPT_INLINE F32x16 load_int8(const int8_t* from) {
  const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(numbers)),
          _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(numbers, 8)))};
}
SEQGPT_INLINE Nibbles load_nibbles(const KvInt4x8* from) {
  return {load_bytes(from), load_bytes(from + 8)};
}
/// The signed number whose highest bit is bit 31 after a shift to the left.
SEQGPT_INLINE __m256 signed_field(__m256i bits, int left, int right) {
  return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(bits, left), right));
}
/// Number k of each word in two's complement.
SEQGPT_INLINE F32x16 nibble(Nibbles words, int k) {
  const int left = 28 - (16 * (k % 2) + 4 * (k / 2));
  return {signed_field(words.lo, left, 28), signed_field(words.hi, left, 28)};
}

SEQGPT_INLINE __m256i round_half(__m256 v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i high = _mm256_srli_epi32(bits, 16);
  const __m256i last = _mm256_and_si256(high, _mm256_set1_epi32(1));
  const __m256i bias = _mm256_add_epi32(last, _mm256_set1_epi32(0x7FFF));
  const __m256i nearest = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
  const __m256i nan = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
  const __m256 is_nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
  return _mm256_blendv_epi8(nearest, nan, _mm256_castps_si256(is_nan));
}
/// Nearest even in each lane's low 16 bits; NaN stays NaN.
SEQGPT_INLINE Pairs round_to_bf16(F32x16 v) {
  return {round_half(v.lo), round_half(v.hi)};
}

SEQGPT_INLINE void store_bf16(uint16_t* to, F32x16 v) {
  const Pairs rounded = round_to_bf16(v);
  const __m256i mixed = _mm256_packus_epi32(rounded.lo, rounded.hi);
  const __m256i ordered = _mm256_permute4x64_epi64(mixed, 0xD8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), ordered);
}
SEQGPT_INLINE void store_bf16_partial(uint16_t* to, F32x16 v, int count) {
  uint16_t numbers[16];
  store_bf16(numbers, v);
  __builtin_memcpy(to, numbers, count * sizeof(uint16_t));
}

/// Replaces one half (0 even, 1 odd) of 16 pairs in memory.
SEQGPT_INLINE void store_half(uint16_t* pairs, F32x16 v, int half) {
  const Pairs old = load_pairs(pairs);
  const Pairs rounded = round_to_bf16(v);
  __m256i lo, hi;
  if (half == 0) {
    lo = _mm256_blend_epi16(old.lo, rounded.lo, 0x55);
    hi = _mm256_blend_epi16(old.hi, rounded.hi, 0x55);
  } else {
    lo = _mm256_blend_epi16(old.lo, _mm256_slli_epi32(rounded.lo, 16), 0xAA);
    hi = _mm256_blend_epi16(old.hi, _mm256_slli_epi32(rounded.hi, 16), 0xAA);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(pairs), lo);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(pairs + 16), hi);
}

}  // namespace
}  // namespace seqgpt::cpu
