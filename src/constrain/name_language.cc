// SPDX-License-Identifier: Apache-2.0
// The languages of phones, addresses, identifiers and of who or what has a name.
#include "constrain/type_language.h"

#include <algorithm>
#include <string>

#include "constrain/language_parts.h"
#include "constrain/type_words.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

// -- phones, addresses, identifiers

bool in_phone(const Characters& all, size_t at) {
  static const CharacterSet set(words::kPhone);
  const char32_t c = all[at].code;
  if (!is_latin(c)) return is_digit(c) || set.holds(c);
  const std::string word = latin_word(all, at);
  const bool masked = word.find_first_not_of('x') == std::string::npos;
  return masked || word == "ext";
}
bool begins_phone(char32_t c) {
  return is_digit(c) || c == U'*' || c == U'＊' || c == U'+' || c == U'＋' || c == U'(' ||
         c == U'（';
}
bool ends_phone(char32_t c) {
  return is_digit(c) || is_latin(c) || c == U'*' || c == U'＊';
}
// Three digits or masks, whatever stands between them.
size_t phone_evidence(const Characters& all, size_t at) {
  size_t found = 0;
  constexpr size_t kNear = 12;
  for (size_t i = at; i < all.size() && i < at + kNear; ++i) {
    const char32_t c = all[i].code;
    found += is_digit(c) || c == U'*' || c == U'＊' ? 1 : 0;
    if (found == 0 || c == U'\n') return 0;
    if (found == 3) return i + 1;
  }
  return 0;
}

bool in_email(const Characters& all, size_t at) {
  static const CharacterSet set(words::kMailbox);
  const char32_t c = all[at].code;
  return is_latin(c) || is_digit(c) || set.holds(c);
}
bool edge_of_email(char32_t c) {
  return is_latin(c) || is_digit(c) || c == U'*' || c == U'_';
}
size_t email_evidence(const Characters& all, size_t at) {
  const char32_t sign = code(all, at + 1);
  const bool around = edge_of_email(all[at].code) && edge_of_email(code(all, at + 2));
  return (sign == U'@' || sign == U'＠') && around ? at + 3 : 0;
}

bool in_plain_id(const Characters& all, size_t at) {
  static const CharacterSet set(words::kPlainId);
  const char32_t c = all[at].code;
  return is_latin(c) || is_digit(c) || set.holds(c);
}
bool edge_of_plain_id(char32_t c) {
  return is_latin(c) || is_digit(c) || c == U'*' || c == U'＊' || c == U'_';
}
size_t plain_id_evidence(const Characters& all, size_t at) {
  return edge_of_plain_id(all[at].code) ? at + 1 : 0;
}
bool in_id(const Characters& all, size_t at) {
  static const CharacterSet set(words::kId);
  const char32_t c = all[at].code;
  return is_digit(c) || is_letter(c) || set.holds(c);
}
bool begins_id(char32_t c) {
  return is_letter(c) || edge_of_plain_id(c) || c == U'#' || opens_bracket(c);
}
bool ends_id(char32_t c) {
  return is_letter(c) || edge_of_plain_id(c) || closes_bracket(c);
}
size_t id_evidence(const Characters& all, size_t at) {
  const char32_t c = all[at].code;
  return is_numeral(c) || edge_of_plain_id(c) ? at + 1 : 0;
}

// -- kinds of phones and identifiers

bool is_mask(char32_t c) {
  static const CharacterSet set(U"*＊xX●•");
  return set.holds(c);
}
size_t digits_and_masks(const Characters& all, size_t begin, size_t end) {
  size_t count = 0;
  for (size_t at = begin; at < end; ++at) count += is_digit(all[at].code) || is_mask(all[at].code);
  return count;
}
char32_t plain_digit(char32_t c) {
  return c >= U'０' && c <= U'９' ? c - U'０' + U'0' : c;
}
// A mobile number, also one mistyped by a digit or masked: 1..., +86 1..., 0912-345-678, +1 ...;
// no hot line, landline or order number.
bool whole_mobile(const Characters& all, size_t begin, size_t end) {
  const size_t count = digits_and_masks(all, begin, end);
  if (count < 8 || count > 15) return false;
  char32_t lead[3] = {};
  for (size_t at = begin, known = 0; at < end && known < std::size(lead); ++at) {
    const char32_t c = plain_digit(all[at].code);
    if (known == 0 && (c == U'+' || c == U'＋')) return true;
    if (is_digit(c) || is_mask(c)) lead[known++] = c;
  }
  const char32_t first = lead[0];
  if (first == U'1') return count <= 12 && lead[1] != U'0' && lead[1] != U'1' && lead[1] != U'2';
  if (first == U'0') return lead[1] == U'9' && count == 10;  // Taiwan
  const bool abroad = first == U'8' && (lead[1] == U'6' || (lead[1] == U'5' && lead[2] <= U'3'));
  return (abroad && count >= 11) || (count == 8 && first >= U'5');  // 86, 852, 853; Hong Kong
}
bool whole_id_card(const Characters& all, size_t begin, size_t end) {
  constexpr size_t kFewest = 6;  // a passport has 8 or 9
  return end - begin >= kFewest && digits_and_masks(all, begin, end) * 2 >= end - begin;
}
bool whole_plain_id(const Characters&, size_t begin, size_t end) {
  constexpr size_t kFewest = 4;  // the last digits of a card
  return end - begin >= kFewest;
}

