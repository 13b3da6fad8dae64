// SPDX-License-Identifier: Apache-2.0
// VocabularyTrie: the tokens an answer may be made of, as a trie over their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// Immutable, built once for a tokenizer and shared by all constraints. Holds no added token ([GEN], </s> ...)
/// and no id at or beyond `model_rows`.
class VocabularyTrie {
 public:
  /// Error kUnsupported when one of the 256 single-byte tokens is missing: an answer could get stuck.
  static Result<std::shared_ptr<const VocabularyTrie>> build(const Tokenizer& tokenizer, int model_rows);

  /// Nodes are numbered from 0, the root. Children of a node lie together, ascending by byte.
  struct Node {
    uint32_t first_edge = 0;
    uint16_t edges = 0;
    int32_t id = -1;  // the token that ends here (the lowest of equals), or -1
  };
  struct Edge {
    uint8_t byte = 0;
    uint32_t target = 0;
  };

  const Node& node(uint32_t index) const { return nodes_[index]; }
  const Edge* edges(const Node& node) const { return edges_.data() + node.first_edge; }

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

}  // namespace seqgpt
