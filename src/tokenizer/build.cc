// SPDX-License-Identifier: Apache-2.0
// The cross-checks between vocabulary, added tokens and merges.
#include "tokenizer/build.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/split.h"
#include "tokenizer/tokenizer_json.h"

namespace seqgpt {
namespace {

constexpr int64_t kSparseFactor = 16;  // ids for each token; beyond it a file only asks for memory
constexpr int64_t kAlwaysAllowed = 65536;  // ids, whatever the number of tokens

class Builder {
 public:
  Builder(TokenizerFile file, std::string_view name) : file_(std::move(file)), name_(name) {}

  Result<TokenizerParts> build() {
    SEQGPT_TRY(make_table());
    SEQGPT_TRY(add_vocabulary());
    SEQGPT_TRY(add_added_tokens());
    SEQGPT_TRY(add_bytes());
    SEQGPT_TRY(add_unknown());
    SEQGPT_TRY(add_merges());
    parts_.table.finish();
    for (int32_t id = 0; id < parts_.table.size(); ++id) {
      parts_.longest_token = std::max(parts_.longest_token, parts_.table.bytes(id).size());
    }
    parts_.ignore_merges = file_.ignore_merges;
    parts_.trim_offsets = file_.trim_offsets;
    parts_.keeps_first_space = file_.keeps_first_space;
    return std::move(parts_);
  }

 private:
  Error bad(const std::string& what) const {
    return {ErrorCode::kBadFile, std::string(name_) + ": the tokenizer " + what};
  }

  Status make_table() {
    int32_t largest = -1;
    for (const VocabularyEntry& entry : file_.vocabulary) largest = std::max(largest, entry.id);
    for (const AddedToken& token : file_.added) largest = std::max(largest, token.id);
    const size_t tokens = file_.vocabulary.size() + file_.added.size();
    if (file_.vocabulary.empty()) return bad("has an empty vocabulary");
    if (largest >= std::max(kAlwaysAllowed, kSparseFactor * static_cast<int64_t>(tokens))) {
      return bad("has ids up to " + std::to_string(largest) + " for only " +
                 std::to_string(tokens) + " tokens of vocabulary and added_tokens");
    }
    parts_.table = TokenTable(largest + 1, tokens, std::move(file_.arena));
    return {};
  }

  Status check(TokenTable::Added added, std::string_view content, int32_t id) const {
    switch (added) {
      case TokenTable::Added::kYes:
        return {};
      case TokenTable::Added::kSameId:
        return bad("gives the id " + std::to_string(id) + " to two tokens, \"" +
                   shown(parts_.table.content(id)) + "\" and \"" + shown(content) + "\"");
      case TokenTable::Added::kSameContent:
        return bad("gives the token \"" + shown(content) + "\" twice in its vocabulary");
      case TokenTable::Added::kTooManyCollisions:
        break;
    }
    return bad("has a vocabulary made to collide in hash tables");
  }

  Status add_vocabulary() {
    for (const VocabularyEntry& entry : file_.vocabulary) {
      const auto added = parts_.table.add(entry.id, entry.content);
      if (added != TokenTable::Added::kYes) {
        return check(added, entry.content.of(parts_.table.arena()), entry.id);
      }
    }
    return {};
  }

  /// Added tokens may not be what plain text turns into: not one of the byte tokens, nor (below)
  /// made by a merge.
  Status add_bytes() {
    for (int byte = 0; byte < 256; ++byte) {
      std::string character;
      utf8_append(character, byte_character(static_cast<uint8_t>(byte)));
      const int32_t id = parts_.table.find(character).value_or(Bpe::kNoToken);
      if (parts_.table.is_added(id)) {
        return bad("has the added token \"" + character + "\", which is the token of a byte");
      }
      parts_.bpe.byte_ids[byte] = id;
    }
    return {};
  }

  Status add_unknown() {
    parts_.bpe.fuse_unknown = file_.fuse_unknown;
    if (!file_.unknown) return {};
    const std::optional<int32_t> id = parts_.table.find(*file_.unknown);
    if (!id) {
      return bad("has the unk_token \"" + shown(*file_.unknown) +
                 "\", which is not in its vocabulary");
    }
    parts_.bpe.unknown = *id;
    return {};
  }

  /// An added token may repeat one of the vocabulary, id and all; otherwise its id must be free.
  Status add_added_tokens() {
    for (const AddedToken& token : file_.added) {
      const std::optional<int32_t> known = parts_.table.find(token.content);
      if (known && (*known != token.id || parts_.table.is_added(*known))) {
        return bad("gives the added token \"" + shown(token.content) + "\" twice, with the ids " +
                   std::to_string(*known) + " and " + std::to_string(token.id));
      }
      if (!known) {
        SEQGPT_TRY(check(parts_.table.add(token.id, token.content), token.content, token.id));
      }
      parts_.table.mark_added(token.id, token.special);
      (token.normalized ? parts_.normalized : parts_.unnormalized).add(token.content, token.id);
    }
    parts_.normalized.finish();
    parts_.unnormalized.finish();
    return {};
  }

  Status add_merges() {
    parts_.bpe.merges = MergeTable(file_.merges.size());
    std::string joined;
    for (const MergeEntry& merge : file_.merges) {
      const std::string_view left = merge.left.of(parts_.table.arena());
      const std::string_view right = merge.right.of(parts_.table.arena());
      joined.assign(left).append(right);
      SEQGPT_TRY(add_merge(left, right, joined));
    }
    return {};
  }

  Status add_merge(std::string_view left, std::string_view right, std::string_view joined) {
    std::array<int32_t, 3> ids{};
    for (size_t i = 0; const std::string_view content : {left, right, joined}) {
      const std::optional<int32_t> id = parts_.table.find(content);
      if (!id) {
        return bad("has a merge of \"" + shown(left) + "\" and \"" + shown(right) + "\", but \"" +
                   shown(content) + "\" is not in its vocabulary");
      }
      ids[i++] = *id;
    }
    if (parts_.table.is_added(ids[2])) {
      return bad("has a merge that makes the added token \"" + shown(joined) +
                 "\", so plain text could become it");
    }
    if (parts_.bpe.merges.insert(ids[0], ids[1], ids[2])) return {};
    return bad("has merges made to collide in hash tables");
  }

  TokenizerFile file_;
  std::string_view name_;
  TokenizerParts parts_;
};

}  // namespace

TokenizerParts::WhiteSpace TokenizerParts::white_space_around(int32_t id) const {
  const std::string_view content = table.content(id);
  constexpr std::string_view kSpace = "\u0120";  // the byte alphabet's character for a space
  uint32_t leading = 0;
  uint32_t trailing = 0;
  uint32_t characters = 0;
  for (size_t at = 0; at < content.size(); at += utf8_decode(content, at).bytes, ++characters) {
    const bool white = white_space_at(content, at) != 0 || content.substr(at).starts_with(kSpace);
    if (white && leading == characters) ++leading;
    trailing = white ? trailing + 1 : 0;
  }
  return {leading, trailing};
}

Result<TokenizerParts> build_tokenizer(TokenizerFile file, std::string_view name) {
  return Builder(std::move(file), name).build();
}

}  // namespace seqgpt
