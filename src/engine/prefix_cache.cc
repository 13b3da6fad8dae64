// SPDX-License-Identifier: Apache-2.0
// The tree of stored blocks: finding, adding, evicting.
#include "engine/prefix_cache.h"

#include <algorithm>
#include <cassert>

namespace seqgpt {
namespace {

/// Fewer tokens of a partial block are not worth copying it: every prompt begins with the template.
constexpr int kLeastPartial = 8;

int common_prefix(std::span<const int32_t> a, std::span<const int32_t> b) {
  const auto [end, ignored] = std::ranges::mismatch(a, b);
  return static_cast<int>(end - a.begin());
}

}  // namespace

PrefixCache::PrefixCache(KvPool& pool, int max_blocks, EngineCounters& counters)
    : pool_(pool), max_blocks_(max_blocks), counters_(counters) {
  pool_.set_reclaim([this] { evict(); });
}

PrefixCache::~PrefixCache() {
  pool_.set_reclaim({});
  for (const Node* node : by_use_) pool_.let_go(node->block);
}

PrefixCache::Node* PrefixCache::whole_child(const Node& node,
                                            std::span<const int32_t> tokens) const {
  if (tokens.size() < kKvBlockTokens) return nullptr;
  const auto found = node.children.find(Tokens(tokens.begin(), tokens.begin() + kKvBlockTokens));
  return found == node.children.end() ? nullptr : found->second.get();
}

/// The child that begins with the most of `tokens`: a neighbour of their place among the children.
PrefixCache::Partial PrefixCache::best_partial(const Node& node, std::span<const int32_t> tokens) {
  Partial best;
  const auto look_at = [&](const Children::value_type& child) {
    const int common = common_prefix(child.first, tokens);
    if (common > best.tokens) best = {child.second.get(), common};
  };
  const auto after = node.children.lower_bound(Tokens(tokens.begin(), tokens.end()));
  if (after != node.children.end()) look_at(*after);
  if (after != node.children.begin()) look_at(*std::prev(after));
  return best.tokens < kLeastPartial ? Partial{} : best;
}

PrefixCache::Node& PrefixCache::root_of(std::string_view owner) {
  const auto found = roots_.find(owner);
  return found == roots_.end() ? roots_[std::string(owner)] : found->second;
}

int PrefixCache::stored(std::string_view owner, std::span<const int32_t> tokens) const {
  const auto root = roots_.find(owner);
  if (root == roots_.end()) return 0;
  const Node* at = &root->second;
  size_t matched = 0;
  while (const Node* child = whole_child(*at, tokens.subspan(matched))) {
    at = child;
    matched += kKvBlockTokens;
  }
  return static_cast<int>(matched) + best_partial(*at, tokens.subspan(matched)).tokens;
}

void PrefixCache::attach(std::string_view owner, Sequence& sequence, int most) {
  assert(sequence.computed == 0 && sequence.blocks.empty());
  const auto tokens = std::span(sequence.tokens).first(static_cast<size_t>(most));
  Node* at = &root_of(owner);
  size_t matched = 0;
  while (Node* child = whole_child(*at, tokens.subspan(matched))) {
    pool_.retain(child->block);
    sequence.blocks.push_back(child->block);
    at = child;
    matched += kKvBlockTokens;
  }
  const Partial partial = best_partial(*at, tokens.subspan(matched));
  if (partial.node != nullptr) {
    if (const auto own = pool_.try_copy(partial.node->block)) {
      sequence.blocks.push_back(*own);
      matched += static_cast<size_t>(partial.tokens);
      at = partial.node;
    }
  }
  touch(at);
  sequence.computed = static_cast<int>(matched);
  ++counters_.prefix_lookups;
  counters_.prefix_hits += matched > 0 ? 1 : 0;
  counters_.prefix_tokens += matched;
}

void PrefixCache::store(std::string_view owner, Sequence& sequence, int computed, int prompt) {
  const auto tokens = std::span<const int32_t>(sequence.tokens).first(static_cast<size_t>(prompt));
  const auto whole = static_cast<size_t>(std::min(computed, prompt) / kKvBlockTokens);
  Node* at = &root_of(owner);
  for (size_t i = 0; i < whole; ++i) {
    const auto rest = tokens.subspan(i * kKvBlockTokens);
    int32_t& block = sequence.blocks[i];
    Node* child = whole_child(*at, rest);
    if (child == nullptr) child = add(*at, rest.first(kKvBlockTokens), block);
    if (child == nullptr) return touch(at);
    if (child->block != block) {
      pool_.retain(child->block);
      pool_.release(block);
      block = child->block;
    }
    at = child;
  }
  const auto tail = tokens.subspan(whole * kKvBlockTokens);
  if (computed >= prompt && !tail.empty()) add_tail(*at, tail, sequence.blocks[whole]);
  touch(at);
}

/// A copy of the prompt's last block, into which the sequence is about to write its answer.
void PrefixCache::add_tail(Node& parent, std::span<const int32_t> tokens, int32_t block) {
  if (static_cast<int>(tokens.size()) < kLeastPartial) return;
  if (best_partial(parent, tokens).tokens == static_cast<int>(tokens.size())) return;
  const auto copy = pool_.try_copy(block);
  if (!copy) return;
  if (Node* node = add(parent, tokens, *copy)) touch(node);
  pool_.release(*copy);
}

PrefixCache::Node* PrefixCache::add(Node& parent, std::span<const int32_t> tokens, int32_t block) {
  if (blocks() >= max_blocks_ && !evict()) return nullptr;
  const auto [self, added] =
      parent.children.emplace(Tokens(tokens.begin(), tokens.end()), std::make_unique<Node>());
  assert(added);
  Node* node = self->second.get();
  node->parent = &parent;
  node->block = block;
  node->self = self;
  node->use = by_use_.insert(by_use_.begin(), node);
  pool_.keep(block);
  return node;
}

/// Moves the node and all above it to the front, the highest foremost.
void PrefixCache::touch(Node* node) {
  for (; node->parent != nullptr; node = node->parent)
    by_use_.splice(by_use_.begin(), by_use_, node->use);
}

/// Lets go of the least recently used block that no sequence holds; false when there is none.
bool PrefixCache::evict() {
  const auto found = std::find_if(by_use_.rbegin(), by_use_.rend(), [this](const Node* node) {
    return pool_.idle(node->block) && node->children.empty();
  });
  if (found == by_use_.rend()) return false;
  Node* node = *found;
  pool_.let_go(node->block);
  by_use_.erase(node->use);
  node->parent->children.erase(node->self);
  ++counters_.prefix_evictions;
  return true;
}

}  // namespace seqgpt
