// SPDX-License-Identifier: Apache-2.0
// F32x16 from four 128-bit vectors of the compiler's own (GNU vector types): no intrinsics, any
// processor.
#pragma once

#include <cstdint>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {
namespace {

#define SEQGPT_INLINE inline __attribute__((always_inline))

typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadInts __attribute__((vector_size(16)));
typedef uint32_t QuadBits __attribute__((vector_size(16)));
typedef int16_t Eight __attribute__((vector_size(16)));

struct F32x16 {
  Quad q[4];
};

constexpr const char* kIsaName = "portable";
constexpr bool kNativeBf16 = false;
constexpr int kTileRows = 3;
constexpr int kTilePanels = 1;
// Of quantised weights (quantised-inl.h), as measured.
constexpr int kIntegerRows = 3;
constexpr int kInt4Rows = 2;
constexpr int kPackedInt8Rows = 4;
constexpr int kPackedInt4Rows = 3;

template <typename Op>
SEQGPT_INLINE F32x16 quads(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}

SEQGPT_INLINE F32x16 splat(float value) {
  const Quad quad = {value, value, value, value};
  return {{quad, quad, quad, quad}};
}

// One quad at a time: compilers keep a struct that is copied whole in memory.
SEQGPT_INLINE F32x16 load(const float* from) {
  return quads([&](int i) {
    Quad quad;
    __builtin_memcpy(&quad, from + 4 * i, sizeof quad);
    return quad;
  });
}

SEQGPT_INLINE void store(float* to, F32x16 v) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + 4 * i, &v.q[i], sizeof(Quad));
}

SEQGPT_INLINE F32x16 add(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] + b.q[i]; });
}
SEQGPT_INLINE F32x16 sub(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] - b.q[i]; });
}
SEQGPT_INLINE F32x16 mul(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] * b.q[i]; });
}
SEQGPT_INLINE F32x16 div(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] / b.q[i]; });
}
/// a b + c, in two roundings.
SEQGPT_INLINE F32x16 mul_add(F32x16 a, F32x16 b, F32x16 c) {
  return quads([&](int i) { return a.q[i] * b.q[i] + c.q[i]; });
}
/// NaN in b stays.
SEQGPT_INLINE F32x16 max(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] > b.q[i] ? a.q[i] : b.q[i]; });
}
SEQGPT_INLINE F32x16 min(F32x16 a, F32x16 b) {
  return quads([&](int i) { return a.q[i] < b.q[i] ? a.q[i] : b.q[i]; });
}

/// v 2^n, where n are the low bits of shifted = n + 1.5 * 2^23.
SEQGPT_INLINE F32x16 scale_by_power(F32x16 v, F32x16 shifted) {
  return quads([&](int i) { return (Quad)((QuadBits)v.q[i] + ((QuadBits)shifted.q[i] << 23)); });
}

/// Lanes below count from v, the others from `other`.
SEQGPT_INLINE F32x16 first_lanes(F32x16 v, int count, F32x16 other) {
  for (int lane = 0; lane < 16; ++lane) {
    if (lane >= count) v.q[lane / 4][lane % 4] = other.q[lane / 4][lane % 4];
  }
  return v;
}

SEQGPT_INLINE F32x16 lane_numbers() {
  return {{Quad{0, 1, 2, 3}, Quad{4, 5, 6, 7}, Quad{8, 9, 10, 11}, Quad{12, 13, 14, 15}}};
}

/// ((v0 + v8) + (v4 + v12)) + ...: halves folded onto each other, the same tree everywhere.
SEQGPT_INLINE float reduce_add(F32x16 v) {
  const Quad s = (v.q[0] + v.q[2]) + (v.q[1] + v.q[3]);
  return (s[0] + s[2]) + (s[1] + s[3]);
}

SEQGPT_INLINE float reduce_max(F32x16 v) {
  float best = v.q[0][0];
  for (int lane = 1; lane < 16; ++lane) {
    const float value = v.q[lane / 4][lane % 4];
    best = value > best ? value : best;
  }
  return best;
}

SEQGPT_INLINE F32x16 load_partial(const float* from, int count) {
  F32x16 v = splat(0);
  __builtin_memcpy(&v, from, count * sizeof(float));
  return v;
}

