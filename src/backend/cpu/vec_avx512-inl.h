// SPDX-License-Identifier: Apache-2.0
// F32x16 as one 512-bit vector: AVX-512 F, BW, DQ and VL, with or without the dot products of
// integers (VNNI) and of bf16.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {
namespace {

#define SEQGPT_INLINE inline __attribute__((always_inline))

struct F32x16 {
  __m512 v;
};

#ifdef __AVX512BF16__
constexpr const char* kIsaName = "avx512bf16";
constexpr bool kNativeBf16 = true;
#else
#ifdef __AVX512VNNI__
constexpr const char* kIsaName = "avx512vnni";
#else
constexpr const char* kIsaName = "avx512";
#endif
constexpr bool kNativeBf16 = false;
#endif
constexpr int kTileRows = 6;
constexpr int kTilePanels = 4;
// Of quantised weights (quantised-inl.h), as measured.
constexpr int kIntegerRows = 6;
constexpr int kInt4Rows = 3;
constexpr int kPackedInt8Rows = kLinearRows;
constexpr int kPackedInt4Rows = 6;

SEQGPT_INLINE F32x16 splat(float value) {
  return {_mm512_set1_ps(value)};
}
SEQGPT_INLINE F32x16 load(const float* from) {
  return {_mm512_loadu_ps(from)};
}
SEQGPT_INLINE void store(float* to, F32x16 v) {
  _mm512_storeu_ps(to, v.v);
}

SEQGPT_INLINE F32x16 add(F32x16 a, F32x16 b) {
  return {_mm512_add_ps(a.v, b.v)};
}
SEQGPT_INLINE F32x16 sub(F32x16 a, F32x16 b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
SEQGPT_INLINE F32x16 mul(F32x16 a, F32x16 b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
SEQGPT_INLINE F32x16 div(F32x16 a, F32x16 b) {
  return {_mm512_div_ps(a.v, b.v)};
}
/// a b + c, in one rounding.
SEQGPT_INLINE F32x16 mul_add(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
/// NaN in b stays.
SEQGPT_INLINE F32x16 max(F32x16 a, F32x16 b) {
  return {_mm512_max_ps(a.v, b.v)};
}
SEQGPT_INLINE F32x16 min(F32x16 a, F32x16 b) {
  return {_mm512_min_ps(a.v, b.v)};
}

/// v 2^n, where n are the low bits of shifted = n + 1.5 * 2^23.
SEQGPT_INLINE F32x16 scale_by_power(F32x16 v, F32x16 shifted) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted.v), 23);
  return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(v.v), exponent))};
}

SEQGPT_INLINE __mmask16 lane_mask(int count) {
  return static_cast<__mmask16>(count >= 16 ? 0xFFFF : (1U << (count < 0 ? 0 : count)) - 1);
}
/// Lanes below count from v, the others from `other`.
SEQGPT_INLINE F32x16 first_lanes(F32x16 v, int count, F32x16 other) {
  return {_mm512_mask_blend_ps(lane_mask(count), other.v, v.v)};
}

SEQGPT_INLINE F32x16 lane_numbers() {
  return {_mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
}

/// ((v0 + v8) + (v4 + v12)) + ...: halves folded onto each other, the same tree everywhere.
SEQGPT_INLINE float reduce_add(F32x16 v) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v.v), _mm512_extractf32x8_ps(v.v, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
SEQGPT_INLINE float reduce_max(F32x16 v) {
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(v.v), _mm512_extractf32x8_ps(v.v, 1));
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

SEQGPT_INLINE F32x16 load_partial(const float* from, int count) {
  return {_mm512_maskz_loadu_ps(lane_mask(count), from)};
}
SEQGPT_INLINE void store_partial(float* to, F32x16 v, int count) {
  _mm512_mask_storeu_ps(to, lane_mask(count), v.v);
}

/// 16 pairs of bf16 as they lie in memory.
struct Pairs {
  __m512i v;
};

SEQGPT_INLINE Pairs load_pairs(const uint16_t* from) {
  return {_mm512_loadu_si512(from)};
}
/// `count` bf16 numbers, then zeros.
SEQGPT_INLINE Pairs load_pairs_partial(const uint16_t* from, int count) {
  const auto mask = static_cast<__mmask32>(count >= 32 ? ~0U : (1U << count) - 1);
  return {_mm512_maskz_loadu_epi16(mask, from)};
}
SEQGPT_INLINE F32x16 even(Pairs pairs) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(pairs.v, 16))};
}
SEQGPT_INLINE F32x16 odd(Pairs pairs) {
  const __m512i high = _mm512_set1_epi32(static_cast<int>(0xFFFF0000U));
  return {_mm512_castsi512_ps(_mm512_and_si512(pairs.v, high))};
}

