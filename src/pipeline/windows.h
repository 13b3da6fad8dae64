// SPDX-License-Identifier: Apache-2.0
// Windows: how a text longer than one prompt is cut into overlapping parts that end with sentences.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "constrain/span_index.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// The part of valid UTF-8 `text` from byte `begin` on that one prompt holds: at most
/// `window_tokens` tokens. It ends with the text, or after the last sentence of its second half;
/// failing that after a clause, a blank, or where the tokens end. Never empty.
ByteSpan window_from(const Tokenizer& tokenizer, std::string_view text, size_t begin,
                     int window_tokens);

/// Where the window after `window` begins: at a sentence (or clause) in its last part, so that what
/// stands on the seam is whole in one of the two; where `window` ends when they are not to overlap;
/// nothing when `window` reaches the text's end.
std::optional<size_t> next_begin(std::string_view text, ByteSpan window, bool overlap = true);

/// Hands out the windows of `text` one after another; tokenizer and text must outlive it.
std::function<std::optional<ByteSpan>()> windows_of(const Tokenizer& tokenizer,
                                                    std::string_view text, int window_tokens,
                                                    bool overlap = true);

/// The longest beginning of `text` of at most `max_characters` that ends with a sentence, in bytes;
/// cut hard when no sentence ends in its second half.
size_t leading_sentences(std::string_view text, size_t max_characters);

}  // namespace seqgpt