SEQGPT_INLINE void store_partial(float* to, F32x16 v, int count) {
  __builtin_memcpy(to, &v, count * sizeof(float));
}

/// 16 pairs of bf16 as they lie in memory.
struct Pairs {
  QuadBits q[4];
};

SEQGPT_INLINE Pairs load_pairs(const uint16_t* from) {
  const auto quad = [&](int i) {
    QuadBits bits;
    __builtin_memcpy(&bits, from + 8 * i, sizeof bits);
    return bits;
  };
  return {{quad(0), quad(1), quad(2), quad(3)}};
}

/// `count` bf16 numbers, then zeros.
SEQGPT_INLINE Pairs load_pairs_partial(const uint16_t* from, int count) {
  Pairs pairs = {};
  __builtin_memcpy(&pairs, from, count * sizeof(uint16_t));
  return pairs;
}

SEQGPT_INLINE F32x16 even(Pairs pairs) {
  return quads([&](int i) { return (Quad)(pairs.q[i] << 16); });
}
SEQGPT_INLINE F32x16 odd(Pairs pairs) {
  return quads([&](int i) { return (Quad)(pairs.q[i] & 0xFFFF0000U); });
}

SEQGPT_INLINE F32x16 load_bf16_partial(const uint16_t* from, int count) {
  uint16_t numbers[16] = {};
  __builtin_memcpy(numbers, from, count * sizeof(uint16_t));
  uint32_t bits[16];
  for (int lane = 0; lane < 16; ++lane) bits[lane] = static_cast<uint32_t>(numbers[lane]) << 16;
  F32x16 v;
  __builtin_memcpy(&v, bits, sizeof v);
  return v;
}

SEQGPT_INLINE F32x16 load_bf16(const uint16_t* from) {
  return load_bf16_partial(from, 16);
}

/// 16 sums of integers.
struct I32x16 {
  QuadInts q[4];
};

SEQGPT_INLINE I32x16 splat_sum(int32_t value) {
  const QuadInts quad = {value, value, value, value};
  return {{quad, quad, quad, quad}};
}
SEQGPT_INLINE F32x16 to_floats(I32x16 sums) {
  return quads([&](int i) { return __builtin_convertvector(sums.q[i], Quad); });
}
/// acc + a b of 32-bit integers.
SEQGPT_INLINE I32x16 mul_add(I32x16 a, I32x16 b, I32x16 acc) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // wraps, as the sums of a damaged file may
    acc.q[i] = (QuadInts)((QuadBits)acc.q[i] + (QuadBits)a.q[i] * (QuadBits)b.q[i]);
  }
  return acc;
}
SEQGPT_INLINE I32x16 widen_integers(const int8_t* from) {
  const auto quad = [&](int i) { return QuadInts{from[i], from[i + 1], from[i + 2], from[i + 3]}; };
  return {{quad(0), quad(4), quad(8), quad(12)}};
}
/// Each integer, of 16 bits, as both of a pair.
SEQGPT_INLINE Pairs twice(I32x16 v) {
  Pairs pairs;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs.q[i] = ((QuadBits)v.q[i] << 16) | ((QuadBits)v.q[i] & 0xFFFFU);
  }
  return pairs;
}
SEQGPT_INLINE Pairs load_integers(const int16_t* from) {
  return load_pairs(reinterpret_cast<const uint16_t*>(from));
}
SEQGPT_INLINE Pairs in_register(Pairs pairs) {
  return pairs;
}
SEQGPT_INLINE void store(int16_t* to, Pairs pairs) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + 8 * i, &pairs.q[i], sizeof(QuadBits));
}
SEQGPT_INLINE Pairs splat_pair(const int16_t* from) {
  uint32_t pair = 0;
  __builtin_memcpy(&pair, from, sizeof pair);
  const QuadBits quad = {pair, pair, pair, pair};
  return {{quad, quad, quad, quad}};
}
/// Even product + odd product of 16-bit integers.
SEQGPT_INLINE QuadInts dot_quad(QuadBits a, QuadBits b) {
#ifdef __SSE2__
  return (QuadInts)__builtin_ia32_pmaddwd128((Eight)a, (Eight)b);
#else
  const QuadInts even = ((QuadInts)(a << 16) >> 16) * ((QuadInts)(b << 16) >> 16);
  return even + ((QuadInts)a >> 16) * ((QuadInts)b >> 16);
#endif
}
SEQGPT_INLINE I32x16 dot_integers(I32x16 acc, Pairs a, Pairs b) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    acc.q[i] = (QuadInts)((QuadBits)acc.q[i] + (QuadBits)dot_quad(a.q[i], b.q[i]));
  }
  return acc;
}
/// Nearest even, for |v| < 2^15.
SEQGPT_INLINE void store_integers(int16_t* to, F32x16 v) {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: the sum's low bits are the integer
  const F32x16 shifted = add(v, splat(kShift));
  uint32_t bits[16];
  __builtin_memcpy(bits, &shifted, sizeof bits);
  for (int lane = 0; lane < 16; ++lane) to[lane] = static_cast<int16_t>(bits[lane] & 0xFFFFU);
}
SEQGPT_INLINE Pairs widen_bytes(const int8_t* from) {
  int16_t numbers[32];
  for (int i = 0; i < 32; ++i) numbers[i] = from[i];
  return load_integers(numbers);
}

