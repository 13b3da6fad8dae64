// SPDX-License-Identifier: Apache-2.0
// The looks themselves.
#include "constrain/language_parts.h"

#include <algorithm>
#include <string>

#include "constrain/type_language.h"

namespace seqgpt {
namespace {

bool is_separator(char32_t c) {
  static const CharacterSet set(U" -－—–‑~～/\\.．,，:：·、");
  return set.holds(c) || opens_bracket(c);
}

bool is_date_mark(char32_t c) {
  static const CharacterSet set(U"年月日号號./-");
  return set.holds(c);
}
// 一百二十 is a number, 二〇二四 a year.
bool holds_scale(const Characters& all, size_t begin, size_t end) {
  static const CharacterSet set(U"十百千万亿拾佰仟萬億");
  for (size_t at = begin; at < end; ++at) {
    if (set.holds(all[at].code)) return true;
  }
  return false;
}

}  // namespace

bool opens_bracket(char32_t c) {
  return c == U'(' || c == U'（' || c == U'[' || c == U'［' || c == U'【' || c == U'〔';
}

bool closes_bracket(char32_t c) {
  return c == U')' || c == U'）' || c == U']' || c == U'］' || c == U'】' || c == U'〕';
}

bool is_minus(char32_t c) {
  return c == U'-' || c == U'－' || c == U'—';
}

bool solid_begin(char32_t c) {
  return !is_separator(c) && !closes_bracket(c);
}

bool solid_end(char32_t c) {
  return !is_separator(c);
}

bool known_word(const Characters& all, size_t at, const LatinWords& words) {
  return std::ranges::find(words, latin_word(all, at)) != words.end();
}

bool fits_number(const Characters& all, size_t at) {
  const char32_t c = all[at].code;
  if (c == U',' || c == U'，' || c == U'.' || c == U'．')
    return (all[at].joints & ValueCharacter::kNumber) != 0;
  return c != U' ' || !is_digit(before(all, at)) || !is_digit(code(all, at + 1));
}

size_t word_at(const Characters& all, size_t at, const Words& words) {
  size_t shortest = 0;
  for (const std::u32string_view word : words) {
    if (word.front() != all[at].code || (shortest != 0 && at + word.size() >= shortest)) continue;
    size_t same = 0;
    while (same < word.size() && code(all, at + same) == word[same]) ++same;
    if (same == word.size()) shortest = at + same;
  }
  return shortest;
}

bool word_ends(const Characters& all, size_t last, const Words& words) {
  return std::ranges::any_of(words, [&](std::u32string_view word) {
    if (word.size() > last + 1) return false;
    for (size_t i = 0; i < word.size(); ++i) {
      if (all[last + 1 - word.size() + i].code != word[i]) return false;
    }
    return true;
  });
}

size_t figures_end(const Characters& all, size_t at) {
  while (is_figure(code(all, at))) ++at;
  return at;
}

bool lone_date(const Characters& all, size_t begin, size_t end) {
  static const CharacterSet centuries(U"12１２");
  constexpr size_t kYear = 4;
  size_t runs = 0;
  bool month = false;
  char32_t year_mark = 0;
  for (size_t at = begin; at < end;) {
    const size_t run = std::min(figures_end(all, at), end);
    if (run == at || ++runs > 3) return false;  // not a number, or more than a date has
    const char32_t mark = run < end ? all[run].code : 0;
    if (mark != 0 && !is_date_mark(mark)) return false;
    const bool year = runs == 1 && run - at == kYear && !holds_scale(all, at, run);
    if (year && (mark == U'年' || centuries.holds(all[at].code))) year_mark = mark;
    month |= mark == U'月' && run + 1 < end && is_figure(all[run + 1].code);
    at = run + 1;
  }
  return month || year_mark == U'年' || (year_mark != 0 && runs == 3);
}

size_t date_signs_end(const Characters& all, size_t at) {
  while (is_figure(code(all, at)) || is_date_mark(code(all, at))) ++at;
  return at;
}

}  // namespace seqgpt
