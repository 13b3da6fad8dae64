// SPDX-License-Identifier: Apache-2.0
// Cutting at sentence ends, clause ends, blanks, and only then anywhere.
#include "pipeline/windows.h"

#include <algorithm>

#include "base/utf8.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

// A window is looked for in this many bytes a token; longer tokens are rare, and only make it
// smaller.
constexpr size_t kBytesPerToken = 16;
// The part of a window that the next one reads again.
constexpr size_t kOverlapDivisor = 4;

enum class Seam { kNone, kBlank, kClause, kSentence };

bool ends_sentence(char32_t c) {
  return c == U'\n' || c == U'。' || c == U'！' || c == U'？' || c == U'；' || c == U'!' ||
         c == U'?' || c == U';' || c == 0x2028 || c == 0x2029;
}

bool ends_clause(char32_t c) {
  return c == U'，' || c == U'、' || c == U'：';
}

/// What kind of place lies after `c`, before `next`.
Seam seam_between(char32_t c, char32_t next) {
  if (c == U'.' || c == U',') {  // not inside 3.14 or 1,000
    if (!is_white_space(next)) return Seam::kNone;
    return c == U'.' ? Seam::kSentence : Seam::kClause;
  }
  if (ends_sentence(c)) return Seam::kSentence;
  if (ends_clause(c)) return Seam::kClause;
  return is_white_space(c) ? Seam::kBlank : Seam::kNone;
}

enum class Which { kFirst, kLast };

/// The first or last place of the best kind with from < place <= to; `otherwise` where there is
/// none.
size_t best_seam(std::string_view text, size_t from, size_t to, Which which, size_t otherwise) {
  Seam best = Seam::kNone;
  size_t place = otherwise;
  for (size_t at = from; at < std::min(to, text.size());) {
    const Decoded c = utf8_decode(text, at);
    at += c.bytes;
    if (at > to || at >= text.size()) break;
    const Seam seam = seam_between(c.code_point, utf8_decode(text, at).code_point);
    if (seam == Seam::kNone || seam < best || (seam == best && which == Which::kFirst)) continue;
    best = seam;
    place = at;
  }
  return place;
}

size_t boundary_at_or_before(std::string_view text, size_t at) {
  while (!utf8_boundary(text, at)) --at;
  return at;
}

}  // namespace

ByteSpan window_from(const Tokenizer& tokenizer, std::string_view text, size_t begin,
                     int window_tokens) {
  const auto most = static_cast<size_t>(window_tokens);
  if (text.size() - begin <= most) return {begin, text.size()};  // a token has at least one byte
  const size_t reach =
      boundary_at_or_before(text, std::min(text.size(), begin + most * kBytesPerToken));
  const std::string_view part = text.substr(begin, reach - begin);
  const std::vector<Token> tokens = tokenizer.encode_with_offsets(part);
  size_t limit = part.size();
  if (tokens.size() > most) {
    limit = 0;
    for (uint32_t i = 0; i < tokens[most].start; ++i) limit += utf8_decode(part, limit).bytes;
  } else if (reach == text.size()) {
    return {begin, reach};
  }
  limit = std::max(limit, utf8_decode(part, 0).bytes);
  const size_t half = boundary_at_or_before(part, limit / 2);
  return {begin, begin + best_seam(part, half, limit, Which::kLast, limit)};
}

std::optional<size_t> next_begin(std::string_view text, ByteSpan window, bool overlap) {
  if (window.end >= text.size()) return std::nullopt;
  if (!overlap) return window.end;
  const size_t size = window.end - window.begin;
  const size_t from = boundary_at_or_before(text, window.end - size / kOverlapDivisor);
  if (from <= window.begin) return window.end;
  return best_seam(text, from, window.end - 1, Which::kFirst, from);
}

std::function<std::optional<ByteSpan>()> windows_of(const Tokenizer& tokenizer,
                                                    std::string_view text, int window_tokens,
                                                    bool overlap) {
  return [&tokenizer, text, window_tokens, overlap,
          begin = std::optional<size_t>(0)]() mutable -> std::optional<ByteSpan> {
    if (!begin) return std::nullopt;
    const ByteSpan window = window_from(tokenizer, text, *begin, window_tokens);
    begin = next_begin(text, window, overlap);
    return window;
  };
}

size_t leading_sentences(std::string_view text, size_t max_characters) {
  size_t limit = 0;
  for (size_t i = 0; i < max_characters && limit < text.size(); ++i)
    limit += utf8_decode(text, limit).bytes;
  if (limit == text.size()) return limit;
  return best_seam(text, boundary_at_or_before(text, limit / 2), limit, Which::kLast, limit);
}

}  // namespace seqgpt
