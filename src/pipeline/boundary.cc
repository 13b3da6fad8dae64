// SPDX-License-Identifier: Apache-2.0
// Looking at the characters at a value's ends.
#include "pipeline/boundary.h"

#include <optional>
#include <string>

#include "base/utf8.h"
#include "constrain/span_text.h"
#include "constrain/value_characters.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

constexpr std::u32string_view kPunctuation = U"，。；：、！？,;:!?…·—~～";
constexpr std::u32string_view kOpeners = U"（([【［｛{〔〈《「『“‘";
constexpr std::u32string_view kClosers = U"）)]】］｝}〕〉》」』”’";
constexpr std::u32string_view kSentenceEnds = U"。！？；\n\r!?;";

bool is_in(std::u32string_view set, char32_t c) {
  return set.find(c) != std::u32string_view::npos;
}

/// How many bytes of an amount are words and the colon after them; none when a figure stands before
/// it (9:30) or none after it.
size_t words_before_colon(std::string_view words) {
  size_t found = 0;
  for (size_t at = 0; at < words.size();) {
    const Decoded c = utf8_decode(words, at);
    if (is_figure(c.code_point)) return found;
    at += c.bytes;
    if (c.code_point == U'：' || c.code_point == U':') found = at;
  }
  return 0;
}

/// （ and ( may close each other: documents mix the widths.
char32_t bracket_kind(char32_t c) {
  switch (c) {
    case U'(':
    case U')':
    case U'）':
      return U'（';
    case U'[':
    case U']':
    case U'］':
      return U'［';
    case U'】':
      return U'【';
    case U'{':
    case U'}':
    case U'｝':
      return U'｛';
    case U'〕':
      return U'〔';
    case U'〉':
      return U'〈';
    case U'》':
      return U'《';
    case U'」':
      return U'「';
    case U'』':
      return U'『';
    case U'”':
      return U'“';
    case U'’':
      return U'‘';
    default:
      return c;
  }
}

/// A span that is looked at from both ends.
class Ends {
 public:
  Ends(std::string_view text, ByteSpan span) : text_(text), span_(span) {}

  ByteSpan span() const { return span_; }
  bool empty() const { return span_.begin >= span_.end; }
  char32_t first() const { return utf8_decode(text_, span_.begin).code_point; }
  char32_t last() const { return utf8_decode(text_, last_at()).code_point; }
  /// The character before the last one, or 0.
  char32_t last_but_one() const { return Ends(text_, {span_.begin, last_at()}).last_or_none(); }
  void drop_first() { span_.begin += utf8_decode(text_, span_.begin).bytes; }
  void drop_last() { span_.end = last_at(); }

 private:
  char32_t last_or_none() const { return empty() ? 0 : last(); }
  size_t last_at() const {
    size_t at = span_.end - 1;
    while (at > span_.begin && !utf8_boundary(text_, at)) --at;
    return at;
  }

  std::string_view text_;
  ByteSpan span_;
};

/// Brackets of a span that have no partner in it.
struct LeftOver {
  std::u32string open;  // kinds, the innermost last
  bool closers = false;
};

LeftOver left_over(std::string_view text, ByteSpan span) {
  LeftOver left;
  for (size_t at = span.begin; at < span.end;) {
    const Decoded c = utf8_decode(text, at);
    at += c.bytes;
    if (is_in(kOpeners, c.code_point)) left.open.push_back(bracket_kind(c.code_point));
    if (!is_in(kClosers, c.code_point)) continue;
    if (!left.open.empty() && left.open.back() == bracket_kind(c.code_point)) {
      left.open.pop_back();
    } else {
      left.closers = true;
    }
  }
  return left;
}

/// Where the bracket `kind` is closed soon after `at`, before a sentence ends or another opens.
std::optional<size_t> closing(std::string_view text, size_t at, char32_t kind) {
  for (int i = 0; i < kBracketReach && at < text.size(); ++i) {
    const Decoded c = utf8_decode(text, at);
    at += c.bytes;
    if (is_in(kClosers, c.code_point))
      return bracket_kind(c.code_point) == kind ? std::optional(at) : std::nullopt;
    if (is_in(kOpeners, c.code_point) || is_in(kSentenceEnds, c.code_point)) return std::nullopt;
  }
  return std::nullopt;
}

bool drop_at_first(const Ends& ends, const LeftOver& left) {
  const char32_t c = ends.first();
  if (is_white_space(c) || is_in(kPunctuation, c) || c == U'.') return true;
  if (is_in(kClosers, c)) return true;
  return is_in(kOpeners, c) && !left.open.empty() && left.open.front() == bracket_kind(c) &&
         left.open.size() == 1;
}

bool drop_at_last(const Ends& ends, const LeftOver& left) {
  const char32_t c = ends.last();
  if (is_white_space(c) || is_in(kPunctuation, c) || is_in(kOpeners, c)) return true;
  if (c == U'.') return !is_latin(ends.last_but_one());
  return is_in(kClosers, c) && left.closers;
}

bool quoted_as_a_whole(const Ends& ends) {
  const char32_t a = ends.first();
  const char32_t b = ends.last();
  return (a == U'“' && b == U'”') || (a == U'‘' && b == U'’') || (a == U'"' && b == U'"');
}

/// One pass over the rules; nothing when a value of nothing is left.
std::optional<ByteSpan> tidied_once(std::string_view text, ByteSpan span) {
  LeftOver left = left_over(text, span);
  if (left.open.size() == 1) {
    if (const auto end = closing(text, span.end, left.open.back())) {
      span.end = *end;
      left.open.clear();
    }
  }
  Ends ends(text, span);
  if (drop_at_last(ends, left)) ends.drop_last();
  if (!ends.empty() && drop_at_first(ends, left)) ends.drop_first();
  const size_t size = ends.span().end - ends.span().begin;
  if (!ends.empty() && size > 2 && quoted_as_a_whole(ends)) {
    ends.drop_first();
    ends.drop_last();
  }
  if (ends.empty()) return std::nullopt;
  if (is_mark(ends.first())) return span;  // it belongs to what was before it
  return ends.span();
}

}  // namespace

ByteSpan tidy_boundary(std::string_view text, ByteSpan span) {
  ByteSpan tidied = span;
  while (true) {
    const std::optional<ByteSpan> next = tidied_once(text, tidied);
    if (!next) return span;
    if (*next == tidied) return tidied;
    tidied = *next;
  }
}

ByteSpan without_company(std::string_view text, ByteSpan span, std::string_view type) {
  static constexpr std::string_view kAdverb = "分别";
  const std::string_view words = text.substr(span.begin, span.end - span.begin);
  if (type == "amount") {
    span.begin += words_before_colon(words);
    return span;
  }
  const bool named = type == "person" || type == "org";
  if (named && words.ends_with(kAdverb) && words.size() > kAdverb.size())
    span.end -= kAdverb.size();
  return span;
}

}  // namespace seqgpt
