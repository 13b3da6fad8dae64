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

inline float nearest(float value, float lowest, float highest) {
  constexpr float kRounder = 12582912;  // 1.5 * 2^23: the sum has no place for fractions
  const float above = value < lowest ? lowest : value;
  const float bounded = above > highest ? highest : above;
  return bounded + kRounder - kRounder;
}

/// Products of values v and their integers q.
struct Fit {
  float cross = 0;   // sum v q
  float square = 0;  // sum q q
  float gain() const { return square > 0 ? cross * cross / square : 0; }
};

/// `count` is a multiple of kWide; the partial sums let compilers use vectors.
Fit fit(const float* values, int count, float peak, float lowest) {
  constexpr int kWide = 8;
  const float highest = -1 - lowest;
  float cross[kWide] = {};
  float square[kWide] = {};
  for (int i = 0; i < count; i += kWide) {
    for (int lane = 0; lane < kWide; ++lane) {
      const float q = nearest(values[i + lane] * peak, lowest, highest);
      cross[lane] += values[i + lane] * q;
      square[lane] += q * q;
    }
  }
  Fit sum;
  for (int lane = 0; lane < kWide; ++lane) {
    sum.cross += cross[lane];
    sum.square += square[lane];
  }
  return sum;
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
  float shares[scale_group(DType::kI8)] = {};
  for (int i = 0; i < count; ++i) shares[i] = values[i] / largest;
  const float lowest = type == DType::kI8 ? -128 : -8;
  const std::span<const float> peaks =
      type == DType::kI8 ? std::span<const float>(kPeaks8) : std::span<const float>(kPeaks4);
  const uint16_t scale =
      f32_to_bf16(largest * best_scale(shares, scale_group(type), peaks, lowest));
  const float peak = largest / bf16_to_f32(scale);
  for (int i = 0; i < count; ++i) {
    integers[i] = static_cast<int8_t>(nearest(shares[i] * peak, lowest, -1 - lowest));
  }
  return scale;
}

}  // namespace seqgpt::cpu
