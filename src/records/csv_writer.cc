// SPDX-License-Identifier: Apache-2.0
// Guarding and quoting cells.
#include "records/csv_writer.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr size_t kDigitsShownWhole = 11;  // spreadsheets show longer ones as 1.23E+11

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_leading_blanks(std::string_view text) {
  constexpr std::string_view kBlanks[] = {" ", "\u00A0", "\u3000"};
  for (;;) {
    const auto blank =
        std::ranges::find_if(kBlanks, [&](std::string_view one) { return text.starts_with(one); });
    if (blank == std::end(kBlanks)) return text;
    text.remove_prefix(blank->size());
  }
}

bool begins_formula(std::string_view value) {
  constexpr std::string_view kTriggers[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                            "\n", "＝", "＋", "－", "＠"};
  const std::string_view text = without_leading_blanks(value);
  return std::ranges::any_of(kTriggers,
                             [&](std::string_view one) { return text.starts_with(one); });
}

/// 0123, 110101199003071234, 12E5: not what it says once a spreadsheet took it for a number.
bool spoilt_as_number(std::string_view value) {
  const size_t whole =
      static_cast<size_t>(std::ranges::find_if_not(value, is_digit) - value.begin());
  if (whole == 0) return false;
  if (whole > kDigitsShownWhole) return true;
  std::string_view rest = value.substr(whole);
  if (rest.empty()) return whole > 1 && value[0] == '0';
  if (rest[0] == '.') {
    const auto end = std::ranges::find_if_not(rest.substr(1), is_digit);
    const bool number = end == rest.end();
    if (number) return (whole > 1 && value[0] == '0') || value.size() > kDigitsShownWhole;
    rest = rest.substr(static_cast<size_t>(end - rest.begin()));
  }
  if (rest[0] != 'e' && rest[0] != 'E') return false;
  rest.remove_prefix(rest.size() > 1 && (rest[1] == '+' || rest[1] == '-') ? 2 : 1);
  return !rest.empty() && std::ranges::all_of(rest, is_digit);
}

void append_cell(std::string& out, std::string_view cell) {
  const bool plain = cell.find_first_of(",\"\r\n;\t") == std::string_view::npos &&
                     !cell.starts_with(' ') && !cell.ends_with(' ');
  if (plain) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace

std::string guarded_cell(std::string_view value) {
  const bool guard = value.starts_with('\'') || begins_formula(value) || spoilt_as_number(value);
  return (guard ? "'" : "") + std::string(value);
}

std::string csv_record(const std::vector<std::string>& cells) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, guarded_cell(cells[i]));
  }
  if (cells.size() == 1 && out.empty()) out = "\"\"";  // else a blank line, which readers skip
  return out + "\r\n";
}

}  // namespace seqgpt
