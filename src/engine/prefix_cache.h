// SPDX-License-Identifier: Apache-2.0
// PrefixCache: keys and values of prompts that were read, for prompts that begin with the same
// tokens.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/kv_pool.h"
#include "engine/sequence.h"

namespace seqgpt {

/// A tree of blocks for each owner: a path from its root is the beginning of a prompt, each node
/// the tokens of one block; a node is found by those tokens themselves, so nothing can be mistaken
/// for another. Whole blocks are shared between the cache and any number of sequences, none of
/// which writes into them again; what a prompt has in its last, partial block is copied in and
/// copied out. Rows do not know where the keys and values before them came from, so answers have
/// the same bits with it and without. It keeps at most `max_blocks`, least recently used out first,
/// and gives a block back whenever the pool has none: what it keeps is never in the way of a
/// request. One KV type a pool, hence one a cache. Owners share nothing, not even equal tokens: the
/// time an answer takes must not tell one of them what another has asked.
class PrefixCache {
 public:
  PrefixCache(KvPool& pool, int max_blocks, EngineCounters& counters);
  ~PrefixCache();
  PrefixCache(const PrefixCache&) = delete;
  PrefixCache& operator=(const PrefixCache&) = delete;

  /// How many of the first tokens are stored.
  int stored(std::string_view owner, std::span<const int32_t> tokens) const;
  /// Gives a sequence of which nothing is computed what is stored of its first `most` tokens.
  void attach(std::string_view owner, Sequence& sequence, int most);
  /// Keeps what is computed of a prompt: `computed` positions of a sequence whose first `prompt`
  /// tokens are one. A block that is kept already takes the place of the sequence's own.
  void store(std::string_view owner, Sequence& sequence, int computed, int prompt);

  int blocks() const { return static_cast<int>(by_use_.size()); }

 private:
  struct Node;
  using Tokens = std::vector<int32_t>;
  using Children = std::map<Tokens, std::unique_ptr<Node>>;
  struct Node {
    Node* parent = nullptr;  // null: a root, which has no block and is in no list
    int32_t block = 0;
    Children::iterator self;         // in its parent's children
    std::list<Node*>::iterator use;  // in by_use_
    Children children;               // by their tokens
  };
  struct Partial {
    Node* node = nullptr;
    int tokens = 0;
  };

  Node& root_of(std::string_view owner);
  Node* whole_child(const Node& node, std::span<const int32_t> tokens) const;
  static Partial best_partial(const Node& node, std::span<const int32_t> tokens);
  Node* add(Node& parent, std::span<const int32_t> tokens, int32_t block);
  void add_tail(Node& parent, std::span<const int32_t> tokens, int32_t block);
  void touch(Node* node);
  bool evict();

  KvPool& pool_;
  int max_blocks_;
  EngineCounters& counters_;
  std::map<std::string, Node, std::less<>> roots_;  // by owner; as few as there are keys
  // Most recent first. A node is used whenever one below it is, and stands before it: the least
  // recent that is idle has nothing below it.
  std::list<Node*> by_use_;
};

}  // namespace seqgpt
