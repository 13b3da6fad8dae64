// SPDX-License-Identifier: Apache-2.0
// The UTF-8 decoder behind utf8.h; one table-free routine serves checking, counting and replacing.
#include "base/utf8.h"

namespace seqgpt {
namespace {

struct LeadByte {
  size_t length;       // 0: no lead byte
  uint8_t second_low;  // range of the second byte: keeps out overlong forms, surrogates, > U+10FFFF
  uint8_t second_high;
};

LeadByte classify_lead(uint8_t lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Decoded utf8_decode(std::string_view text, size_t at) {
  constexpr char32_t kReplacement = 0xFFFD;
  const auto lead = static_cast<uint8_t>(text[at]);
  const LeadByte form = classify_lead(lead);
  if (form.length == 1) return {lead, 1, true};
  if (form.length == 0) return {kReplacement, 1, false};
  char32_t code_point = lead & (0x7F >> form.length);
  for (size_t i = 1; i < form.length; ++i) {
    if (at + i >= text.size()) return {kReplacement, i, false};
    const auto byte = static_cast<uint8_t>(text[at + i]);
    const uint8_t low = i == 1 ? form.second_low : 0x80;
    const uint8_t high = i == 1 ? form.second_high : 0xBF;
    if (byte < low || byte > high) return {kReplacement, i, false};
    code_point = (code_point << 6) | (byte & 0x3F);
  }
  return {code_point, form.length, true};
}

std::optional<size_t> utf8_first_invalid(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = utf8_decode(text, at);
    if (!decoded.valid) return at;
    at += decoded.bytes;
  }
  return std::nullopt;
}

void utf8_append(std::string& out, char32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = 0xFFFD;
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

size_t utf8_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  return count;
}

size_t utf16_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    count += ((byte & 0xC0) != 0x80) + (byte >= 0xF0);
  }
  return count;
}

std::string utf8_lossy(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = utf8_decode(text, at);
    utf8_append(out, decoded.code_point);
    at += decoded.bytes;
  }
  return out;
}

}  // namespace seqgpt
