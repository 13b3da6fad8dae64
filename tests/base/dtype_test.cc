// SPDX-License-Identifier: Apache-2.0
// Conversions between element types against naive formulas.
#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace seqgpt {
namespace {

/// The value of a half by its definition.
double naive_half(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(DType, EveryHalf) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = f16_to_f32(static_cast<uint16_t>(bits));
    const double expected = naive_half(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(value), expected) << bits;
    }
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(DType, EveryBf16ComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = bf16_to_f32(static_cast<uint16_t>(bits));
    const uint16_t back = f32_to_bf16(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bf16_to_f32(back))) << bits;
      ASSERT_EQ(back, bits | 0x40) << bits;
    } else {
      ASSERT_EQ(back, bits);
    }
  }
}

/// Of the two neighbours in bf16 the nearer; of two equally near the one with the even last bit.
uint16_t naive_bf16(float value) {
  const auto down = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);  // towards zero
  const auto up = static_cast<uint16_t>(down + 1);
  const double exact = value;
  const double low = bf16_to_f32(down);
  // Infinity stands for the power of two where the next binade would begin.
  const double high = (up & 0x7FFF) == 0x7F80 ? std::copysign(0x1p128, exact) : bf16_to_f32(up);
  const double below = std::abs(exact - low);
  const double above = std::abs(high - exact);
  if (below != above) return below < above ? down : up;
  return down % 2 == 0 ? down : up;
}

TEST(DType, Bf16RoundsToNearestEven) {
  for (uint32_t high = 0; high < 65536; ++high) {
    if ((high & 0x7F80) == 0x7F80) continue;  // infinities and NaN
    for (const uint32_t low : {0x0000U, 0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
      const auto value = std::bit_cast<float>(high << 16 | low);
      ASSERT_EQ(f32_to_bf16(value), naive_bf16(value)) << std::hex << (high << 16 | low);
    }
  }
}

TEST(DType, Bf16KeepsInfinityAndNan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f32_to_bf16(kInfinity), 0x7F80);
  EXPECT_EQ(f32_to_bf16(-kInfinity), 0xFF80);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
  for (const uint32_t bits : {0x7F800001U, 0x7FBFFFFFU, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU}) {
    const uint16_t rounded = f32_to_bf16(std::bit_cast<float>(bits));
    EXPECT_TRUE(std::isnan(bf16_to_f32(rounded))) << std::hex << bits;
    EXPECT_EQ(rounded >> 15, bits >> 31);
  }
}

TEST(DType, LoadsUnalignedElements) {
  std::array<std::byte, 64> memory{};
  const std::array<float, 3> floats = {1.5F, -2.25F, 1e-30F};
  std::memcpy(memory.data() + 1, floats.data(), sizeof floats);
  for (size_t i = 0; i < floats.size(); ++i)
    EXPECT_EQ(load_element(DType::kF32, memory.data() + 1, i), floats[i]);
  const std::array<uint16_t, 3> words = {0x3C00, 0xC000, 0x4248};
  std::memcpy(memory.data() + 3, words.data(), sizeof words);
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(load_element(DType::kF16, memory.data() + 3, i), f16_to_f32(words[i]));
    EXPECT_EQ(load_element(DType::kBf16, memory.data() + 3, i), bf16_to_f32(words[i]));
  }
}

TEST(DType, HasNamesAndSizes) {
  EXPECT_EQ(dtype_bits(DType::kF32), 32U);
  EXPECT_EQ(dtype_bits(DType::kF16), 16U);
  EXPECT_EQ(dtype_bits(DType::kBf16), 16U);
  EXPECT_EQ(dtype_bits(DType::kI8), 8U);
  EXPECT_EQ(dtype_bits(DType::kI4), 4U);
  EXPECT_EQ(dtype_name(DType::kBf16), "bf16");
}

}  // namespace
}  // namespace seqgpt
