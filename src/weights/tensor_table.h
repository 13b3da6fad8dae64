// SPDX-License-Identifier: Apache-2.0
// TensorTable: what one weight file holds; and the checks that both file formats share.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/checkpoint.h"

namespace seqgpt {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian views");

/// Something that is there, but that no view can show.
struct ForeignTensor {
  std::string name;  // canonical
  std::string why;   // "is stored with dtype I32; ..."
};

inline std::string explain_dtype(std::string_view dtype) {
  return "is stored with dtype " + std::string(dtype) + "; only F32, F16 and BF16 can be read";
}

/// Tensors in order of position. Names are canonical; that they are unique is checked by
/// Checkpoint.
struct TensorTable {
  std::vector<NamedTensor> tensors;
  std::vector<ForeignTensor> foreign;
};

/// No tensor of a network has more; it bounds what a shape may cost.
constexpr size_t kMaxRank = 8;

inline std::string canonical_name(std::string_view name) {
  constexpr std::string_view kPrefix = "transformer.";
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

/// Bytes of a tensor of non-negative extents, or nothing when the count leaves 63 bits.
inline std::optional<uint64_t> checked_bytes(const Shape& shape, uint64_t element_bytes) {
  auto bytes = static_cast<int64_t>(element_bytes);
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return static_cast<uint64_t>(bytes);
}

/// A little-endian number; at + sizeof(T) <= bytes.size() is the caller's duty.
template <typename T>
T load_number(std::span<const std::byte> bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace seqgpt
