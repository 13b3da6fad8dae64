// SPDX-License-Identifier: Apache-2.0
// Half precision and unaligned loads.
#include "tensor/dtype.h"

#include <cstring>

namespace seqgpt {

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1F;
  const uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (fraction << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float subnormal = static_cast<float>(fraction) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
}

float load_element(DType type, const void* data, size_t index) {
  const auto* bytes = static_cast<const std::byte*>(data);
  if (type == DType::kF32) {
    float value = 0;
    std::memcpy(&value, bytes + index * sizeof value, sizeof value);
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, bytes + index * sizeof bits, sizeof bits);
  return type == DType::kF16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

}  // namespace seqgpt
