// SPDX-License-Identifier: Apache-2.0
// A string's first eight bytes as a number that sorts as they do: most comparisons end there.
#pragma once

#include <cstdint>
#include <string_view>

namespace seqgpt {

/// Shorter strings are padded with zeros; equal keys decide nothing.
inline uint64_t prefix_key(std::string_view bytes) {
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) {
    key = (key << 8) | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  }
  return key;
}

}  // namespace seqgpt