SEQGPT_INLINE F32x16 widen(__m256i numbers) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(numbers), 16))};
}
SEQGPT_INLINE F32x16 load_bf16(const uint16_t* from) {
  return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
SEQGPT_INLINE F32x16 load_bf16_partial(const uint16_t* from, int count) {
  return widen(_mm256_maskz_loadu_epi16(lane_mask(count), from));
}

/// 16 sums of integers.
struct I32x16 {
  __m512i v;
};

SEQGPT_INLINE I32x16 splat_sum(int32_t value) {
  return {_mm512_set1_epi32(value)};
}
SEQGPT_INLINE F32x16 to_floats(I32x16 sums) {
  return {_mm512_cvtepi32_ps(sums.v)};
}
/// acc + a b of 32-bit integers.
SEQGPT_INLINE I32x16 mul_add(I32x16 a, I32x16 b, I32x16 acc) {
  return {_mm512_add_epi32(acc.v, _mm512_mullo_epi32(a.v, b.v))};
}
SEQGPT_INLINE I32x16 widen_integers(const int8_t* from) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
}
/// Each integer, of 16 bits, as both of a pair.
SEQGPT_INLINE Pairs twice(I32x16 v) {
  return {_mm512_or_si512(_mm512_slli_epi32(v.v, 16),
                          _mm512_and_si512(v.v, _mm512_set1_epi32(0xFFFF)))};
}
SEQGPT_INLINE Pairs load_integers(const int16_t* from) {
  return {_mm512_loadu_si512(from)};
}
/// Kept where it is: g++ would read it from memory once for each row of a tile.
SEQGPT_INLINE Pairs in_register(Pairs pairs) {
  asm("" : "+v"(pairs.v));
  return pairs;
}
SEQGPT_INLINE void store(int16_t* to, Pairs pairs) {
  _mm512_storeu_si512(to, pairs.v);
}
SEQGPT_INLINE Pairs splat_pair(const int16_t* from) {
  int pair = 0;
  __builtin_memcpy(&pair, from, sizeof pair);
  return {_mm512_set1_epi32(pair)};
}
/// acc + even product + odd product of 16-bit integers.
SEQGPT_INLINE I32x16 dot_integers(I32x16 acc, Pairs a, Pairs b) {
#ifdef __AVX512VNNI__
  // g++ 12 makes copies of the sums around its own intrinsic, one for nearly every product.
  asm("vpdpwssd %2, %1, %0" : "+v"(acc.v) : "v"(a.v), "v"(b.v));
  return acc;
#else
  return {_mm512_add_epi32(acc.v, _mm512_madd_epi16(a.v, b.v))};
#endif
}
/// Nearest even, for |v| < 2^15.
SEQGPT_INLINE void store_integers(int16_t* to, F32x16 v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(v.v)));
}
SEQGPT_INLINE Pairs widen_bytes(const int8_t* from) {
  return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
}

/// 16 words of eight int4.
struct Nibbles {
  __m512i v;
};

SEQGPT_INLINE Nibbles load_nibbles(const Int4x8* from) {
  return {_mm512_loadu_si512(from)};
}
/// Numbers 2 pair and 2 pair + 1 of each word, 8 too large.
SEQGPT_INLINE Pairs nibble_pair(Nibbles words, int pair) {
  const __m512i shifted = _mm512_srli_epi16(words.v, static_cast<unsigned>(4 * pair));
  return {pair == 3 ? shifted : _mm512_and_si512(shifted, _mm512_set1_epi16(15))};
}
/// (a - 8) b of 16-bit integers.
SEQGPT_INLINE Pairs times_less_8(Pairs a, Pairs b) {
  return {_mm512_mullo_epi16(_mm512_sub_epi16(a.v, _mm512_set1_epi16(8)), b.v)};
}

