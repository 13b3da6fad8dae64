// SPDX-License-Identifier: Apache-2.0
// Log-sum-exp against the C library in double precision; argmax ties; the repetition penalty.
#include "engine/row_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace seqgpt {
namespace {

double naive(const std::vector<float>& values) {
  double top = values[0];
  for (const float value : values) top = std::max<double>(top, value);
  double sum = 0;
  for (const float value : values) sum += std::exp(value - top);
  return top + std::log(sum);
}

TEST(LogSumExp, AgreesWithTheLibrary) {
  std::mt19937 random(1);
  for (const double scale : {1e-3, 1.0, 10.0, 100.0, 1e6}) {
    for (const size_t size : {1, 2, 7, 8, 9, 31, 250, 5000}) {
      std::vector<float> values(size);
      std::normal_distribution<double> normal(0, scale);
      for (float& value : values) value = static_cast<float>(normal(random));
      EXPECT_NEAR(log_sum_exp(values), naive(values), 2e-7 * std::max(1.0, std::abs(naive(values))))
          << size << " values of scale " << scale;
    }
  }
}

TEST(LogSumExp, Extremes) {
  EXPECT_EQ(log_sum_exp(std::vector<float>{3.5F}), 3.5);
  EXPECT_EQ(log_sum_exp(std::vector<float>{-3e38F, 3e38F}), static_cast<double>(3e38F));
  EXPECT_NEAR(log_sum_exp(std::vector<float>(250880, -2.0F)), std::log(250880.0) - 2, 1e-9);
  std::vector<float> far(100000, -200.0F);
  far[7] = 0;
  EXPECT_NEAR(log_sum_exp(far), 0, 1e-12);
}

TEST(Argmax, TiesGoToTheFirst) {
  EXPECT_EQ(argmax(std::vector<float>{1, 3, 3, 2}), 1U);
  EXPECT_EQ(argmax(std::vector<float>{-1}), 0U);
  EXPECT_EQ(argmax(std::vector<float>{-0.0F, 0.0F}), 0U);
}

TEST(Penalise, OncePerDistinctId) {
  std::vector<float> values = {2, -2, 6, -6, 0};
  penalise(values, {1, 0, 1, 0, 4, 1}, 2);
  EXPECT_EQ(values, (std::vector<float>{1, -4, 6, -6, 0}));
}

}  // namespace
}  // namespace seqgpt
