// SPDX-License-Identifier: Apache-2.0
// Each type's language: characters it is made of, where it may begin and end, what it must hold.
#include "constrain/type_language.h"

#include <utf8proc.h>

#include <algorithm>
#include <string>

#include "constrain/character_set.h"
#include "constrain/type_words.h"

namespace seqgpt {
namespace {

bool is_letter(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return true;
    default:
      return false;
  }
}
bool is_separator(char32_t c) {
  static const CharacterSet set(U" -－—–‑~～/\\.．,，:：·、");
  return set.holds(c) || opens_bracket(c);
}
bool solid_end(char32_t c) {
  return !is_separator(c);
}
bool solid_begin(char32_t c) {
  return !is_separator(c) && !closes_bracket(c);
}
bool known_word(const Characters& all, size_t at, const LatinWords& words) {
  return std::ranges::find(words, latin_word(all, at)) != words.end();
}
// A point or comma that is written inside a number, or a space that is not between two digits.
bool fits_number(const Characters& all, size_t at) {
  const char32_t c = all[at].code;
  if (c == U',' || c == U'，' || c == U'.' || c == U'．')
    return (all[at].joints & ValueCharacter::kNumber) != 0;
  return c != U' ' || !is_digit(before(all, at)) || !is_digit(code(all, at + 1));
}
size_t figure(const Characters& all, size_t at) {
  return is_figure(all[at].code) ? at + 1 : 0;
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

// Whether one of `words` ends with character `last`.
bool word_ends(const Characters& all, size_t last, const Words& words) {
  return std::ranges::any_of(words, [&](std::u32string_view word) {
    if (word.size() > last + 1) return false;
    for (size_t i = 0; i < word.size(); ++i) {
      if (all[last + 1 - word.size() + i].code != word[i]) return false;
    }
    return true;
  });
}
/// A condition on the character alone.
template <bool (*kTest)(char32_t)>
bool alone(const Characters& all, size_t at) {
  return kTest(all[at].code);
}

// -- dates

// "March 15, 2022": a comma between a day after an English word and a year.
bool english_comma(const Characters& all, size_t at) {
  if (all[at].code != U',' || !is_digit(before(all, at))) return false;
  size_t day = at;
  while (day > 0 && is_digit(all[day - 1].code)) --day;
  if (day > 0 && all[day - 1].code == U' ') --day;
  const size_t year = code(all, at + 1) == U' ' ? at + 2 : at + 1;
  return is_latin(before(all, day)) && is_digit(code(all, year)) && is_digit(code(all, year + 3));
}
bool date_word(const Characters& all, size_t at) {
  static const LatinWords latin = words_of(words::kDateLatin);
  return known_word(all, at, latin);
}
bool in_date(const Characters& all, size_t at) {
  static const CharacterSet units(words::kDateUnits);
  static const CharacterSet besides(words::kDateBesides);
  static const CharacterSet of_words(words::kDate);
  const char32_t c = all[at].code;
  if (is_latin(c)) return date_word(all, at);
  if (c == U'、') {  // 8、9月; 25日、26日
    const char32_t previous = before(all, at);
    return (is_figure(previous) || units.holds(previous)) && is_figure(code(all, at + 1));
  }
  if (is_figure(c) || c == U' ' || units.holds(c) || besides.holds(c) || of_words.holds(c))
    return true;
  return english_comma(all, at);
}
bool is_vague(char32_t c) {
  static const CharacterSet set(words::kVague);
  return set.holds(c);
}
bool is_date_unit(char32_t c) {
  static const CharacterSet units(words::kDateUnits);
  return units.holds(c) && solid_end(c);
}
// The figures of a code: the 2026 of YT-2026-0117, not that of 1-Mar-2026.
bool behind_code_letters(const Characters& all, size_t at) {
  return before(all, at) == U'-' && is_latin(before(all, at - 1)) && !date_word(all, at - 2);
}
bool begins_date(const Characters& all, size_t at) {
  static const CharacterSet leads(words::kDateLeads);
  static const Words known = words_of(words::kDate);
  const char32_t c = all[at].code;
  if (is_figure(c)) return !is_digit(c) || !behind_code_letters(all, at);
  return is_latin(c) || leads.holds(c) || word_at(all, at, known) != 0;
}
// A number does not end before its unit, a unit does not stand without its number.
bool ends_date(const Characters& all, size_t at) {
  static const CharacterSet tails(words::kDateTails);
  static const CharacterSet between(words::kDateBetween);
  static const Words known = words_of(words::kDate);
  const char32_t c = all[at].code;
  if (is_latin(c) || tails.holds(c) || word_ends(all, at, known)) return true;
  if (is_figure(c)) return !is_date_unit(code(all, at + 1));
  const char32_t previous = before(all, at > 0 && before(all, at) == U' ' ? at - 1 : at);
  return is_date_unit(c) && (is_figure(previous) || between.holds(previous) || is_vague(previous));
}
// A date's or a clock's English word, of three letters and more.
size_t english_word(const Characters& all, size_t at) {
  if (is_latin(before(all, at))) return 0;
  const size_t length = latin_word(all, at).size();
  return length >= 3 && date_word(all, at) ? at + length : 0;
}
// A number and its unit, a year or a day written as digits alone, a word for a time.
size_t date_evidence(const Characters& all, size_t at) {
  static const CharacterSet units(words::kDateUnits);
  static const Words known = words_of(words::kDate);
  const char32_t c = all[at].code;
  if (is_latin(c)) return english_word(all, at);
  if (const size_t word = word_at(all, at, known)) return word;
  if (is_vague(c) && is_date_unit(code(all, at + 1))) return at + 2;
  if (!is_figure(c)) return 0;
  static const CharacterSet between(words::kDateBetween);
  size_t end = at;
  while (is_figure(code(all, end)) && is_digit(code(all, end)) == is_digit(c)) ++end;
  const size_t digits = end - at;
  const bool whole = is_digit(c) && !is_digit(before(all, at));
  if (whole && (digits == 4 || digits == 6 || digits == 8)) return end;
  for (int i = 0; i < 3 && between.holds(code(all, end)); ++i) ++end;
  if (!units.holds(code(all, end))) return 0;
  if (solid_end(code(all, end))) return end + 1;
  // What only separates needs a second number.
  return is_figure(code(all, end + 1)) ? end + 2 : 0;
}

// -- amounts and numbers

bool in_amount(const Characters& all, size_t at) {
  static const CharacterSet set(words::kAmount);
  static const LatinWords latin = words_of(words::kAmountLatin);
  const char32_t c = all[at].code;
  if (is_figure(c)) return true;
  if (is_latin(c)) return known_word(all, at, latin);
  return set.holds(c) && fits_number(all, at);
}
bool is_minus(char32_t c) {
  return c == U'-' || c == U'－' || c == U'—';
}
bool begins_amount(char32_t c) {
  static const CharacterSet never(words::kAmountNotFirst);
  return is_minus(c) || (solid_begin(c) && !never.holds(c));
}
bool ends_amount(char32_t c) {
  static const CharacterSet never(words::kAmountNotLast);
  return solid_end(c) && !never.holds(c);
}

bool in_number(const Characters& all, size_t at) {
  static const CharacterSet set(words::kNumber);
  const char32_t c = all[at].code;
  return is_figure(c) || is_letter(c) || (set.holds(c) && fits_number(all, at));
}
bool begins_number(char32_t c) {
  static const CharacterSet leads(words::kNumberLeads);
  return is_figure(c) || leads.holds(c);
}
bool ends_number(char32_t c) {
  static const CharacterSet set(U"+%％‰°℃㎡)）");
  return is_figure(c) || is_letter(c) || set.holds(c);
}

bool in_percent(const Characters& all, size_t at) {
  static const CharacterSet set(words::kPercent);
  static const LatinWords latin = words_of(words::kPercentLatin);
  const char32_t c = all[at].code;
  if (is_figure(c)) return true;
  if (is_latin(c)) return known_word(all, at, latin);
  return set.holds(c) && fits_number(all, at);
}
bool begins_percent(char32_t c) {
  static const CharacterSet never(words::kPercentNotFirst);
  return is_minus(c) || (solid_begin(c) && !never.holds(c));
}
bool ends_percent(char32_t c) {
  static const CharacterSet never(words::kPercentNotLast);
  return solid_end(c) && !never.holds(c);
}

bool in_duration(const Characters& all, size_t at) {
  static const CharacterSet set(words::kDuration);
  static const LatinWords latin = words_of(words::kDurationLatin);
  const char32_t c = all[at].code;
  if (is_latin(c)) return known_word(all, at, latin);
  if (c == U'.' || c == U'．') return fits_number(all, at);
  return is_figure(c) || set.holds(c);
}
bool begins_duration(char32_t c) {
  static const CharacterSet never(words::kDurationNotFirst);
  return solid_begin(c) && !never.holds(c);
}
bool ends_duration(char32_t c) {
  static const CharacterSet never(words::kDurationNotLast);
  return solid_end(c) && !never.holds(c);
}
// The 2024 of 2024.4.1, 2024年 and 2024-2026, no part of a longer number.
bool is_year(const Characters& all, size_t at, size_t end) {
  static const CharacterSet centuries(U"12１２");
  static const CharacterSet after(U"年./-－—–~～至到");
  const char32_t previous = before(all, at);
  return end - at == 4 && centuries.holds(all[at].code) && after.holds(code(all, end)) &&
         !is_digit(previous) && previous != U'.';
}
// A number and its unit, a year (a span of dates lasts too), a word for how long.
size_t duration_evidence(const Characters& all, size_t at) {
  static const Words endless = words_of(words::kEndless);
  static const Words unit_words = words_of(words::kDurationUnitWords);
  static const CharacterSet units(words::kDurationUnits);
  static const CharacterSet between(words::kDurationBetween);
  static const LatinWords latin = words_of(words::kDurationLatin);
  if (const size_t word = word_at(all, at, endless)) return word;
  if (!is_figure(all[at].code) && !is_vague(all[at].code)) return 0;
  size_t end = at + 1;
  while (is_figure(code(all, end))) ++end;
  if (is_year(all, at, end)) return end;
  for (int i = 0; i < 3 && between.holds(code(all, end)); ++i) ++end;
  if (units.holds(code(all, end))) return end + 1;
  if (code(all, end) == 0) return 0;
  if (const size_t word = word_at(all, end, unit_words)) return word;
  const bool known = is_latin(code(all, end)) && known_word(all, end, latin);
  return known ? end + latin_word(all, end).size() : 0;
}

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

// -- names

bool in_person(const Characters& all, size_t at) {
  static const CharacterSet ends(words::kSentenceEnds);
  return !ends.holds(all[at].code);
}
size_t letter(const Characters& all, size_t at) {
  return is_letter(all[at].code) ? at + 1 : 0;
}
bool any(char32_t) {
  return true;
}

using enum ValueCharacter::Joint;
constexpr TypeLanguage kLanguages[] = {
    {"date", in_date, begins_date, ends_date, date_evidence, kNumber | kWord | kDigitLetter, 40,
     kNoLimit, kNoLimit},
    {"amount", in_amount, alone<begins_amount>, alone<ends_amount>, figure, kNumber | kWord, 60,
     kNoLimit, kNoLimit},
    {"number", in_number, alone<begins_number>, alone<ends_number>, figure, kNumber | kWord, 30, 6,
     10},
    {"percent", in_percent, alone<begins_percent>, alone<ends_percent>, figure, kNumber | kWord, 40,
     kNoLimit, kNoLimit},
    {"duration", in_duration, alone<begins_duration>, alone<ends_duration>, duration_evidence,
     kNumber | kWord, 60, kNoLimit, kNoLimit},
    {"phone", in_phone, alone<begins_phone>, alone<ends_phone>, phone_evidence, kNumber | kWord, 40,
     kNoLimit, kNoLimit},
    {"email", in_email, alone<edge_of_email>, alone<edge_of_email>, email_evidence, kMailbox, 100,
     kNoLimit, kNoLimit},
    {"id", in_id, alone<begins_id>, alone<ends_id>, id_evidence, kNumber | kWord | kDigitLetter, 50,
     12, 4},
    {"plain id", in_plain_id, alone<edge_of_plain_id>, alone<edge_of_plain_id>, plain_id_evidence,
     kNumber | kWord | kDigitLetter, 50, kNoLimit, kNoLimit},
    {"person", in_person, alone<any>, alone<any>, letter, kWord, 40, kNoLimit, kNoLimit},
};

}  // namespace

bool opens_bracket(char32_t c) {
  return c == U'(' || c == U'（' || c == U'[' || c == U'［' || c == U'【' || c == U'〔';
}

bool closes_bracket(char32_t c) {
  return c == U')' || c == U'）' || c == U']' || c == U'］' || c == U'】' || c == U'〕';
}

const TypeLanguage* type_language(std::string_view type, std::string_view id_kind) {
  const bool plain = type == "id" && !id_kind.empty() && id_kind != "plate";
  const auto found = std::ranges::find(kLanguages, plain ? "plain id" : type, &TypeLanguage::name);
  return found == std::end(kLanguages) ? nullptr : &*found;
}

}  // namespace seqgpt
