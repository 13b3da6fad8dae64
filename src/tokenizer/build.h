// SPDX-License-Identifier: Apache-2.0
// The working tables of a tokenizer, built and cross-checked from what its file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/bpe.h"
#include "tokenizer/token_table.h"
#include "tokenizer/tokenizer_file.h"

namespace seqgpt {

struct TokenizerParts {
  struct WhiteSpace {
    uint32_t leading;  // characters
    uint32_t trailing;
  };

  TokenTable table{0, 0, {}};
  Bpe bpe;
  AddedTokenFinder unnormalized;  // searched first
  AddedTokenFinder normalized;
  size_t longest_token = 0;  // bytes
  bool ignore_merges = false;
  bool trim_offsets = false;
  bool keeps_first_space = false;

  WhiteSpace white_space_around(int32_t id) const;
};

/// Refuses ids and contents given twice, merges of unknown tokens, and vocabularies too sparse for
/// flat tables.
Result<TokenizerParts> build_tokenizer(TokenizerFile file, std::string_view name);

}  // namespace seqgpt
