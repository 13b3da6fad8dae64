// SPDX-License-Identifier: Apache-2.0
// Element types of tensors and the exact conversions between them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace seqgpt {

enum class DType : uint8_t { kF32, kF16, kBf16, kI8, kI4 };  // kI8, kI4: quantised weights

constexpr size_t dtype_bits(DType type) {
  switch (type) {
    case DType::kF32:
      return 32;
    case DType::kF16:
    case DType::kBf16:
      return 16;
    case DType::kI8:
      return 8;
    case DType::kI4:
      return 4;
  }
  return 0;
}

constexpr std::string_view dtype_name(DType type) {
  switch (type) {
    case DType::kF32:
      return "f32";
    case DType::kF16:
      return "f16";
    case DType::kBf16:
      return "bf16";
    case DType::kI8:
      return "int8";
    case DType::kI4:
      return "int4";
  }
  return "?";
}

inline float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Nearest even; NaN stays NaN (quiet).
inline uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// IEEE half to float, exact (subnormals, infinities and NaN included).
float f16_to_f32(uint16_t bits);

/// Element i of raw memory of a float type (f32, f16, bf16), without any demand on alignment.
float load_element(DType type, const void* data, size_t index);

}  // namespace seqgpt