SEQGPT_INLINE F32x16 load_int8(const int8_t* from) {
  const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(numbers))};
}
SEQGPT_INLINE Nibbles load_nibbles(const KvInt4x8* from) {
  return {_mm512_loadu_si512(from)};
}
/// Number k of each word in two's complement.
SEQGPT_INLINE F32x16 nibble(Nibbles words, int k) {
  const __m512 values = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
  const auto shift = static_cast<unsigned>(16 * (k % 2) + 4 * (k / 2));
  return {_mm512_permutexvar_ps(_mm512_srli_epi32(words.v, shift), values)};
}

#ifdef __AVX512BF16__
/// Pairs of numbers that bf16 holds exactly.
SEQGPT_INLINE Pairs exact_pairs(F32x16 even, F32x16 odd) {
  const __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even.v), 16);
  return {_mm512_or_si512(low, _mm512_castps_si512(odd.v))};
}
/// Numbers 2 pair and 2 pair + 1 of each word in two's complement. The table repeats, since its
/// index has a fifth bit.
SEQGPT_INLINE Pairs bf16_nibbles(Nibbles words, int pair) {
  const __m256i half = _mm256_setr_epi16(
      0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0, 0x40E0, static_cast<int16_t>(0xC100),
      static_cast<int16_t>(0xC0E0), static_cast<int16_t>(0xC0C0), static_cast<int16_t>(0xC0A0),
      static_cast<int16_t>(0xC080), static_cast<int16_t>(0xC040), static_cast<int16_t>(0xC000),
      static_cast<int16_t>(0xBF80));
  const __m512i values = _mm512_broadcast_i64x4(half);
  const __m512i shifted = _mm512_srli_epi16(words.v, static_cast<unsigned>(4 * pair));
  return {_mm512_permutexvar_epi16(shifted, values)};
}

/// acc += even product, odd product, in the hardware's fixed order; subnormals count as zero.
SEQGPT_INLINE F32x16 dot_pairs(F32x16 acc, Pairs a, Pairs b) {
  return {_mm512_dpbf16_ps(acc.v, (__m512bh)a.v, (__m512bh)b.v)};
}
/// Nearest even in each lane's low 16 bits; NaN stays NaN, subnormals become zero.
SEQGPT_INLINE __m256i narrow(F32x16 v) {
  return (__m256i)_mm512_cvtneps_pbh(v.v);
}
#else
/// Nearest even; NaN stays NaN.
SEQGPT_INLINE __m256i narrow(F32x16 v) {
  const __m512i bits = _mm512_castps_si512(v.v);
  const __m512i high = _mm512_srli_epi32(bits, 16);
  const __m512i last = _mm512_and_si512(high, _mm512_set1_epi32(1));
  const __m512i bias = _mm512_add_epi32(last, _mm512_set1_epi32(0x7FFF));
  const __m512i nearest = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
  const __m512i nan = _mm512_or_si512(high, _mm512_set1_epi32(0x40));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(v.v, v.v, _CMP_UNORD_Q);
  return _mm512_cvtepi32_epi16(_mm512_mask_blend_epi32(is_nan, nearest, nan));
}
#endif

SEQGPT_INLINE void store_bf16(uint16_t* to, F32x16 v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(v));
}
SEQGPT_INLINE void store_bf16_partial(uint16_t* to, F32x16 v, int count) {
  _mm256_mask_storeu_epi16(to, lane_mask(count), narrow(v));
}

/// Replaces one half (0 even, 1 odd) of 16 pairs in memory.
SEQGPT_INLINE void store_half(uint16_t* pairs, F32x16 v, int half) {
  const __m512i old = _mm512_loadu_si512(pairs);
  const __m512i bits = _mm512_cvtepu16_epi32(narrow(v));
  const __m512i low = _mm512_set1_epi32(0xFFFF);
  const __m512i merged =
      half == 0 ? _mm512_or_si512(_mm512_andnot_si512(low, old), bits)
                : _mm512_or_si512(_mm512_and_si512(low, old), _mm512_slli_epi32(bits, 16));
  _mm512_storeu_si512(pairs, merged);
}

}  // namespace
}  // namespace seqgpt::cpu
