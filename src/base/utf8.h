// SPDX-License-Identifier: Apache-2.0
// UTF-8 as bytes and code points: checking, decoding, counting, offsets in other units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seqgpt {

struct Decoded {
  char32_t code_point;  // U+FFFD when the bytes are not valid UTF-8
  size_t bytes;         // bytes consumed, at least 1: a maximal invalid part counts as one
  bool valid;
};

/// The code point that starts at byte `at` (at < text.size()).
Decoded utf8_decode(std::string_view text, size_t at);

/// Position of the first byte that is not valid UTF-8 (overlong forms, surrogates and > U+10FFFF
/// are not).
std::optional<size_t> utf8_first_invalid(std::string_view text);

/// Appends one code point. Surrogates and values beyond U+10FFFF become U+FFFD.
void utf8_append(std::string& out, char32_t code_point);

/// True when `at` is not inside a character (start, end, or a byte that is no continuation byte).
inline bool utf8_boundary(std::string_view text, size_t at) {
  return at >= text.size() || (static_cast<uint8_t>(text[at]) & 0xC0) != 0x80;
}

/// Code points of a valid text: bytes that are no continuation bytes.
size_t utf8_count(std::string_view text);

/// UTF-16 units of a valid text (4-byte characters take two).
size_t utf16_count(std::string_view text);

/// Each maximal invalid part replaced by U+FFFD, as Rust's from_utf8_lossy does.
std::string utf8_lossy(std::string_view text);

}  // namespace seqgpt
