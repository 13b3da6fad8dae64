// SPDX-License-Identifier: Apache-2.0
// How the copied strings are made of a source, and where a value may begin and end.
#include "constrain/span_text.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

struct Character {
  char32_t code_point = 0;
  uint32_t source = 0;  // its first byte in the source
  uint8_t bytes = 0;    // 0 at the ends of a string
  uint8_t begin_flags = 0;
  uint8_t end_flags = 0;
};

bool breaks_line(char32_t c) {
  return c == U'\n' || c == U'\r' || c == U'\t';
}
bool is_removed(char32_t c) {
  return breaks_line(c) || c == U'\0';
}

// Scripts that are written without spaces, with their punctuation; full-width words and numbers are
// not.
bool is_cjk(char32_t c) {
  if (is_latin(c) || is_digit(c)) return false;
  return (c >= 0x2E80 && c <= 0x312F && c != 0x3000) || (c >= 0x31A0 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE4F) ||
         (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x20000 && c <= 0x3FFFF);
}

// The characters of the source, each with what its neighbours allow. A character as a reader sees
// it (a grapheme: marks, emoji sequences and flags in one) is never cut.
std::vector<Character> read_characters(std::string_view source) {
  std::vector<Character> all;
  utf8proc_int32_t state = 0;
  for (size_t at = 0; at < source.size();) {
    const Decoded c = utf8_decode(source, at);
    const auto current = static_cast<utf8proc_int32_t>(c.code_point);
    const bool boundary =
        all.empty() || utf8proc_grapheme_break_stateful(
                           static_cast<utf8proc_int32_t>(all.back().code_point), current, &state);
    const bool blank = is_blank(c.code_point);
    if (!boundary) all.back().end_flags &= static_cast<uint8_t>(~SpanText::kMayEnd);
    Character character{c.code_point, static_cast<uint32_t>(at), static_cast<uint8_t>(c.bytes), 0,
                        0};
    if (boundary && !blank && !is_mark(c.code_point)) character.begin_flags = SpanText::kMayBegin;
    if (!blank) character.end_flags = SpanText::kMayEnd | SpanText::kSolidEnd;
    all.push_back(character);
    at += c.bytes;
  }
  return all;
}

// Takes out what an answer cannot say. A break between two words or numbers becomes a space, lest
// they grow together.
std::vector<Character> without_breaks(const std::vector<Character>& all) {
  std::vector<Character> kept;
  const Character* line_break = nullptr;  // the first one since the last kept character
  const auto in_word = [](const Character& c) {
    return is_latin(c.code_point) || is_digit(c.code_point);
  };
  for (const Character& c : all) {
    if (is_removed(c.code_point)) {
      if (line_break == nullptr && breaks_line(c.code_point)) line_break = &c;
      continue;
    }
    if (line_break != nullptr && !kept.empty() && in_word(kept.back()) && in_word(c)) {
      kept.push_back({U' ', line_break->source, 1, 0, 0});
    }
    line_break = nullptr;
    kept.push_back(c);
  }
  return kept;
}

// Takes out the single spaces (ASCII or full-width) that stand between two CJK characters.
std::vector<Character> without_cjk_spaces(const std::vector<Character>& all) {
  std::vector<Character> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool space = all[i].code_point == U' ' || all[i].code_point == U'\u3000';
    const bool between = i > 0 && i + 1 < all.size() && is_cjk(all[i - 1].code_point) &&
                         is_cjk(all[i + 1].code_point);
    if (!space || !between) kept.push_back(all[i]);
  }
  return kept;
}

void append_byte(SpanText& text, char byte, uint32_t source, uint8_t flags) {
  text.bytes.push_back(byte);
  text.source.push_back(source);
  text.flags.push_back(flags);
}

void append_string(SpanText& text, const std::vector<Character>& characters,
                   std::string_view source) {
  for (const Character& c : characters) {
    for (uint8_t i = 0; i < c.bytes; ++i) {
      const char byte = c.code_point == U' ' ? ' ' : source[c.source + i];
      const uint8_t flags = (i == 0 ? c.begin_flags : 0) | (i + 1 == c.bytes ? c.end_flags : 0);
      append_byte(text, byte, c.source + i, flags);
    }
  }
  append_byte(text, '\n', 0, 0);
}

}  // namespace

SpanText make_span_text(std::string_view source) {
  SpanText text;
  append_byte(text, '\n', 0, 0);
  const std::vector<Character> first = without_breaks(read_characters(source));
  append_string(text, first, source);
  const std::vector<Character> second = without_cjk_spaces(first);
  if (second.size() != first.size()) append_string(text, second, source);
  return text;
}

bool is_digit(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= 0xFF10 && c <= 0xFF19);
}

bool is_latin(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') ||
         (c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7) || (c >= 0xFF21 && c <= 0xFF3A) ||
         (c >= 0xFF41 && c <= 0xFF5A);
}

bool parts_phrases(char32_t c) {
  constexpr std::u32string_view kMarks = U"，。；：、！？,;:!?（）()《》“”\"【】[] \u3000";
  return kMarks.find(c) != std::u32string_view::npos;
}

}  // namespace seqgpt
