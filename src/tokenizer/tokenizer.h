// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE as tokenizer.json describes it: text to ids with offsets, ids to text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// One token of an encoded text. Offsets are code points of the text, end exclusive, as HF counts
/// them: a token that holds part of a character spans that whole character.
struct Token {
  int32_t id;
  uint32_t start;
  uint32_t end;
};

/// Whether added tokens such as [GEN] or </s> written in the text become their ids. User text:
/// never.
enum class AddedTokens { kRecognise, kAsText };

/// Immutable after load; any number of threads may use one.
class Tokenizer {
 public:
  /// Reads tokenizer.json. Refuses what it cannot reproduce exactly (other model types,
  /// normalisers, pre-tokenizers), naming it.
  static Result<Tokenizer> load(const std::filesystem::path& tokenizer_json);
  /// The same from memory; `name` stands in messages.
  static Result<Tokenizer> parse(std::string_view json, std::string_view name);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Ids of a valid UTF-8 text. No BOS or EOS is added.
  std::vector<int32_t> encode(std::string_view text,
                              AddedTokens added = AddedTokens::kAsText) const;
  /// Of encode(text) the id of the token that begins at byte `at` < text.size(), -1 when none does.
  /// The text has at most kShortBytes; allocates nothing (but in tokenizers with ignore_merges).
  static constexpr size_t kShortBytes = 96;
  int32_t token_at(std::string_view text, size_t at) const;
  /// encode() of a long text in parts, added tokens as text: appends the ids of what begins at byte
  /// `at` (0, or where the last part ended) until `bytes` or more are taken, and gives where the
  /// next part begins. A run of letters is never cut, however long.
  size_t encode_part(std::string_view text, size_t at, size_t bytes,
                     std::vector<int32_t>& ids) const;
  /// The same with offsets.
  std::vector<Token> encode_with_offsets(std::string_view text,
                                         AddedTokens added = AddedTokens::kAsText) const;

  /// Text of the ids; bytes that are no UTF-8 become U+FFFD, one for each maximal invalid part.
  /// Ids without a token give nothing.
  std::string decode(std::span<const int32_t> ids, bool skip_special) const;

  /// One past the largest id that names a token (the model may have more rows).
  int32_t size() const;
  /// The raw bytes an id stands for (added tokens: their text); empty for ids without a token.
  std::string_view bytes(int32_t id) const;
  /// Added tokens ([GEN], </s>, <pad> ...), special or not: never part of an answer's text.
  bool is_added(int32_t id) const;
  bool is_special(int32_t id) const;
  /// The id of an added or ordinary token by its exact content, e.g. "[GEN]", "</s>".
  std::optional<int32_t> find(std::string_view content) const;
  /// True when each of the 256 bytes has a token of its own.
  bool covers_all_bytes() const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
