// SPDX-License-Identifier: Apache-2.0
// Citizen numbers, credit codes, bank cards, postal codes, and which of them an identifier is.
#include "normalize/identifiers.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "normalize/civil.h"
#include "normalize/fold.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

bool is_mask(char32_t c) {
  return c == U'*' || c == U'#' || c == U'•' || c == U'●';
}

bool all_digits(Folded text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_ascii_digit);
}

int digit_at(Folded text, size_t at) {
  return static_cast<int>(text[at] - U'0');
}

int number_at(Folded text, size_t at, size_t count) {
  int value = 0;
  for (size_t i = at; i < at + count; ++i) value = value * 10 + digit_at(text, i);
  return value;
}

Normalized valid_value(std::string_view kind, Folded value) {
  Normalized out{.kind = kind, .fields = {}, .flat = {}, .reason = {}};
  out.add("value", to_utf8(value));
  out.add("valid", true);
  out.flat = {Flat::Shape::kText, to_utf8(value), {}};
  return out;
}

Normalized masked_value(std::string_view kind, Folded value) {
  Normalized out{.kind = kind, .fields = {}, .flat = {}, .reason = {}};
  out.add("value", to_utf8(value));
  out.add("valid", nullptr);
  out.add("masked", true);
  out.flat = {Flat::Shape::kText, to_utf8(value), {}};
  return out;
}

/// The text with its mask marks as *, or empty when none is masked.
std::u32string masked(Folded text, bool letters_mask) {
  std::u32string out(text);
  bool any = false;
  for (char32_t& c : out) {
    if (!is_mask(c) && !(letters_mask && c == U'X')) continue;
    c = U'*';
    any = true;
  }
  return any ? out : std::u32string();
}

// --- citizen numbers -------------------------------------------------------------------------

char32_t id_check_digit(Folded first17) {
  constexpr int kWeights[] = {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2};
  constexpr std::u32string_view kDigits = U"10X98765432";
  int sum = 0;
  for (size_t i = 0; i < 17; ++i) sum += kWeights[i] * digit_at(first17, i);
  return kDigits[static_cast<size_t>(sum % 11)];
}

/// The first digit is the part of the country, 1 to 8, and 9 for residence permits of foreigners.
bool known_region(Folded text) {
  return text[0] != U'0';
}

Normalized described_id(Folded id) {
  Normalized out = valid_value("id_card", id);
  char birth[16];
  std::snprintf(birth, sizeof birth, "%04d-%02d-%02d", number_at(id, 6, 4), number_at(id, 10, 2),
                number_at(id, 12, 2));
  out.add("birth", birth);
  out.add("gender", digit_at(id, 16) % 2 == 1 ? "M" : "F");
  out.add("region", to_utf8(id.substr(0, 6)));
  return out;
}

bool valid_birth(int year, int month, int day) {
  return year >= 1800 && year <= 2199 && valid_date(year, month, day);
}

Normalized read_id15(Folded id) {
  if (!known_region(id)) return no_value("region");
  if (!valid_birth(1900 + number_at(id, 6, 2), number_at(id, 8, 2), number_at(id, 10, 2)))
    return no_value("birth_date");
  std::u32string whole(id.substr(0, 6));
  whole += U"19";
  whole += id.substr(6);
  whole.push_back(id_check_digit(whole));
  Normalized out = described_id(whole);
  out.add("form", "15-digit");
  return out;
}

Normalized read_id18(Folded id) {
  const bool shaped = all_digits(id.substr(0, 17)) && (is_ascii_digit(id[17]) || id[17] == U'X');
  if (!shaped) return no_value("characters");
  if (!known_region(id)) return no_value("region");
  if (!valid_birth(number_at(id, 6, 4), number_at(id, 10, 2), number_at(id, 12, 2)))
    return no_value("birth_date");
  if (id_check_digit(id) != id[17]) return no_value("check_digit");
  return described_id(id);
}

// --- credit codes ----------------------------------------------------------------------------

constexpr std::u32string_view kCodeAlphabet = U"0123456789ABCDEFGHJKLMNPQRTUWXY";

char32_t credit_check_character(Folded first17) {
  constexpr int kWeights[] = {1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28};
  int sum = 0;
  for (size_t i = 0; i < 17; ++i)
    sum += kWeights[i] * static_cast<int>(kCodeAlphabet.find(first17[i]));
  return kCodeAlphabet[static_cast<size_t>((31 - sum % 31) % 31)];
}

// --- cards -----------------------------------------------------------------------------------