// -- names

bool is_chinese(char32_t c) {
  return is_letter(c) && !is_latin(c);
}
// A space between two words of Latin letters, or behind the first character of a name: 张　三.
bool spaces_name(const Characters& all, size_t at) {
  while (at > 0 && (before(all, at) == U' ' || before(all, at) == U'\u3000')) --at;
  return !is_chinese(before(all, at)) || !is_chinese(before(all, at - 1));
}
// A digit belongs to a name only behind Latin letters: user2024.
bool in_person(const Characters& all, size_t at) {
  static const CharacterSet ends(words::kNameEnds);
  const char32_t c = all[at].code;
  if (c == U',' || c == U'/') return is_latin(before(all, at)) || before(all, at) == U'.';
  if (c == U' ' || c == U'\u3000') return spaces_name(all, at);
  if (!is_digit(c)) return !ends.holds(c);
  while (at > 0 && (is_digit(all[at].code) || all[at].code == U'_')) --at;
  return is_latin(all[at].code);
}
bool ends_person(char32_t c) {
  return c != U',' && c != U'/';
}
size_t letter(const Characters& all, size_t at) {
  return is_letter(all[at].code) ? at + 1 : 0;
}
bool any(char32_t) {
  return true;
}
bool in_sentence(const Characters& all, size_t at) {
  static const CharacterSet ends(words::kSentenceEnds);
  return !ends.holds(all[at].code);
}
// A word for the kind of body: 银行, 支行, Bank; 大学, School.
template <const std::u32string_view& kWords, const std::string_view& kLatin>
size_t word_for_it(const Characters& all, size_t at) {
  static const Words known = words_of(kWords);
  static const LatinWords latin = words_of(kLatin);
  if (!is_latin(all[at].code)) return word_at(all, at, known);
  if (is_latin(before(all, at)) || !known_word(all, at, latin)) return 0;
  return at + latin_word(all, at).size();
}

using enum ValueCharacter::Joint;
constexpr uint8_t kIdJoints = kNumber | kWord | kDigitLetter;
constexpr TypeLanguage kNameLanguages[] = {
    {"phone", in_phone, alone<begins_phone>, alone<ends_phone>, phone_evidence, kNumber | kWord, 40,
     kNoLimit, kNoLimit},
    {"mobile", in_phone, alone<begins_phone>, alone<ends_phone>, phone_evidence, kNumber | kWord,
     30, kNoLimit, kNoLimit, whole_mobile, true},
    {"email", in_email, alone<edge_of_email>, alone<edge_of_email>, email_evidence, kMailbox, 100,
     kNoLimit, kNoLimit},
    {"id", in_id, alone<begins_id>, alone<ends_id>, id_evidence, kIdJoints, 50, 12, 4},
    {"plain id", in_plain_id, alone<edge_of_plain_id>, alone<edge_of_plain_id>, plain_id_evidence,
     kIdJoints, 50, kNoLimit, kNoLimit, whole_plain_id, true},
    {"id_card", in_plain_id, alone<edge_of_plain_id>, alone<edge_of_plain_id>, plain_id_evidence,
     kIdJoints, 50, kNoLimit, kNoLimit, whole_id_card, true},
    {"person", in_person, alone<any>, alone<ends_person>, letter, kWord, 40, kNoLimit, kNoLimit},
    {"bank", in_sentence, alone<any>, alone<any>, word_for_it<words::kBank, words::kBankLatin>,
     kWord, 60, kNoLimit, kNoLimit, nullptr, true},
    {"school", in_sentence, alone<any>, alone<any>,
     word_for_it<words::kSchool, words::kSchoolLatin>, kWord, 60, kNoLimit, kNoLimit},
    {"gender", in_sentence, alone<any>, alone<any>,
     word_for_it<words::kGender, words::kGenderLatin>, kWord, 8, 0, 1, nullptr, true},
};

}  // namespace

std::span<const TypeLanguage> name_languages() {
  return kNameLanguages;
}

}  // namespace seqgpt