/// 16 words of eight int4.
struct Nibbles {
  QuadBits q[4];
};

SEQGPT_INLINE Nibbles load_nibbles(const Int4x8* from) {
  Nibbles words;
  __builtin_memcpy(&words, from, sizeof words);
  return words;
}
/// Numbers 2 pair and 2 pair + 1 of each word, 8 too large.
SEQGPT_INLINE Pairs nibble_pair(Nibbles words, int pair) {
  const auto quad = [&](int i) { return (words.q[i] >> (4 * pair)) & 0x000F000FU; };
  return {{quad(0), quad(1), quad(2), quad(3)}};
}
/// (a - 8) b of 16-bit integers.
SEQGPT_INLINE Pairs times_less_8(Pairs a, Pairs b) {
  const auto quad = [&](int i) { return (QuadBits)(((Eight)a.q[i] - 8) * (Eight)b.q[i]); };
  return {{quad(0), quad(1), quad(2), quad(3)}};
}

SEQGPT_INLINE F32x16 load_int8(const int8_t* from) {
  return quads([&](int i) {
    int8_t numbers __attribute__((vector_size(4)));
    __builtin_memcpy(&numbers, from + 4 * i, sizeof numbers);
    return __builtin_convertvector(numbers, Quad);
  });
}
SEQGPT_INLINE Nibbles load_nibbles(const KvInt4x8* from) {
  Nibbles words;
  __builtin_memcpy(&words, from, sizeof words);
  return words;
}
/// Number k of each word in two's complement.
SEQGPT_INLINE F32x16 nibble(Nibbles words, int k) {
  const int left = 28 - (16 * (k % 2) + 4 * (k / 2));
  return quads(
      [&](int i) { return __builtin_convertvector((QuadInts)(words.q[i] << left) >> 28, Quad); });
}

/// Nearest even in each lane's low 16 bits; NaN stays NaN.
SEQGPT_INLINE Pairs round_to_bf16(F32x16 v) {
  Pairs rounded;
  for (int i = 0; i < 4; ++i) {
    const QuadBits bits = (QuadBits)v.q[i];
    const QuadBits nearest = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    const QuadBits nan = (bits >> 16) | 0x40U;
    rounded.q[i] = (bits & 0x7FFFFFFFU) > 0x7F800000U ? nan : nearest;
  }
  return rounded;
}

SEQGPT_INLINE void store_bf16_partial(uint16_t* to, F32x16 v, int count) {
  const Pairs rounded = round_to_bf16(v);
  for (int lane = 0; lane < count; ++lane) {
    to[lane] = static_cast<uint16_t>(rounded.q[lane / 4][lane % 4]);
  }
}

SEQGPT_INLINE void store_bf16(uint16_t* to, F32x16 v) {
  store_bf16_partial(to, v, 16);
}

/// Replaces one half (0 even, 1 odd) of 16 pairs in memory.
SEQGPT_INLINE void store_half(uint16_t* pairs, F32x16 v, int half) {
  const Pairs rounded = round_to_bf16(v);
  for (int lane = 0; lane < 16; ++lane) {
    pairs[2 * lane + half] = static_cast<uint16_t>(rounded.q[lane / 4][lane % 4]);
  }
}

}  // namespace
}  // namespace seqgpt::cpu
