// SPDX-License-Identifier: Apache-2.0
// One walk over text that a parser has found valid: strings and nesting are all it needs to know.
#include "api/raw_members.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

size_t skip(std::string_view text, size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

/// Just after the string that begins at `at`.
size_t string_end(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// At the comma or brace that ends the value which begins at `at`.
size_t value_end(std::string_view text, size_t at) {
  for (int depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

std::string_view trimmed(std::string_view text) {
  const size_t last = text.find_last_not_of(kWhiteSpace);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::vector<RawMember> raw_members(std::string_view object) {
  std::vector<RawMember> members;
  size_t at = skip(object, skip(object, 0, kWhiteSpace) + 1, kWhiteSpace);
  while (at < object.size() && object[at] == '"') {
    const size_t key_end = string_end(object, at);
    const size_t colon = skip(object, key_end, kWhiteSpace);
    const size_t value = skip(object, std::min(colon + 1, object.size()), kWhiteSpace);
    const size_t end = value_end(object, value);
    members.push_back(
        {object.substr(at, key_end - at), trimmed(object.substr(value, end - value))});
    at = skip(object, std::min(end + 1, object.size()), kWhiteSpace);
  }
  return members;
}

}  // namespace seqgpt
