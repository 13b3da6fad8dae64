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

/// The value of the largest magnitude; 0 when all are too small to count.
float largest_of(const float* values, int count) {
  float largest = 0;
  for (int i = 0; i < count; ++i) {
    if (std::abs(values[i]) > std::abs(largest)) largest = values[i];
  }
  return std::abs(largest) < kSmallest ? 0 : largest;
}

/// The least-squares scale of the best candidate for values of which `largest` is the largest.
float best_scale(const float* values, int count, float largest, std::span<const float> peaks,
                 float lowest) {
  if (largest == 0) return 0;
  float shares[kScaleGroup];
  for (int i = 0; i < count; ++i) shares[i] = values[i] / largest;
  Fit best;
  for (const float peak : peaks) {
    const Fit one = fit(shares, count, peak, lowest);
    if (one.gain() > best.gain()) best = one;
  }
  return largest * (best.cross / best.square);
}

/// integers x scale nearest to the values.
void round_to(const float* values, int count, float largest, float scale, float lowest,
              int8_t* integers) {
  if (largest == 0) return;
  const float peak = largest / scale;
  for (int i = 0; i < count; ++i) {
    integers[i] = static_cast<int8_t>(nearest(values[i] / largest * peak, lowest, -1 - lowest));
  }
}

QuantisedGroup quantise_int8(const float* values) {
  constexpr float kLowest = -128;
  QuantisedGroup group;
  const float largest = largest_of(values, kScaleGroup);
  group.scale = f32_to_bf16(best_scale(values, kScaleGroup, largest, kPeaks8, kLowest));
  round_to(values, kScaleGroup, largest, bf16_to_f32(group.scale), kLowest, group.integers);
  return group;
}

/// Subgroups find scales of their own; the largest of these becomes the largest multiplier, the
/// others the nearest, but never 0: a small subgroup beside a large one keeps what its integers
/// can tell.
QuantisedGroup quantise_int4(const float* values) {
  constexpr float kLowest = -8;
  constexpr float kLargestMultiplier = 127;
  QuantisedGroup group;
  float largest[kSubgroups];
  float scales[kSubgroups];
  float top = 0;
  for (int i = 0; i < kSubgroups; ++i) {
    largest[i] = largest_of(values + i * kSubgroup, kSubgroup);
    scales[i] = best_scale(values + i * kSubgroup, kSubgroup, largest[i], kPeaks4, kLowest);
    top = std::max(top, std::abs(scales[i]));
  }
  group.scale = f32_to_bf16(top / kLargestMultiplier);
  const float scale = bf16_to_f32(group.scale);
  for (int i = 0; i < kSubgroups; ++i) {
    if (largest[i] == 0) continue;
    const float magnitude = std::nearbyint(std::abs(scales[i]) / scale);
    const float bounded = std::clamp(magnitude, 1.0F, kLargestMultiplier);
    const float multiplier = std::copysign(bounded, scales[i]);
    group.multipliers[i] = static_cast<int8_t>(multiplier);
    round_to(values + i * kSubgroup, kSubgroup, largest[i], multiplier * scale, kLowest,
             group.integers + i * kSubgroup);
  }
  return group;
}

}  // namespace

QuantisedGroup quantise(const float* values, DType type) {
  return type == DType::kI8 ? quantise_int8(values) : quantise_int4(values);
}

}  // namespace seqgpt::cpu
