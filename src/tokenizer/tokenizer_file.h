// SPDX-License-Identifier: Apache-2.0
// What a tokenizer.json says, as flat tables, before anything is built from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/token_table.h"

namespace seqgpt {

struct VocabularyEntry {
  Slice content;
  int32_t id;
};

struct MergeEntry {
  Slice left;
  Slice right;
};

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool special = false;
  bool normalized = false;  // looked for after the others; there is no normaliser to apply
};

struct TokenizerFile {
  std::string arena;  // holds the contents of vocabulary and merges
  std::vector<VocabularyEntry> vocabulary;
  std::vector<MergeEntry> merges;
  std::vector<AddedToken> added;
  std::optional<std::string> unknown;  // model.unk_token
  bool fuse_unknown = false;
  bool ignore_merges = false;      // a piece that is a token is that token, whatever the merges
  bool trim_offsets = false;       // offsets leave out the white space around a token ...
  bool keeps_first_space = false;  // ... but for one space at the start of the text
};

/// Largest tokenizer.json that is read, in bytes; BLOOM's own has 14.5 million.
inline constexpr size_t kMaxTokenizerBytes = size_t{256} << 20;
/// Ids must be smaller; forty times BLOOM's vocabulary.
inline constexpr int32_t kMaxTokenId = 10'000'000;

/// Reads and checks. `name` stands in messages.
Result<TokenizerFile> read_tokenizer_file(std::string_view json, std::string_view name);

}  // namespace seqgpt
