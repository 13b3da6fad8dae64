// SPDX-License-Identifier: Apache-2.0
// The mainland's ranges (MIIT's numbering plan: 1[3-9] mobile, area codes, 400/800), and the door
// to libphonenumber, whose headers stay in this file.
#include "normalize/phone_plan.h"

#include <phonenumbers/phonenumberutil.h>

#include <algorithm>
#include <array>
#include <bitset>

namespace seqgpt {
namespace {

struct Range {
  int first;
  int last;
};

// Three-digit area codes in use.
constexpr Range kAreas[] = {
    {310, 319}, {335, 335}, {349, 359}, {370, 379}, {391, 398}, {410, 419}, {421, 421}, {427, 427},
    {429, 429}, {431, 439}, {440, 440}, {451, 459}, {464, 464}, {467, 479}, {482, 483}, {510, 520},
    {523, 523}, {527, 527}, {530, 539}, {543, 543}, {546, 546}, {550, 566}, {570, 580}, {591, 599},
    {631, 635}, {660, 660}, {662, 663}, {668, 668}, {691, 692}, {701, 701}, {710, 719}, {722, 722},
    {724, 724}, {728, 728}, {730, 739}, {743, 746}, {750, 760}, {762, 763}, {766, 766}, {768, 769},
    {770, 779}, {790, 799}, {812, 813}, {816, 818}, {825, 827}, {830, 839}, {851, 859}, {870, 879},
    {883, 883}, {886, 888}, {890, 899}, {901, 903}, {906, 906}, {908, 909}, {911, 919}, {930, 939},
    {941, 943}, {951, 955}, {970, 977}, {979, 979}, {990, 999},
};

bool known_area(std::string_view digits) {
  static const auto areas = [] {
    std::bitset<1000> set;
    for (const Range range : kAreas) {
      for (int code = range.first; code <= range.last; ++code) set.set(code);
    }
    return set;
  }();
  if (digits.find('*') != std::string_view::npos) return false;
  return areas[(digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0')];
}

std::string grouped(std::string_view national, std::initializer_list<size_t> lengths) {
  std::string out = "+86";
  size_t at = 0;
  for (const size_t length : lengths) {
    out += ' ';
    out += national.substr(at, length);
    at += length;
  }
  return out;
}

PlannedNumber planned(std::string_view national, std::initializer_list<size_t> lengths,
                      std::string_view type) {
  return {grouped(national, lengths), "+86" + std::string(national), type};
}

std::optional<PlannedNumber> landline(std::string_view national) {
  const size_t size = national.size();
  const bool two_digits =
      national[0] == '1' ? national[1] == '0' : national[0] == '2' && national[1] != '6';
  if (two_digits) {
    if (size != 10 || national[1] == '*' || national[2] == '0') return std::nullopt;
    return planned(national, {2, 4, 4}, "landline");
  }
  if ((size != 10 && size != 11) || !known_area(national.substr(0, 3))) return std::nullopt;
  if (national[3] == '0') return std::nullopt;
  if (size == 10) return planned(national, {3, 3, 4}, "landline");
  return planned(national, {3, 4, 4}, "landline");
}

}  // namespace

std::optional<PlannedNumber> mainland_number(std::string_view national, bool trunk) {
  const size_t size = national.size();
  if (size == 11 && national[0] == '1' && (national[1] == '*' || national[1] >= '3'))
    return planned(national, {3, 4, 4}, "mobile");
  if (size == 10 && (national.starts_with("400") || national.starts_with("800")))
    return planned(national, {3, 3, 4}, "service");
  if (!trunk || size < 9) return std::nullopt;
  if (auto found = landline(national)) return found;
  if (national.find('*') != std::string_view::npos) return std::nullopt;
  return foreign_number("+86" + std::string(national));
}

std::optional<PlannedNumber> foreign_number(const std::string& number) {
  using i18n::phonenumbers::PhoneNumber;
  using i18n::phonenumbers::PhoneNumberUtil;
  const PhoneNumberUtil& util = *PhoneNumberUtil::GetInstance();
  PhoneNumber parsed;
  if (util.Parse(number, "ZZ", &parsed) != PhoneNumberUtil::NO_PARSING_ERROR ||
      !util.IsValidNumber(parsed))
    return std::nullopt;
  PlannedNumber out;
  util.Format(parsed, PhoneNumberUtil::INTERNATIONAL, &out.international);
  util.Format(parsed, PhoneNumberUtil::E164, &out.e164);
  const bool fixed = util.GetNumberType(parsed) == PhoneNumberUtil::FIXED_LINE;
  out.type = parsed.country_code() != 86 ? "foreign" : (fixed ? "landline" : "other");
  return out;
}

}  // namespace seqgpt
