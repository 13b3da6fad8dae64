// SPDX-License-Identifier: Apache-2.0
// Re-encoding the source from where a value stands.
#include "constrain/copy_guess.h"

#include <string>

#include "base/utf8.h"

namespace seqgpt {

int32_t guess_copy(const SpanIndex& index, SpanIndex::State value, std::string_view after,
                   const VocabularyTrie& vocabulary, const Tokenizer& tokenizer) {
  constexpr size_t kBytes = 96;  // more than one token looks at
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

}  // namespace seqgpt
