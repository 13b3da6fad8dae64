// SPDX-License-Identifier: Apache-2.0
// Building the vocabulary trie: tokens sorted by bytes, then split byte by byte, breadth first.
#include "constrain/vocabulary.h"

#include <algorithm>

#include "constrain/prefix_key.h"

namespace seqgpt {
namespace {

// Longer tokens stay out of the trie: what they say can be said by others, and walks go as deep as
// it is.
constexpr size_t kMaxTokenBytes = 1024;

Error missing_byte(int byte) {
  return {
      ErrorCode::kUnsupported,
      "the tokenizer has no usable token for the byte " + std::to_string(byte) +
          " alone, so an extraction could get stuck; use a byte-level tokenizer with all 256 byte "
          "tokens inside the model's vocabulary",
      "model"};
}

}  // namespace

Result<std::shared_ptr<const VocabularyTrie>> VocabularyTrie::build(const Tokenizer& tokenizer,
                                                                    int model_rows) {
  const std::shared_ptr<VocabularyTrie> trie(new VocabularyTrie());
  trie->copy_tokens(tokenizer, std::min(model_rows, static_cast<int>(tokenizer.size())));
  trie->build_nodes(trie->sorted_ids());
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t child = trie->child(trie->node(kRoot), static_cast<uint8_t>(byte));
    if (child == kNone || trie->node(child).id < 0) return missing_byte(byte);
  }
  return std::shared_ptr<const VocabularyTrie>(trie);
}

uint32_t VocabularyTrie::child(const Node& node, uint8_t byte) const {
  const auto bytes = child_bytes(node);
  const auto found = std::ranges::lower_bound(bytes, byte);
  if (found == bytes.end() || *found != byte) return kNone;
  return node.first_child + static_cast<uint32_t>(found - bytes.begin());
}

int32_t VocabularyTrie::find(std::string_view bytes) const {
  uint32_t at = kRoot;
  for (size_t i = 0; i < bytes.size() && at != kNone; ++i)
    at = child(node(at), static_cast<uint8_t>(bytes[i]));
  return at == kNone ? -1 : node(at).id;
}

std::string_view VocabularyTrie::bytes(int32_t id) const {
  if (id < 0 || static_cast<size_t>(id) + 1 >= token_begin_.size()) return {};
  const uint32_t begin = token_begin_[static_cast<size_t>(id)];
  return std::string_view(token_bytes_)
      .substr(begin, token_begin_[static_cast<size_t>(id) + 1] - begin);
}

void VocabularyTrie::copy_tokens(const Tokenizer& tokenizer, int rows) {
  token_begin_.push_back(0);
  for (int32_t id = 0; id < rows; ++id) {
    if (!tokenizer.is_added(id)) token_bytes_.append(tokenizer.bytes(id));
    token_begin_.push_back(static_cast<uint32_t>(token_bytes_.size()));
  }
}

std::vector<int32_t> VocabularyTrie::sorted_ids() const {
  struct Keyed {
    uint64_t key;
    int32_t id;
  };
  std::vector<Keyed> keyed;
  for (int32_t id = 0; id + 1 < static_cast<int32_t>(token_begin_.size()); ++id) {
    const std::string_view token = bytes(id);
    if (!token.empty() && token.size() <= kMaxTokenBytes) keyed.push_back({prefix_key(token), id});
  }
  std::ranges::sort(keyed, [this](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const int order = bytes(a.id).compare(bytes(b.id));
    return order != 0 ? order < 0 : a.id < b.id;
  });
  std::vector<int32_t> ids(keyed.size());
  std::ranges::transform(keyed, ids.begin(), &Keyed::id);
  return ids;
}

void VocabularyTrie::build_nodes(const std::vector<int32_t>& ids) {
  struct Range {  // of ids, for each node
    size_t begin;
    size_t end;
    size_t depth;
  };
  std::vector<Range> ranges{{0, ids.size(), 0}};
  nodes_.emplace_back();
  bytes_.push_back(0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    auto [at, end, depth] = ranges[i];
    nodes_[i].first_child = static_cast<uint32_t>(nodes_.size());
    for (; at < end && bytes(ids[at]).size() == depth; ++at) {
      if (nodes_[i].id < 0) nodes_[i].id = ids[at];
    }
    while (at < end) {
      const char byte = bytes(ids[at])[depth];
      const size_t begin = at;
      while (at < end && bytes(ids[at])[depth] == byte) ++at;
      ranges.push_back({begin, at, depth + 1});
      nodes_.emplace_back();
      bytes_.push_back(static_cast<uint8_t>(byte));
      ++nodes_[i].children;
    }
  }
}

}  // namespace seqgpt
