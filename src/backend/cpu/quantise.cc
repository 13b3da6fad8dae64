// SPDX-License-Identifier: Apache-2.0
// The search for a scale: each candidate's integers are fitted by least squares, the best fit wins.
#include "backend/cpu/quantise.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace seqgpt::cpu {
namespace {

constexpr float kSmallest = 0x1p-100F;

/// The integer that a candidate gives the value of the largest magnitude: the end of the range that
/// has one integer more, or somewhat within it, or beyond it, which cuts that value off for the
/// others' sake.
constexpr float kPeaks8[] = {-128.4F, -127, -126, -124, -120, -114};
constexpr float kPeaks4[] = {-9.2F, -8.8F, -8.4F, -8, -7.7F, -7.4F, -7.1F, -6.8F, -6.4F};

float nearest(float value, float lowest) {
  constexpr float kRounder = 12582912;  // 1.5 * 2^23: the sum has no place for fractions
  const float bounded = std::min(std::max(value, lowest), -1 - lowest);
  return bounded + kRounder - kRounder;
}

/// sum v q and sum q q over q = nearest(v * peak).
struct Fit {
  float cross = 0;
  float square = 0;
  float gain() const { return square > 0 ? cross * cross / square : 0; }
};

Fit fit(const float* values, int count, float peak, float lowest) {
  float cross[4] = {};
  float square[4] = {};
  for (int i = 0; i < count; ++i) {
    const float q = nearest(values[i] * peak, lowest);
    cross[i % 4] += values[i] * q;
    square[i % 4] += q * q;
  }
  return {(cross[0] + cross[1]) + (cross[2] + cross[3]),
          (square[0] + square[1]) + (square[2] + square[3])};
}

/// The least-squares scale of the best candidate, for values divided by the largest of them.
float best_scale(const float* values, int count, std::span<const float> peaks, float lowest) {
  Fit best;
  for (const float peak : peaks) {
    const Fit one = fit(values, count, peak, lowest);
    if (one.gain() > best.gain()) best = one;
  }
  return best.cross / best.square;
}

}  // namespace

uint16_t quantise(const float* values, int count, DType type, int8_t* integers) {
  float largest = 0;
  for (int i = 0; i < count; ++i) {
    if (std::abs(values[i]) > std::abs(largest)) largest = values[i];
  }
  std::fill_n(integers, count, int8_t{0});
  if (std::abs(largest) < kSmallest) return 0;
  float shares[scale_group(DType::kI8)];
  for (int i = 0; i < count; ++i) shares[i] = values[i] / largest;
  const float lowest = type == DType::kI8 ? -128 : -8;
  const std::span<const float> peaks =
      type == DType::kI8 ? std::span<const float>(kPeaks8) : std::span<const float>(kPeaks4);
  const uint16_t scale = f32_to_bf16(largest * best_scale(shares, count, peaks, lowest));
  const float peak = largest / bf16_to_f32(scale);
  for (int i = 0; i < count; ++i) {
    integers[i] = static_cast<int8_t>(nearest(shares[i] * peak, lowest));
  }
  return scale;
}

}  // namespace seqgpt::cpu
