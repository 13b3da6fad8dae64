// SPDX-License-Identifier: Apache-2.0
// ValueCharacters: the characters of a SpanText, with the places where a number or a word would be
// cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "constrain/span_text.h"

namespace seqgpt {

/// 〇 to 十, 百 千 万 亿 and their capital, traditional and old forms.
bool is_numeral(char32_t c);
/// A digit or one of these.
inline bool is_figure(char32_t c) {
  return is_digit(c) || is_numeral(c);
}

/// One character of a SpanText (its line feeds between strings included) and what stands between it
/// and the one before.
struct ValueCharacter {
  enum Joint : uint8_t {
    kNumber = 1,       // inside one number: 1,100万, 3.5, 二十一, 3万5, 20k
    kWord = 2,         // inside a word in Latin letters
    kDigitLetter = 4,  // between a digit and a Latin letter, either way round
    kMailbox = 8,      // inside what an address is made of: a.b-c_d
  };

  char32_t code = 0;
  uint32_t begin = 0;  // its first byte in SpanText::bytes
  uint8_t joints = 0;
};

using Characters = std::vector<ValueCharacter>;

/// The character at `at` and the one before it; 0 where there is none.
inline char32_t code(const Characters& all, size_t at) {
  return at < all.size() ? all[at].code : 0;
}
inline char32_t before(const Characters& all, size_t at) {
  return at > 0 ? all[at - 1].code : 0;
}

/// The characters in order, and one more (code 0) at the end of the bytes. Linear in the text.
Characters value_characters(const SpanText& text);

/// The word in Latin letters that character `at` stands in, as lower-case ASCII (a full-width
/// letter is its plain form, others become ?).
std::string latin_word(const Characters& characters, size_t at);

}  // namespace seqgpt
