// SPDX-License-Identifier: Apache-2.0
// E-mail addresses: an ASCII local part, a domain of labels with a top level of letters.
#include <algorithm>

#include "normalize/fold.h"
#include "normalize/identifiers.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotEmail = "not_an_email";

bool is_local(char32_t c) {
  return is_ascii_digit(c) || is_ascii_letter(c) ||
         Folded(U"!#$%&'*+-/=?^_`{|}~.").find(c) != Folded::npos;
}

bool good_local(Folded local) {
  if (local.empty() || local.size() > 64 || local.front() == U'.' || local.back() == U'.')
    return false;
  return local.find(U"..") == Folded::npos && std::all_of(local.begin(), local.end(), is_local);
}

bool good_label(Folded label) {
  if (label.empty() || label.size() > 63 || label.front() == U'-' || label.back() == U'-')
    return false;
  return std::all_of(label.begin(), label.end(), [](char32_t c) {
    return is_ascii_digit(c) || is_ascii_letter(c) || c == U'-' || c == U'*';
  });
}

bool good_domain(Folded domain) {
  if (domain.size() > 253) return false;
  size_t labels = 0;
  Folded last;
  for (size_t at = 0; at <= domain.size(); ++labels) {
    const size_t dot = std::min(domain.find(U'.', at), domain.size());
    last = domain.substr(at, dot - at);
    if (!good_label(last)) return false;
    at = dot + 1;
  }
  return labels >= 2 && last.size() >= 2 && std::all_of(last.begin(), last.end(), is_ascii_letter);
}

bool is_joint(char32_t c) {
  return c == U'@' || c == U'.' || c == U':' || c == U'。';
}

/// Without white space at the ends and beside @ and dots (OCR), a label (邮箱:, Email:, mailto:)
/// and the marks around the address. Other white space stays, and no address holds it.
std::u32string bare(Folded wide) {
  std::u32string out;
  const size_t end = wide.find_last_not_of(U' ') + 1;
  for (size_t i = 0; i < end; ++i) {
    const char32_t c = wide[i];
    const char32_t next = i + 1 < end ? wide[i + 1] : U' ';
    const bool loose = out.empty() || is_joint(out.back()) || is_joint(next) || next == U' ';
    if (c != U' ' || !loose) out.push_back(c == U'。' ? U'.' : c);
  }
  const size_t at = out.find(U'@');
  const size_t colon = at == std::u32string::npos ? at : out.rfind(U':', at);
  if (colon != std::u32string::npos) out.erase(0, colon + 1);
  constexpr std::u32string_view kFrame = U"<>()[]\"'“”‘’,;、《》「」";
  const size_t first = out.find_first_not_of(kFrame);
  if (first == std::u32string::npos) return {};
  const size_t last = out.find_last_not_of(std::u32string(kFrame) + U".!?");
  return last == std::u32string::npos || last < first ? std::u32string()
                                                      : out.substr(first, last - first + 1);
}

}  // namespace

Normalized normalize_email(Folded wide) {
  const std::u32string text = bare(wide);
  const size_t at = text.find(U'@');
  if (at == std::u32string::npos || text.find(U'@', at + 1) != std::u32string::npos)
    return no_value(kNotEmail);
  const Folded local = Folded(text).substr(0, at);
  std::u32string domain = text.substr(at + 1);
  for (char32_t& c : domain) {
    if (c >= U'A' && c <= U'Z') c = c - U'A' + U'a';
  }
  if (!good_local(local) || !good_domain(domain)) return no_value(kNotEmail);
  const std::string value = to_utf8(local) + "@" + to_utf8(domain);
  Normalized out{.kind = "email", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", value);
  if (value.find('*') == std::string::npos) {
    out.add("valid", true);
  } else {
    out.add("valid", nullptr);
    out.add("masked", true);
  }
  out.flat = {Flat::Shape::kText, value, {}};
  return out;
}

}  // namespace seqgpt
