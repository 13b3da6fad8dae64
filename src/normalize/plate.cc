// SPDX-License-Identifier: Apache-2.0
// Number plates of GA 36: regular, new-energy, police, learner, trailer, cross-border, foreign
// missions.
#include <algorithm>

#include "normalize/fold.h"
#include "normalize/identifiers.h"

namespace seqgpt {
namespace {

constexpr std::u32string_view kProvinces =
    U"京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川贵云藏陕甘青宁新";

bool is_letter(char32_t c) {
  return c >= U'A' && c <= U'Z';
}
bool is_i_or_o(char32_t c) {
  return c == U'I' || c == U'O';
}
bool is_serial(char32_t c) {
  return is_ascii_digit(c) || (is_letter(c) && !is_i_or_o(c)) || c == U'*';
}

Normalized plate(Folded value, std::string_view type) {
  const bool hidden = value.find(U'*') != Folded::npos;
  Normalized out{.kind = "plate", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", to_utf8(value));
  if (hidden) {
    out.add("valid", nullptr);
    out.add("masked", true);
  } else {
    out.add("valid", true);
  }
  if (!type.empty()) out.add("type", type);
  out.flat = {Flat::Shape::kText, to_utf8(value), {}};
  return out;
}

/// The type that a last character gives away; such plates have four characters before it.
std::string_view type_of_last(char32_t c) {
  switch (c) {
    case U'警':
      return "police";
    case U'学':
      return "learner";
    case U'挂':
      return "trailer";
    case U'港':
    case U'澳':
      return "cross-border";
    case U'领':
      return "consular";
    case U'使':
      return "embassy";
    case U'试':
      return "test";
    case U'超':
      return "oversize";
    default:
      return {};
  }
}

/// Six characters: D or F (or A, B, C, E, G, H, J, K of the later issue) first or last, five
/// digits, where the second may be a letter on small vehicles.
bool is_new_energy(Folded serial) {
  static constexpr std::u32string_view kEnergy = U"DABCEFGHJK";
  const auto digits = [serial](size_t from, size_t count) {
    return std::all_of(serial.begin() + from, serial.begin() + from + count,
                       [](char32_t c) { return is_ascii_digit(c) || c == U'*'; });
  };
  const auto energy = [](char32_t c) { return kEnergy.find(c) != Folded::npos; };
  if (energy(serial[5]) && digits(0, 5)) return true;
  return energy(serial[0]) && is_serial(serial[1]) && digits(2, 4);
}

/// 使014578, 014578使, 使014·578
bool is_mission(Folded text) {
  return text.size() == 7 && text[0] == U'使' &&
         std::all_of(text.begin() + 1, text.end(), is_ascii_digit);
}

}  // namespace

Normalized normalize_plate(Folded text) {
  const std::u32string value = compact(text);
  if (is_mission(value)) return plate(value, "embassy");
  if (value.size() < 3 || kProvinces.find(value[0]) == Folded::npos) return no_value("province");
  if (kProvinces.find(value[1]) != Folded::npos) return no_value("province");
  const std::string_view last = type_of_last(value.back());
  const bool office = is_letter(value[1]);  // consular plates may go without the office's letter
  if (value[1] == U'I' || (!office && last != "consular")) return no_value("letters");
  const size_t head = office ? 2 : 1;
  const Folded serial = Folded(value).substr(head, value.size() - head - (last.empty() ? 0 : 1));
  if (std::any_of(serial.begin(), serial.end(), is_i_or_o)) return no_value("letters");
  if (!std::all_of(serial.begin(), serial.end(), is_serial)) return no_value("characters");
  if (!last.empty()) {
    const bool fits = office ? serial.size() == 4 : serial.size() >= 4 && serial.size() <= 6;
    return fits ? plate(value, last) : no_value("length");
  }
  if (serial.size() == 5) return plate(value, "regular");
  if (serial.size() != 6) return no_value("length");
  return is_new_energy(serial) ? plate(value, "new-energy") : no_value("characters");
}

}  // namespace seqgpt
