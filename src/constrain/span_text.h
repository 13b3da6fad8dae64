// SPDX-License-Identifier: Apache-2.0
// SpanText: the strings that values are copied from, with a map back to the source, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seqgpt {

/// The source without what an answer cannot say (TAB, CR, LF, NUL) as one string and, where that
/// differs, without single spaces between CJK characters as a second. Each string stands between
/// two '\n'.
struct SpanText {
  enum Flag : uint8_t {
    kMayBegin = 1,  // a value may begin with the character that starts here
    kMayEnd = 2,    // a value may end after the character that ends here
    kSolidEnd = 4,  // the last byte of a character that is not blank
  };

  std::string bytes;             // "\n" first "\n" [second "\n"]
  std::vector<uint32_t> source;  // for each byte, where it stands in the source
  std::vector<uint8_t> flags;    // for each byte
};

/// `source` is valid UTF-8 of less than 4 GiB.
SpanText make_span_text(std::string_view source);

/// Punctuation that seldom stands inside a value.
bool parts_phrases(char32_t c);

/// Decimal digits and Latin letters, full-width forms included.
bool is_digit(char32_t c);
bool is_latin(char32_t c);

}  // namespace seqgpt
