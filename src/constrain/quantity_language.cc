// SPDX-License-Identifier: Apache-2.0
// The languages of dates, amounts, numbers, percentages and durations.
#include "constrain/type_language.h"

#include <algorithm>
#include <string>

#include "constrain/language_parts.h"
#include "constrain/type_words.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

size_t figure(const Characters& all, size_t at) {
  return is_figure(all[at].code) ? at + 1 : 0;
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

// -- values as a whole

// 15.62亿 is none; 三千年前 and 一万年 are.
bool whole_date(const Characters& all, size_t begin, size_t end) {
  static const CharacterSet scales(U"百千万萬亿億");
  for (size_t at = begin + 1; at < end; ++at) {
    if (scales.holds(all[at].code) && is_digit(all[at - 1].code)) return false;
  }
  return true;
}
// Whether the number that ends before `end` counts things that stand behind it: the 9 of 9辆, the
// 4 of 4时. 5000人民币 and the 5万 of 5万年终奖 count nothing.
bool counts_things(const Characters& all, size_t end) {
  static const CharacterSet things(words::kCounted);
  static const CharacterSet times(words::kCalendar);
  if (!is_figure(all[end - 1].code)) return false;
  const char32_t next = code(all, end);
  if (next == U'人' && code(all, end + 1) == U'民') return false;
  if (things.holds(next)) return true;
  size_t begin = end;
  while (begin > 0 && is_digit(all[begin - 1].code)) --begin;
  return times.holds(next) && begin < end && end - begin <= 2 && !is_figure(before(all, begin));
}
// Whether what begins here is (the beginning of) a day: the 2024 of 2024-3-30.
bool begins_day(const Characters& all, size_t begin) {
  return lone_date(all, begin, date_signs_end(all, begin));
}
// 9辆, 4时 and 2024-3-30 are no money; 80元/年 and 5000元每月 are.
bool whole_amount(const Characters& all, size_t begin, size_t end) {
  const bool counted = end - begin > 1 && counts_things(all, end - 1);
  return !counted && !counts_things(all, end) && !begins_day(all, begin);
}
// How many: no money, no share, no time.
bool whole_count(const Characters& all, size_t begin, size_t end) {
  static const CharacterSet others(U"元圆圓￥¥$＄€£%％‰");
  static const CharacterSet times(U"年月日号號");
  constexpr size_t kMostDigits = 10;  // more are a number that names something
  const bool figure_last = is_figure(all[end - 1].code);
  if (figure_last && (others.holds(code(all, end)) || times.holds(code(all, end)))) return false;
  for (size_t at = begin; at < end; ++at) {
    const char32_t c = all[at].code;
    if (others.holds(c) || figures_end(all, at) - at > kMostDigits) return false;
    if (at > begin && times.holds(c) && is_figure(all[at - 1].code)) return false;
  }
  return !begins_day(all, begin);
}
// How long: a day of the calendar alone is none.
bool whole_duration(const Characters& all, size_t begin, size_t end) {
  return !lone_date(all, begin, end);
}

using enum ValueCharacter::Joint;
constexpr TypeLanguage kQuantityLanguages[] = {
    {"date", in_date, begins_date, ends_date, date_evidence, kNumber | kWord | kDigitLetter, 40,
     kNoLimit, kNoLimit, whole_date},
    {"amount", in_amount, alone<begins_amount>, alone<ends_amount>, figure, kNumber | kWord, 60,
     kNoLimit, kNoLimit, whole_amount},
    {"number", in_number, alone<begins_number>, alone<ends_number>, figure, kNumber | kWord, 30, 6,
     10},
    {"count", in_number, alone<begins_number>, alone<ends_number>, figure, kNumber | kWord, 30, 6,
     10, whole_count},
    {"percent", in_percent, alone<begins_percent>, alone<ends_percent>, figure, kNumber | kWord, 40,
     kNoLimit, kNoLimit},
    {"duration", in_duration, alone<begins_duration>, alone<ends_duration>, duration_evidence,
     kNumber | kWord, 60, kNoLimit, kNoLimit, whole_duration},
};

}  // namespace

std::span<const TypeLanguage> quantity_languages() {
  return kQuantityLanguages;
}

}  // namespace seqgpt
