// SPDX-License-Identifier: Apache-2.0
// BLOOM's pre-tokenizer by hand: the text cut into words and the runs of delimiters between them.
#pragma once

#include <cstddef>
#include <string_view>

namespace seqgpt {

/// The one regular expression this splitter stands for; Oniguruma reads the inner brackets as a
/// nested class.
inline constexpr std::string_view kBloomSplitPattern = R"( ?[^(\s|[.,!?…。，、।۔،])]+)";

/// Bytes of the Unicode White_Space character that starts at `at`, or 0 when there is none.
size_t white_space_at(std::string_view text, size_t at);

/// Bytes of the delimiter (white space or one of ( ) | . , ! ? … 。 ， 、 । ۔ ،) at `at`, or 0.
size_t delimiter_at(std::string_view text, size_t at);

/// End of the piece that starts at `begin` (< text.size()): either one word with at most one space
/// before it, or the delimiters up to the next word. Pieces tile the text. Any bytes will do;
/// invalid ones belong to words.
size_t piece_end(std::string_view text, size_t begin);

}  // namespace seqgpt
