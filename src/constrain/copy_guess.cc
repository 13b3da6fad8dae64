// SPDX-License-Identifier: Apache-2.0
// Re-encoding the source from where a value stands.
#include "constrain/copy_guess.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "constrain/line_walk.h"

namespace seqgpt {
namespace {

constexpr size_t kBytes = 88;  // more than one token looks at

/// A short text put together without an allocation.
class ShortText {
 public:
  void append(std::string_view part) {
    assert(size_ + part.size() <= bytes_.size());
    std::ranges::copy(part, bytes_.begin() + size_);
    size_ += part.size();
  }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, Tokenizer::kShortBytes> bytes_;
  size_t size_ = 0;
};

/// What a text begins with, up to punctuation.
std::string_view phrase(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && at < kBytes) {
    const Decoded c = utf8_decode(text, at);
    if (c.code_point == U'\n' || (at > 0 && parts_phrases(c.code_point))) break;
    at += c.bytes;
  }
  return text.substr(0, at);
}

}  // namespace

int32_t guess_copy(const SpanIndex& index, SpanIndex::State value, std::string_view after,
                   const VocabularyTrie& vocabulary, const Tokenizer& tokenizer) {
  const std::string_view read = index.bytes(value);
  const std::string_view ahead = index.ahead(value);
  // A token may have ended inside a character: encoding starts where that began.
  size_t begun = 0;
  if (!ahead.empty() && !utf8_boundary(ahead, 0)) {
    do {
      ++begun;
    } while (!utf8_boundary(read, read.size() - begun));
  }
  ShortText text;
  text.append(read.substr(read.size() - begun));
  size_t end = std::min(ahead.size(), kBytes);
  while (!utf8_boundary(ahead, end)) ++end;
  text.append(ahead.substr(0, end));
  if (end == ahead.size()) text.append(after);
  const int32_t id = tokenizer.token_at(text.view(), begun);
  return id < 0 ? -1 : vocabulary.find(tokenizer.bytes(id));
}

FirstGuess guess_first(const SpanIndex& index, std::string_view label,
                       const VocabularyTrie& vocabulary, const Tokenizer& tokenizer) {
  std::string line = " " + std::string(kAbsent) + "\n";
  const std::string_view text = index.text().bytes;
  for (const std::string_view colon : {"：", ":", ": "}) {
    const std::string words = std::string(label) + std::string(colon);
    const size_t found = text.find(words);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = text.substr(found + words.size());
    line = " " + std::string(phrase(rest)) + "\n";
  }
  const std::vector<int32_t> ids = tokenizer.encode(line);
  FirstGuess guess;
  guess.after_colon = vocabulary.find(tokenizer.bytes(ids[0]));
  if (ids.size() > 1 && tokenizer.bytes(ids[0]) == " ")
    guess.after_space = vocabulary.find(tokenizer.bytes(ids[1]));
  return guess;
}

}  // namespace seqgpt
