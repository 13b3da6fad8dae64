// SPDX-License-Identifier: Apache-2.0
// Re-encoding the source from where a value stands.
#include "constrain/copy_guess.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "constrain/line_walk.h"

namespace seqgpt {
namespace {

constexpr size_t kBytes = 96;  // more than one token looks at

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
  std::string text(read.substr(read.size() - begun));
  size_t end = std::min(ahead.size(), kBytes);
  while (!utf8_boundary(ahead, end)) ++end;
  text.append(ahead.substr(0, end));
  if (end == ahead.size()) text.append(after);
  size_t at = 0;
  for (const int32_t id : tokenizer.encode(text)) {
    if (at == begun) return vocabulary.find(tokenizer.bytes(id));
    if (at > begun) break;
    at += tokenizer.bytes(id).size();
  }
  return -1;
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
