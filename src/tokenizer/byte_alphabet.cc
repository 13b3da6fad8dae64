// SPDX-License-Identifier: Apache-2.0
// The alphabet's two tables, built once from the rule.
#include "tokenizer/byte_alphabet.h"

#include <array>

#include "base/utf8.h"

namespace seqgpt {
namespace {

constexpr char32_t kFirstStandIn = 0x100;  // the characters for unprintable bytes start here
constexpr char32_t kAlphabetEnd = 0x144;   // one past the last of the 68 of them
constexpr int16_t kOutside = -1;

constexpr bool printable(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int16_t, kAlphabetEnd> byte{};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  for (int16_t& byte : alphabet.byte) byte = kOutside;
  char32_t stand_in = kFirstStandIn;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const char32_t character = printable(byte) ? byte : stand_in++;
    alphabet.character[byte] = character;
    alphabet.byte[character] = static_cast<int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

char32_t byte_character(uint8_t byte) {
  return kAlphabet.character[byte];
}

void append_token_bytes(std::string_view content, std::string& out) {
  const size_t before = out.size();
  for (size_t at = 0; at < content.size();) {
    const Decoded decoded = utf8_decode(content, at);
    const int16_t byte =
        decoded.code_point < kAlphabetEnd ? kAlphabet.byte[decoded.code_point] : kOutside;
    if (byte == kOutside) {
      out.resize(before);
      out.append(content);
      return;
    }
    out.push_back(static_cast<char>(byte));
    at += decoded.bytes;
  }
}

std::string token_content(std::string_view bytes) {
  std::string content;
  for (const char byte : bytes) utf8_append(content, byte_character(static_cast<uint8_t>(byte)));
  return content;
}

}  // namespace seqgpt
