// SPDX-License-Identifier: Apache-2.0
// KvPool: hands out KV blocks, counts who shares each, copies one that is about to be written while
// shared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace seqgpt {

/// Blocks are handed out last returned first, from block 0 up when all are fresh: the same calls
/// give the same blocks. Callers reserve() their worst case beforehand, so take() never finds the
/// pool empty. Thread contract: the engine's thread only.
class KvPool {
 public:
  explicit KvPool(std::unique_ptr<KvBlocks> blocks);

  int total() const { return static_cast<int>(references_.size()); }
  /// Blocks that sequences hold; what the prefix cache alone keeps is not counted.
  int used() const { return total() - available(); }
  /// Blocks that take() can hand out: free ones, and those that only the prefix cache keeps.
  int available() const { return static_cast<int>(free_.size()) + idle_; }

  /// Sets `count` blocks aside for one request; false when so many are not left.
  bool reserve(int count);
  void unreserve(int count) { reserved_ -= count; }

  /// A zeroed block with one reference.
  int32_t take();
  void retain(int32_t block);
  /// Gives one reference back; the block is free when none is left.
  void release(int32_t block);
  int references(int32_t block) const { return references_[block]; }

  // For the prefix cache. A kept block has one reference of its own and is idle while that is the
  // only one. `reclaim` is called when no block is free: it lets go of an idle one.
  void keep(int32_t block);
  void let_go(int32_t block);
  bool idle(int32_t block) const { return kept_[block] && references_[block] == 1; }
  void set_reclaim(std::function<void()> reclaim) { reclaim_ = std::move(reclaim); }
  /// A copy of a kept block with one reference, or nothing when there is no room for it.
  std::optional<int32_t> try_copy(int32_t block);

  /// `block` itself when its holder is the only one; else a copy of it that takes over this
  /// reference.
  int32_t make_own(int32_t block);

  KvBlocks& blocks() { return *blocks_; }
  size_t block_bytes() const { return blocks_->block_bytes(); }

 private:
  int32_t pop();

  std::unique_ptr<KvBlocks> blocks_;
  std::vector<int> references_;  // by block
  std::vector<bool> kept_;       // by block: whether the prefix cache has a reference
  std::vector<int32_t> free_;    // the next to hand out is the last
  int idle_ = 0;                 // kept blocks with no other reference
  std::function<void()> reclaim_;
  int reserved_ = 0;
};

/// Blocks that hold `positions` positions.
constexpr int64_t kv_blocks_for(int64_t positions) {
  return (positions + kKvBlockTokens - 1) / kKvBlockTokens;
}

}  // namespace seqgpt
