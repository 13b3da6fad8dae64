// SPDX-License-Identifier: Apache-2.0
// Character classes by utf8proc's tables, and trimming over them.
#include "task/characters.h"

#include <utf8proc.h>

#include "base/utf8.h"

namespace seqgpt {
namespace {

const utf8proc_property_t& property(char32_t c) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
}

size_t last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && !utf8_boundary(text, at)) --at;
  return at;
}

}  // namespace

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_blank(char32_t c) {
  if (is_white_space(c)) return true;
  const auto kind = property(c).boundclass;
  return kind == UTF8PROC_BOUNDCLASS_CR || kind == UTF8PROC_BOUNDCLASS_LF ||
         kind == UTF8PROC_BOUNDCLASS_CONTROL;
}

bool is_letter(char32_t c) {
  const auto category = property(c).category;
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT || category == UTF8PROC_CATEGORY_LM ||
         category == UTF8PROC_CATEGORY_LO;
}

bool is_control(char32_t c) {
  const auto category = property(c).category;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool is_format(char32_t c) {
  return property(c).category == UTF8PROC_CATEGORY_CF && c != 0x200C && c != 0x200D;
}

bool is_mark(char32_t c) {
  const auto& entry = property(c);
  if (entry.category == UTF8PROC_CATEGORY_MN || entry.category == UTF8PROC_CATEGORY_MC ||
      entry.category == UTF8PROC_CATEGORY_ME) {
    return true;
  }
  const auto kind = entry.boundclass;
  return kind == UTF8PROC_BOUNDCLASS_EXTEND || kind == UTF8PROC_BOUNDCLASS_SPACINGMARK ||
         kind == UTF8PROC_BOUNDCLASS_ZWJ;
}

std::string_view trim_white_space(std::string_view text) {
  while (!text.empty()) {
    const Decoded first = utf8_decode(text, 0);
    if (!is_white_space(first.code_point)) break;
    text.remove_prefix(first.bytes);
  }
  while (!text.empty()) {
    const size_t last = last_character(text);
    if (!is_white_space(utf8_decode(text, last).code_point)) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

}  // namespace seqgpt
