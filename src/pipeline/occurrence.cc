// SPDX-License-Identifier: Apache-2.0
// The label's own words in the neighbourhood decide between equal strings.
#include "pipeline/occurrence.h"

#include <algorithm>

#include "base/utf8.h"
#include "constrain/span_text.h"
#include "task/characters.h"
#include "task/fields.h"

namespace seqgpt {
namespace {

constexpr size_t kCharactersBefore = 16;
constexpr size_t kCharactersAfter = 8;
constexpr double kAfterFactor = 0.75;   // a label after its value is rarer than one before it
constexpr double kOwnNameBonus = 0.25;  // the label's own words count more than a synonym's
constexpr double kDistanceCost = 0.03;  // of the label's weight, for a character in between

char32_t before(std::string_view text, size_t at) {
  size_t start = at - 1;
  while (!utf8_boundary(text, start)) --start;
  return utf8_decode(text, start).code_point;
}

bool grow_together(char32_t a, char32_t b) {
  return (is_digit(a) && is_digit(b)) || (is_latin(a) && is_latin(b));
}

bool stands_alone(std::string_view text, ByteSpan span) {
  const bool left = span.begin > 0 && grow_together(before(text, span.begin),
                                                    utf8_decode(text, span.begin).code_point);
  const bool right = span.end < text.size() &&
                     grow_together(before(text, span.end), utf8_decode(text, span.end).code_point);
  return !left && !right;
}

bool ends_statement(char32_t c) {
  return c == U'。' || c == U'；' || c == U';' || c == U'！' || c == U'？';
}

std::u32string characters(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    if (!is_white_space(c.code_point)) out.push_back(c.code_point);
    at += c.bytes;
  }
  return out;
}

/// The characters before `at`, nearest first, to the end of the statement before.
std::u32string context_before(std::string_view text, size_t at) {
  std::u32string out;
  while (at > 0 && out.size() < kCharactersBefore) {
    const char32_t c = before(text, at);
    if (ends_statement(c)) break;
    do --at;
    while (!utf8_boundary(text, at));
    if (!is_white_space(c)) out.push_back(c);
  }
  return out;
}

/// The characters after `at`, to the end of the line or statement.
std::u32string context_after(std::string_view text, size_t at) {
  std::u32string out;
  while (at < text.size() && out.size() < kCharactersAfter) {
    const Decoded c = utf8_decode(text, at);
    if (ends_statement(c.code_point) || c.code_point == U'\n' || c.code_point == U'，' ||
        c.code_point == U',') {
      break;
    }
    if (!is_white_space(c.code_point)) out.push_back(c.code_point);
    at += c.bytes;
  }
  return out;
}

/// The share of the label that `context` holds as one piece of at least two characters (合同金额 is
/// often just 金额), less a little for every character on the way to it.
double presence(const std::u32string& context, const std::u32string& label) {
  double best = 0;
  for (size_t length = label.size(); length >= std::min<size_t>(2, label.size()) && length > 0;
       --length) {
    for (size_t first = 0; first + length <= label.size(); ++first) {
      const size_t found = context.find(label.substr(first, length));
      if (found == std::u32string::npos) continue;
      best = std::max(best, static_cast<double>(length) / static_cast<double>(label.size()) -
                                kDistanceCost * static_cast<double>(found));
    }
    if (best > 0) break;  // shorter pieces weigh less
  }
  return best;
}

double nearness(std::string_view text, ByteSpan span, const std::u32string& label) {
  const std::u32string backwards(label.rbegin(), label.rend());
  return std::max(presence(context_before(text, span.begin), backwards),
                  kAfterFactor * presence(context_after(text, span.end), label));
}

/// The label, then its synonyms.
std::vector<std::u32string> names_of(std::string_view label) {
  std::vector<std::u32string> names{characters(label)};
  if (const Field* field = FieldTable::standard()->find(label)) {
    names.push_back(characters(field->name));
    for (const std::string& synonym : field->synonyms) names.push_back(characters(synonym));
  }
  return names;
}

}  // namespace

std::vector<ByteSpan> occurrences(std::string_view text, ByteSpan span) {
  const std::string_view words = text.substr(span.begin, span.end - span.begin);
  std::vector<ByteSpan> all;
  for (size_t at = text.find(words); at != std::string_view::npos;) {
    const ByteSpan found{at, at + words.size()};
    const bool hides_span = found.begin < span.end && span.begin < found.end && found != span;
    const bool take = found == span || (!hides_span && stands_alone(text, found));
    if (take) all.push_back(found);
    at = text.find(words, take ? found.end : at + 1);
  }
  return all;
}

ByteSpan occurrence_of_label(std::string_view text, ByteSpan otherwise,
                             const std::vector<ByteSpan>& places, std::string_view label) {
  if (places.size() < 2) return otherwise;
  const std::vector<std::u32string> names = names_of(label);
  const auto near = [&](ByteSpan span) {
    double best = kOwnNameBonus + nearness(text, span, names.front());
    if (best == kOwnNameBonus) best = 0;
    for (size_t i = 1; i < names.size(); ++i) best = std::max(best, nearness(text, span, names[i]));
    return best;
  };
  ByteSpan best = otherwise;
  double nearest = near(otherwise);
  for (const ByteSpan& candidate : places) {
    const double value = near(candidate);
    if (value <= nearest) continue;
    nearest = value;
    best = candidate;
  }
  return best;
}

}  // namespace seqgpt
