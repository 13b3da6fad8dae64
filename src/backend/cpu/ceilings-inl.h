// SPDX-License-Identifier: Apache-2.0
// What the instruction set can do at best: multiply-adds that never leave the registers, and plain
// reads.
#pragma once

namespace seqgpt::cpu {
namespace {

constexpr int kTileVectors = kTileRows * kTilePanels;
constexpr int kSpinChains =
    kTileVectors < 12 ? kTileVectors : 12;  // hides latency, fits the registers

inline float spin_f32(int64_t iterations) {
  F32x16 sums[kSpinChains];
#pragma GCC unroll 12
  for (int i = 0; i < kSpinChains; ++i) sums[i] = add(lane_numbers(), splat(static_cast<float>(i)));
  const F32x16 factor = splat(0.999F);
  const F32x16 term = splat(0.001F);
  for (int64_t n = 0; n < iterations; ++n) {
#pragma GCC unroll 12
    for (F32x16& sum : sums) sum = mul_add(sum, factor, term);
  }
  F32x16 total = splat(0);
  for (const F32x16& sum : sums) total = add(total, sum);
  return reduce_add(total);
}

#ifdef __AVX512BF16__
inline float spin_bf16(int64_t iterations) {
  F32x16 sums[kSpinChains];
#pragma GCC unroll 12
  for (int i = 0; i < kSpinChains; ++i) sums[i] = add(lane_numbers(), splat(static_cast<float>(i)));
  const Pairs factor = {_mm512_set1_epi32(0x3F803F80)};
  for (int64_t n = 0; n < iterations; ++n) {
#pragma GCC unroll 12
    for (F32x16& sum : sums) sum = dot_pairs(sum, factor, factor);
  }
  F32x16 total = splat(0);
  for (const F32x16& sum : sums) total = add(total, sum);
  return reduce_add(total);
}
constexpr int64_t kSpinBf16 = kSpinChains * 2 * kLanes;
#else
inline float spin_bf16(int64_t iterations) {
  return spin_f32(iterations);
}
constexpr int64_t kSpinBf16 = kSpinChains * kLanes;
#endif

constexpr int64_t kReadAhead = 65536;  // bytes, into L2: as far as the linear kernels fetch

/// Reads `streams` equal pieces side by side, every other line fetched ahead: the hardware alone
/// may not keep enough lines in flight.
template <int kStreams>
inline float read_streams(const std::byte* memory, int64_t bytes) {
  constexpr int kParts = 4 / kStreams > 1 ? 4 / kStreams : 1;  // vectors of a stream in a step
  constexpr int64_t kStep = kParts * kLanes * int64_t{sizeof(float)};
  F32x16 sums[kStreams * kParts];
#pragma GCC unroll 4
  for (F32x16& sum : sums) sum = splat(0);
  const int64_t piece = bytes / kStreams;
  for (int64_t i = 0; i < piece; i += kStep) {
#pragma GCC unroll 4
    for (int j = 0; j < kStreams * kParts; ++j) {
      const std::byte* from = memory + j / kParts * piece + i;
      if (j % 2 == 0) __builtin_prefetch(from + j % kParts * kLineBytes + kReadAhead, 0, 2);
      sums[j] = add(sums[j], load(reinterpret_cast<const float*>(from) + j % kParts * kLanes));
    }
  }
  F32x16 total = splat(0);
  for (const F32x16& sum : sums) total = add(total, sum);
  return reduce_add(total);
}

inline float read_memory(const std::byte* memory, int64_t bytes, int streams) {
  if (streams == 1) return read_streams<1>(memory, bytes);
  return streams == 2 ? read_streams<2>(memory, bytes) : read_streams<4>(memory, bytes);
}

}  // namespace
}  // namespace seqgpt::cpu
