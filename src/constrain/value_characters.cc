// SPDX-License-Identifier: Apache-2.0
// Finding numbers and words, each joint decided by the few characters around it.
#include "constrain/value_characters.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace seqgpt {
namespace {

constexpr std::u32string_view kNumerals =
    U"〇零一二三四五六七八九十百千万亿兆两兩壹贰貳叁參叄肆伍陆陸柒捌玖拾佰仟萬億廿卅幺";
constexpr std::u32string_view kMultipliers = U"百千万亿兆佰仟萬億";
constexpr std::u32string_view kShortMultipliers = U"kKwWmMｋＫｗＷ";

bool holds(std::u32string_view set, char32_t c) {
  return set.find(c) != std::u32string_view::npos;
}

// A comma within a number: one to three digits (or a group before it), then exactly three.
bool groups_digits(const Characters& all, size_t comma) {
  size_t run = 0;
  while (run < 4 && comma > run && is_digit(all[comma - run - 1].code)) ++run;
  if (run == 0 || run > 3) return false;
  for (size_t i = 1; i <= 3; ++i) {
    if (!is_digit(code(all, comma + i))) return false;
  }
  return !is_digit(code(all, comma + 4));
}

// A point or comma that belongs to the number around it.
bool inside_number(const Characters& all, size_t at) {
  const char32_t c = code(all, at);
  const char32_t previous = before(all, at);
  const char32_t next = code(all, at + 1);
  if (c == U'.' || c == U'．' || c == U'·') return is_digit(previous) && is_digit(next);
  if (c == U',' || c == U'，') return groups_digits(all, at);
  if (c == U'点' || c == U'點') return is_numeral(previous) && is_numeral(next);
  return false;
}

// 120k, 15w: a lone letter after a digit.
bool multiplies(const Characters& all, size_t at) {
  return holds(kShortMultipliers, code(all, at)) && !is_latin(code(all, at + 1));
}

bool joins_number(const Characters& all, size_t at) {
  const char32_t a = before(all, at);
  const char32_t b = code(all, at);
  if (is_digit(a) && is_digit(b)) return true;
  if (is_numeral(a) && is_numeral(b)) return true;
  if (is_digit(a) && (holds(kMultipliers, b) || multiplies(all, at))) return true;
  if (holds(kMultipliers, a) && is_digit(b)) return true;
  return inside_number(all, at) || (at > 0 && inside_number(all, at - 1));
}

bool in_mailbox(char32_t c) {
  return is_latin(c) || is_digit(c) || c == U'_' || c == U'*';
}

// A point, plus or hyphen belongs to an address only between two of its letters.
bool joins_mailbox(const Characters& all, size_t at) {
  constexpr std::u32string_view kBetween = U".-+%";
  const char32_t a = before(all, at);
  const char32_t b = code(all, at);
  if (in_mailbox(a) && in_mailbox(b)) return true;
  if (holds(kBetween, b)) return in_mailbox(a) && in_mailbox(code(all, at + 1));
  return holds(kBetween, a) && in_mailbox(b) && at > 1 && in_mailbox(all[at - 2].code);
}

// "QQ474395755", "Tel13800138000": what stands before the digits says what they are.
bool announces(const Characters& all, size_t at) {
  constexpr std::string_view kWords[] = {"qq",  "wx",    "vx",     "tel",   "phone", "mobile",
                                         "fax", "email", "mail",   "no",    "id",    "sn",
                                         "num", "code",  "number", "wechat"};
  return std::ranges::find(kWords, latin_word(all, at)) != std::end(kWords);
}

uint8_t joints(const Characters& all, size_t at) {
  const char32_t a = before(all, at);
  const char32_t b = code(all, at);
  uint8_t found = 0;
  if (joins_number(all, at)) found |= ValueCharacter::kNumber;
  if (is_latin(a) && is_latin(b)) found |= ValueCharacter::kWord;
  const bool glued = is_latin(a) && is_digit(b) && !announces(all, at - 1);
  if (glued || (is_digit(a) && is_latin(b))) found |= ValueCharacter::kDigitLetter;
  if (joins_mailbox(all, at)) found |= ValueCharacter::kMailbox;
  return found;
}

}  // namespace

bool is_numeral(char32_t c) {
  return holds(kNumerals, c);
}

Characters value_characters(const SpanText& text) {
  Characters all;
  for (size_t at = 0; at < text.bytes.size();) {
    const Decoded c = utf8_decode(text.bytes, at);
    all.push_back({c.code_point, static_cast<uint32_t>(at), 0});
    at += c.bytes;
  }
  all.push_back({0, static_cast<uint32_t>(text.bytes.size()), 0});
  for (size_t at = 1; at < all.size(); ++at) all[at].joints = joints(all, at);
  return all;
}

std::string latin_word(const Characters& characters, size_t at) {
  constexpr size_t kLongest = 24;  // beyond any word we know
  size_t first = at;
  while (first > 0 && at - first < kLongest && is_latin(characters[first - 1].code)) --first;
  std::string word;
  for (size_t i = first; i < characters.size() && word.size() < 2 * kLongest; ++i) {
    char32_t c = characters[i].code;
    if (!is_latin(c)) break;
    if (c >= 0xFF21 && c <= 0xFF5A) c -= 0xFEE0;
    if (c >= U'A' && c <= U'Z') c += 32;
    word.push_back(c < 128 ? static_cast<char>(c) : '?');
  }
  return word;
}

}  // namespace seqgpt
