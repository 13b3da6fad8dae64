// SPDX-License-Identifier: Apache-2.0
// VocabularyTrie: the tokens an answer may be made of, as a trie over their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// Immutable, built once for a tokenizer and shared by all constraints. Holds no added token
/// ([GEN], </s>
/// ...) and no id at or beyond `model_rows`. 13 bytes a node, and the tokens' bytes.
class VocabularyTrie {
 public:
  /// Error kUnsupported when one of the 256 single-byte tokens is missing: an answer could get
  /// stuck.
  static Result<std::shared_ptr<const VocabularyTrie>> build(const Tokenizer& tokenizer,
                                                             int model_rows);

  /// Nodes are numbered from kRoot. Children of a node lie together, ascending by byte.
  struct Node {
    uint32_t first_child = 0;
    int32_t id = -1;  // the token that ends here (the lowest of equals), or -1
    uint16_t children = 0;
  };
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  const Node& node(uint32_t index) const { return nodes_[index]; }
  /// The bytes that lead to the node's children, in their order.
  std::span<const uint8_t> child_bytes(const Node& node) const {
    return {bytes_.data() + node.first_child, node.children};
  }
  /// The child that `byte` leads to, or kNone.
  uint32_t child(const Node& node, uint8_t byte) const;

  /// The id that stands for exactly these bytes (the lowest of equals), or -1.
  int32_t find(std::string_view bytes) const;
  /// What a token stands for; empty for ids that no answer may hold.
  std::string_view bytes(int32_t id) const;

 private:
  VocabularyTrie() = default;
  void copy_tokens(const Tokenizer& tokenizer, int rows);
  std::vector<int32_t> sorted_ids() const;
  void build_nodes(const std::vector<int32_t>& ids);

  std::vector<Node> nodes_;            // breadth first
  std::vector<uint8_t> bytes_;         // for each node, the byte that leads to it
  std::string token_bytes_;            // of all ids, one after the other
  std::vector<uint32_t> token_begin_;  // id -> where its bytes begin; one more than there are ids
};

}  // namespace seqgpt
