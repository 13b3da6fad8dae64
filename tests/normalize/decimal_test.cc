// SPDX-License-Identifier: Apache-2.0
// Exact decimals: arithmetic, writing, and what does not fit.
#include "normalize/decimal.h"

#include <gtest/gtest.h>

#include <random>

namespace seqgpt {
namespace {

TEST(Decimal, WritesPlainDigits) {
  EXPECT_EQ(Decimal(0).text(), "0");
  EXPECT_EQ(Decimal(0).text(2), "0.00");
  EXPECT_EQ(Decimal(-5, 1).text(), "-0.5");
  EXPECT_EQ(Decimal(1500, 2).text(), "15");
  EXPECT_EQ(Decimal(1500, 2).text(2), "15.00");
  EXPECT_EQ(Decimal(11, 3).text(2), "0.011");
  EXPECT_EQ(Decimal(1).shifted(20).text(), "100000000000000000000");
  EXPECT_EQ(Decimal(1).shifted(-12).text(), "0.000000000001");
}

TEST(Decimal, ArithmeticIsThatOfIntegers) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> pick(-1'000'000'000, 1'000'000'000);
  for (int i = 0; i < 2000; ++i) {
    const int64_t a = pick(random);
    const int64_t b = pick(random);
    EXPECT_EQ((Decimal(a) + Decimal(b)).integer_or(0), a + b);
    EXPECT_EQ((Decimal(a) - Decimal(b)).integer_or(0), a - b);
    EXPECT_EQ((Decimal(a) * Decimal(b)).integer_or(0), a * b);
    EXPECT_EQ(Decimal(a).compare(Decimal(b)), (a > b) - (a < b));
  }
}

TEST(Decimal, MixesScales) {
  EXPECT_EQ((Decimal(15, 1) + Decimal(25, 2)).text(), "1.75");
  EXPECT_EQ((Decimal(15, 1) * Decimal(25, 2)).text(), "0.375");
  EXPECT_TRUE(Decimal(1500, 2).whole());
  EXPECT_FALSE(Decimal(1501, 2).whole());
  EXPECT_EQ(Decimal(1501, 2).integer_or(-1), -1);
}

TEST(Decimal, DividesHalfAwayFromZero) {
  EXPECT_EQ(Decimal(1).divided(Decimal(3), 9).text(), "0.333333333");
  EXPECT_EQ(Decimal(2).divided(Decimal(3), 9).text(), "0.666666667");
  EXPECT_EQ(Decimal(-2).divided(Decimal(3), 2).text(), "-0.67");
  EXPECT_EQ(Decimal(1).divided(Decimal(8), 2).text(), "0.13");
  EXPECT_FALSE(Decimal(1).divided(Decimal(0), 2).fits());
}

TEST(Decimal, WhatDoesNotFitStaysSo) {
  const Decimal big = Decimal(1).shifted(38);
  EXPECT_TRUE(big.fits());
  EXPECT_FALSE(big.shifted(1).fits());
  EXPECT_FALSE((big * big).fits());
  EXPECT_FALSE((big.shifted(1) + Decimal(1)).fits());
  EXPECT_FALSE((-(big * big)).fits());
  EXPECT_FALSE(Decimal(1).shifted(-61).fits());
  EXPECT_EQ((big * big).integer_or(7), 7);
}

}  // namespace
}  // namespace seqgpt
