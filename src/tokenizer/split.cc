// SPDX-License-Identifier: Apache-2.0
// Delimiters are recognised by their bytes: Chinese characters never get past the look at their
// first byte.
#include "tokenizer/split.h"

#include <cstdint>

namespace seqgpt {
namespace {

uint8_t byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<uint8_t>(text[at]) : 0;
}

bool white_space_e2(uint8_t second, uint8_t third) {
  if (second == 0x81) return third == 0x9F;  // U+205F
  if (second != 0x80) return false;
  return (third >= 0x80 && third <= 0x8A) || third == 0xA8 || third == 0xA9 ||
         third == 0xAF;  // U+2000-200A, U+2028, U+2029, U+202F
}

size_t punctuation_at(std::string_view text, size_t at) {
  const uint8_t second = byte_at(text, at + 1);
  switch (byte_at(text, at)) {
    case '(':
    case ')':
    case '|':
    case '.':
    case ',':
    case '!':
    case '?':
      return 1;
    case 0xD8:
      return second == 0x8C ? 2 : 0;  // U+060C
    case 0xDB:
      return second == 0x94 ? 2 : 0;  // U+06D4
    case 0xE0:
      return second == 0xA5 && byte_at(text, at + 2) == 0xA4 ? 3 : 0;  // U+0964
    case 0xE2:
      return second == 0x80 && byte_at(text, at + 2) == 0xA6 ? 3 : 0;  // U+2026
    case 0xE3: {
      const uint8_t third = byte_at(text, at + 2);
      return second == 0x80 && (third == 0x81 || third == 0x82) ? 3 : 0;  // U+3001, U+3002
    }
    case 0xEF:
      return second == 0xBC && byte_at(text, at + 2) == 0x8C ? 3 : 0;  // U+FF0C
    default:
      return 0;
  }
}

/// False for every byte that no delimiter starts with: most of all for the lead bytes E4-E9 of
/// Chinese.
bool may_start_delimiter(uint8_t byte) {
  if (byte < 0x80) return byte < 'A' || byte == '|';
  return byte == 0xC2 || byte == 0xD8 || byte == 0xDB || (byte >= 0xE0 && byte <= 0xE3) ||
         byte == 0xEF;
}

}  // namespace

size_t white_space_at(std::string_view text, size_t at) {
  const uint8_t second = byte_at(text, at + 1);
  switch (const uint8_t first = byte_at(text, at)) {
    case ' ':
      return 1;
    case 0xC2:
      return second == 0x85 || second == 0xA0 ? 2 : 0;  // U+0085, U+00A0
    case 0xE1:
      return second == 0x9A && byte_at(text, at + 2) == 0x80 ? 3 : 0;  // U+1680
    case 0xE2:
      return white_space_e2(second, byte_at(text, at + 2)) ? 3 : 0;
    case 0xE3:
      return second == 0x80 && byte_at(text, at + 2) == 0x80 ? 3 : 0;  // U+3000
    default:
      return first >= '\t' && first <= '\r' ? 1 : 0;
  }
}

size_t delimiter_at(std::string_view text, size_t at) {
  if (!may_start_delimiter(byte_at(text, at))) return 0;
  const size_t space = white_space_at(text, at);
  return space != 0 ? space : punctuation_at(text, at);
}

size_t piece_end(std::string_view text, size_t begin) {
  const auto word_end = [text](size_t at) {
    while (at < text.size() && delimiter_at(text, at) == 0) ++at;
    return at;
  };
  size_t at = begin;
  size_t last = begin;  // the last delimiter of the run
  while (at < text.size()) {
    const size_t length = delimiter_at(text, at);
    if (length == 0) break;
    last = at;
    at += length;
  }
  if (at == begin) return word_end(at);
  const bool space_of_word = at < text.size() && text[last] == ' ';
  if (!space_of_word) return at;
  return last == begin ? word_end(at) : last;
}

}  // namespace seqgpt
