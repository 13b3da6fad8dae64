// SPDX-License-Identifier: Apache-2.0
// Reading a phone number: its marks, country code, trunk 0, extension and masks.
#include "normalize/phone.h"

#include <algorithm>

#include "normalize/fold.h"
#include "normalize/numerals.h"
#include "normalize/phone_plan.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotPhone = "not_a_phone";
constexpr size_t kMostDigits = 20;

/// Digits and * in their groups as written.
struct Written {
  bool plus = false;
  std::string digits;      // without marks
  std::string last_group;  // digits behind the last hyphen
  std::string extension;   // behind 转, ext, 分机 or #
  size_t hyphens = 0;
};

bool is_mark(char32_t c) {
  return c == U' ' || c == U'-' || c == U'(' || c == U')' || c == U'.' || c == U'·' || c == U'/';
}

bool take_digit(Cursor& cursor, std::string& out) {
  const char32_t c = cursor.peek();
  const int chinese = chinese_digit(c);
  const bool run_of_x =
      (c == U'x' || c == U'X') && (cursor.peek(1) == c || (!out.empty() && out.back() == '*'));
  if (is_ascii_digit(c)) {
    out.push_back(static_cast<char>(c));
  } else if (chinese >= 0 && c != U'两' && c != U'俩' && c != U'仨') {
    out.push_back(static_cast<char>('0' + chinese));
  } else if (c == U'*' || c == U'●' || c == U'•' || run_of_x) {
    out.push_back('*');
  } else {
    return false;
  }
  cursor.skip();
  return true;
}

/// 转8001, ext. 12, 分机号210, #3
bool take_extension(Cursor& cursor, std::string& out) {
  if (!cursor.take_any({U"转分机", U"转", U"分机号", U"分机", U"ext.", U"ext", U"Ext.", U"Ext",
                        U"EXT", U"x", U"X", U"#"}))
    return false;
  while (cursor.take(U'-') || cursor.take(U':') || cursor.take(U' ') || cursor.take(U'.')) {
  }
  while (is_ascii_digit(cursor.peek()) && take_digit(cursor, out)) {
  }
  return !out.empty() && out.size() <= 8;
}

void take_lead(Cursor& cursor) {
  while (cursor.take_any({U"联系电话", U"电话", U"手机号码", U"手机号", U"手机", U"座机", U"传真",
                          U"热线", U"Tel", U"TEL", U"tel", U"Fax", U"FAX", U"Mobile", U"号码", U":",
                          U"."})) {
  }
}

bool read(Folded text, Written& out) {
  Cursor cursor(text);
  take_lead(cursor);
  if (cursor.take(U"(+")) {
    out.plus = true;
  } else {
    out.plus = cursor.take(U'+');
  }
  while (cursor.peek() == U'(') cursor.skip();
  if (is_mark(cursor.peek())) return false;
  while (!cursor.at_end() && out.digits.size() <= kMostDigits) {
    if (take_digit(cursor, out.digits)) {
      out.last_group.push_back(out.digits.back());
    } else if (is_mark(cursor.peek())) {
      if (cursor.take(U'-')) {
        ++out.hyphens;
        out.last_group.clear();
      } else {
        cursor.skip();
      }
    } else {
      return take_extension(cursor, out.extension) && cursor.at_end();
    }
  }
  return cursor.at_end() && !out.digits.empty();
}

/// Cuts the country code off; false where a + names another country or none.
bool cut_country(Written& written, std::string& national, bool& coded) {
  national = written.digits;
  coded = false;
  if (written.plus || national.starts_with("00")) {
    if (!written.plus) national.erase(0, 2);
    if (!national.starts_with("86")) return false;
    national.erase(0, 2);
    coded = true;
  } else if (national.starts_with("86") && national.size() > 11) {
    national.erase(0, 2);
    coded = true;
  }
  return true;
}

std::optional<PlannedNumber> find_mainland(std::string national, bool coded) {
  const bool zero = national.starts_with('0');
  if (zero) national.erase(0, 1);
  if (national.empty() || national.front() == '0') return std::nullopt;
  auto found = mainland_number(national, zero || coded);
  if (found && zero && coded && found->type == "mobile") return std::nullopt;
  return found;
}

/// 110, 12306, 95588, 96110: reached without any prefix.
bool is_short(std::string_view digits) {
  const auto begins = [digits](std::string_view prefix) { return digits.starts_with(prefix); };
  switch (digits.size()) {
    case 3:
      return digits == "110" || digits == "112" || digits == "114" || digits == "119" ||
             digits == "120" || digits == "122";
    case 5:
      return begins("10") || begins("11") || begins("12") || begins("95") || begins("96");
    case 6:
      return begins("95") || begins("96");
    default:
      return false;
  }
}

Normalized undialled(const std::string& digits, std::string_view type) {
  Normalized out{.kind = "phone", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", digits);
  out.add("e164", nullptr);
  out.add("type", type);
  if (digits.find('*') != std::string::npos) out.add("masked", true);
  out.flat = {Flat::Shape::kText, digits, {}};
  return out;
}

Normalized described(const PlannedNumber& number, const std::string& extension) {
  Normalized out{.kind = "phone", .fields = {}, .flat = {}, .reason = {}};
  const bool masked = number.e164.find('*') != std::string::npos;
  out.add("value", number.international);
  if (masked) {
    out.add("e164", nullptr);
  } else {
    out.add("e164", number.e164);
  }
  out.add("type", number.type);
  if (!extension.empty()) out.add("ext", extension);
  if (masked) out.add("masked", true);
  out.flat = {Flat::Shape::kText, number.international, {}};
  return out;
}

}  // namespace

Normalized normalize_phone(Folded text) {
  Written written;
  if (!read(text, written)) return no_value(kNotPhone);
  std::string national;
  bool coded = false;
  if (!cut_country(written, national, coded)) {
    if (written.digits.find('*') != std::string::npos) return no_value(kNotPhone);
    const size_t prefix = written.plus ? 0 : 2;
    const auto foreign = foreign_number("+" + written.digits.substr(prefix));
    return foreign ? described(*foreign, written.extension) : no_value(kNotPhone);
  }
  if (const auto found = find_mainland(national, coded))
    return described(*found, written.extension);
  // 010-65980408-8001: the extension behind a hyphen
  const std::string& last = written.last_group;
  const bool hyphenated = written.extension.empty() && written.hyphens > 0 && !last.empty() &&
                          last.size() <= 6 && last.size() < national.size();
  if (hyphenated) {
    const auto found = find_mainland(national.substr(0, national.size() - last.size()), coded);
    if (found) return described(*found, last);
  }
  if (coded || written.hyphens > 1 || !written.extension.empty()) return no_value(kNotPhone);
  if (is_short(national)) return undialled(national, "short");
  const bool extended = written.hyphens == 1 && last.size() <= 4 && national.size() > 10;
  if (extended) national.resize(national.size() - last.size());
  const bool local = (national.size() == 7 || national.size() == 8) && national[0] >= '2';
  if (!local) return no_value(kNotPhone);
  Normalized out = undialled(national, "local");
  if (extended) out.add("ext", last);
  return out;
}

}  // namespace seqgpt
