// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials from additions, multiplications and bit patterns alone.
#include "engine/row_math.h"

#include <algorithm>
#include <array>
#include <bit>

namespace seqgpt {
namespace {

constexpr size_t kLanes = 8;  // sums kept side by side, so that the compiler may use vectors

/// e^x for x <= 0, to about 1e-7 of its value; below -86 it stays at e^-86, which no sum of ours
/// feels.
inline float exp_of_nonpositive(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound =
      12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  x = std::max(x, -86.0F);
  const float shifted = x * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.98756915e-4F;  // Cephes expf, |r| <= ln 2 / 2
  p = p * r + 1.39819995e-3F;
  p = p * r + 8.33345205e-3F;
  p = p * r + 4.16657962e-2F;
  p = p * r + 1.66666655e-1F;
  p = p * r + 5.00000012e-1F;
  p = p * r * r + r + 1.0F;
  const uint32_t exponent = std::bit_cast<uint32_t>(shifted)
                            << 23;  // n, moved to the exponent's place
  return std::bit_cast<float>(std::bit_cast<uint32_t>(p) + exponent);
}

/// ln(x) for a normal x > 0: x = m * 2^e with m near 1, then the series of 2 atanh((m - 1) / (m +
/// 1)).
double log_of_positive(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  constexpr double kSqrt2 = 1.41421356237309504880;
  const auto bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000);
  if (m > kSqrt2) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);  // |s| <= 0.1716: eleven terms reach 1e-17
  double series = 0;
  for (int odd = 21; odd >= 1; odd -= 2) series = series * s * s + 1.0 / odd;
  return exponent * kLn2 + 2 * s * series;
}

}  // namespace

double log_sum_exp(std::span<const float> values) {
  const float top = values[argmax(values)];
  std::array<double, kLanes> sums{};
  const size_t whole = values.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += exp_of_nonpositive(values[i + lane] - top);
    }
  }
  for (size_t i = whole; i < values.size(); ++i)
    sums[i - whole] += exp_of_nonpositive(values[i] - top);
  double sum = 0;
  for (const double part : sums) sum += part;
  return top + log_of_positive(sum);
}

size_t argmax(std::span<const float> values) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[best]) best = i;
  }
  return best;
}

void penalise(std::span<float> values, std::vector<int32_t> ids, float penalty) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const int32_t id : ids) {
    float& value = values[static_cast<size_t>(id)];
    value = value < 0 ? value * penalty : value / penalty;
  }
}

}  // namespace seqgpt
