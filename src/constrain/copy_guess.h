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
/// encoding begins at the current byte. `value` is not the root.
int32_t guess_copy(const SpanIndex& index, SpanIndex::State value, std::string_view after,
                   const VocabularyTrie& vocabulary, const Tokenizer& tokenizer);

}  // namespace seqgpt
