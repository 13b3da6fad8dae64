// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4), which libsodium leaves out.
#include "tools/git_blob.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>

namespace seqgpt {
namespace {

using Words = std::array<uint32_t, 5>;
constexpr size_t kBlockBytes = 64;

void add_block(Words& state, const unsigned char* block) {
  std::array<uint32_t, 80> w{};
  for (size_t i = 0; i < 16; ++i)
    w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 |
           uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (size_t i = 0; i < 80; ++i) {
    const uint32_t f = i < 20   ? (b & c) | (~b & d)
                       : i < 40 ? b ^ c ^ d
                       : i < 60 ? (b & c) | (b & d) | (c & d)
                                : b ^ c ^ d;
    constexpr uint32_t kConstants[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    const uint32_t next = std::rotl(a, 5) + f + e + kConstants[i / 20] + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

std::string padded(std::string message) {
  const uint64_t bits = message.size() * 8;
  message.push_back('\x80');
  while (message.size() % kBlockBytes != kBlockBytes - 8) message.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<char>(bits >> shift));
  return message;
}

}  // namespace

std::string git_blob_id(std::string_view content) {
  std::string message = "blob " + std::to_string(content.size());
  message.push_back('\0');
  message = padded(message + std::string(content));
  Words state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (size_t at = 0; at < message.size(); at += kBlockBytes)
    add_block(state, reinterpret_cast<const unsigned char*>(message.data()) + at);
  std::string hex;
  for (const uint32_t word : state) {
    char part[9];
    std::snprintf(part, sizeof part, "%08x", word);
    hex += part;
  }
  return hex;
}

}  // namespace seqgpt
