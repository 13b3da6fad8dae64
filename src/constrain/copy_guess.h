// SPDX-License-Identifier: Apache-2.0
// What a value that is being copied will probably go on with.
#pragma once

#include <cstdint>
#include <string_view>

#include "constrain/span_index.h"
#include "constrain/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// The next token of the text encoded anew from the current character: of what follows the value's
/// leftmost place up to its likely end (SpanIndex::ahead), and `after`. -1 when no token of that
/// encoding begins at the current byte. `value` is not the root; `after` is one character.
/// Allocates nothing.
int32_t guess_copy(const SpanIndex& index, SpanIndex::State value, std::string_view after,
                   const VocabularyTrie& vocabulary, const Tokenizer& tokenizer);

/// How a label's first value begins: what follows the label's own words and a colon where the text
/// has them, else None.
struct FirstGuess {
  int32_t after_colon = -1;  // " " and more in one token, or " " alone;
  int32_t after_space = -1;  // then this
};
FirstGuess guess_first(const SpanIndex& index, std::string_view label,
                       const VocabularyTrie& vocabulary, const Tokenizer& tokenizer);

}  // namespace seqgpt