bool luhn(Folded digits) {
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int digit = digit_at(digits, digits.size() - 1 - i);
    if (i % 2 == 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

/// The first two digits of mainland postal codes, by province.
bool known_post(int first_two) {
  constexpr bool kKnown[] = {
      // 0         1  2  3  4  5  6  7  8  9
      false, true,  true,  true,  true,  true,  true,  true,  false, false,  // 0x: 内蒙 山西 河北
      true,  true,  true,  true,  false, true,  true,  false, false, false,  // 1x: 北京 辽 吉 黑
      true,  true,  true,  true,  true,  true,  true,  true,  false, false,  // 2x: 沪 苏 皖 鲁
      true,  true,  true,  true,  true,  true,  true,  false, false, false,  // 3x: 津 浙 赣 闽
      true,  true,  true,  true,  true,  true,  true,  true,  false, false,  // 4x: 湘 鄂 豫
      false, true,  true,  true,  true,  true,  true,  true,  false, false,  // 5x: 粤 桂 黔 琼
      false, true,  true,  true,  true,  true,  true,  true,  false, false,  // 6x: 川 渝 滇
      false, true,  true,  true,  true,  true,  false, false, false, false,  // 7x: 陕 甘 宁
      false, true,  false, true,  true,  true,  true,  false, false, false,  // 8x: 新 青 藏
      false, false, false, false, false, false, false, false, false, false};
  return kKnown[first_two];
}

/// compact() without words before the identifier: 身份证110101…, 邮编100000.
std::u32string compact_bare(Folded text) {
  const auto han = [](char32_t c) { return c >= U'一' && c <= U'龥'; };
  size_t words = 0;
  bool numerals = true;
  for (; words < text.size() && han(text[words]); ++words)
    numerals = numerals && chinese_digit(text[words]) >= 0;
  if (!numerals && words < text.size()) text.remove_prefix(words);
  return compact(text);
}

}  // namespace

std::u32string compact(Folded text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (c == U' ' || c == U'-' || c == U'·' || c == U'.') continue;
    const int digit = chinese_digit(c);
    out.push_back(digit >= 0 ? U'0' + static_cast<char32_t>(digit) : upper(c));
  }
  return out;
}

Normalized normalize_id_card(Folded text) {
  const std::u32string id = compact_bare(text);
  if (id.size() != 15 && id.size() != 18) return no_value("length");
  const bool x_masks = id.find(U'X') < id.size() - 1;
  if (const std::u32string hidden = masked(id, x_masks); !hidden.empty()) {
    for (const char32_t c : hidden) {
      if (!is_ascii_digit(c) && c != U'*' && c != U'X') return no_value("characters");
    }
    return masked_value("id_card", hidden);
  }
  if (id.size() == 18) return read_id18(id);
  return all_digits(id) ? read_id15(id) : no_value("characters");
}

Normalized normalize_credit_code(Folded text) {
  const std::u32string code = compact_bare(text);
  if (code.size() != 18) return no_value("length");
  if (const std::u32string hidden = masked(code, false); !hidden.empty())
    return masked_value("uscc", hidden);
  for (const char32_t c : code) {
    if (kCodeAlphabet.find(c) == Folded::npos) return no_value("characters");
  }
  if (!all_digits(Folded(code).substr(2, 6))) return no_value("characters");
  if (credit_check_character(code) != code[17]) return no_value("check_character");
  return valid_value("uscc", code);
}

Normalized normalize_bank_card(Folded text) {
  const std::u32string card = compact_bare(text);
  const std::u32string hidden = masked(card, true);
  for (const char32_t c : hidden.empty() ? card : hidden) {
    if (!is_ascii_digit(c) && c != U'*') return no_value("characters");
  }
  if (card.size() < 12 || card.size() > 19) return no_value("length");
  if (!hidden.empty()) return masked_value("bank_card", hidden);
  return luhn(card) ? valid_value("bank_card", card) : no_value("check_digit");
}

Normalized normalize_postal(Folded text) {
  const std::u32string code = compact_bare(text);
  if (!all_digits(code)) return no_value("characters");
  if (code.size() != 6) return no_value("length");
  if (!known_post(number_at(code, 0, 2))) return no_value("region");
  return valid_value("postal", code);
}

Normalized normalize_identifier(Folded text, Folded wide) {
  Normalized plate = normalize_plate(text);
  if (plate.has_value()) return plate;
  Normalized id = normalize_id_card(text);
  if (id.has_value()) return id;
  Normalized code = normalize_credit_code(text);
  if (code.has_value()) return code;
  // Like one of them in everything but its check: the fault is told.
  const std::u32string plain = compact(text);
  if (id.reason == "check_digit") return id;
  if (code.reason == "check_character" && !all_digits(plain)) return code;
  Normalized card = normalize_bank_card(text);
  if (card.has_value() && plain.size() >= 16) return card;
  return normalize_other_id(wide);
}

Normalized normalize_other_id(Folded wide) {
  constexpr std::u32string_view kFrame = U" 。;:,、，；：\"'“”‘’《》<>「」";
  std::u32string value;
  for (const char32_t c : wide) {
    if (c != U' ') value.push_back(c);
  }
  const size_t first = value.find_first_not_of(kFrame);
  if (first == std::u32string::npos) return no_value("empty");
  const size_t last = value.find_last_not_of(kFrame);
  value = value.substr(first, last - first + 1);
  Normalized out{.kind = "id", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", to_utf8(value));
  out.flat = {Flat::Shape::kText, to_utf8(value), {}};
  return out;
}

}  // namespace seqgpt
