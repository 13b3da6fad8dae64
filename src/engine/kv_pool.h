// SPDX-License-Identifier: Apache-2.0
// KvPool: hands out KV blocks, counts who shares each, copies one that is about to be written while
// shared.
#pragma once

#include <cstdint>
#include <memory>
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
  int used() const { return total() - static_cast<int>(free_.size()); }

  /// Sets `count` blocks aside for one request; false when so many are not left.
  bool reserve(int count);
  void unreserve(int count) { reserved_ -= count; }

  /// A zeroed block with one reference.
  int32_t take();
  void retain(int32_t block) { ++references_[block]; }
  /// Gives one reference back; the block is free when none is left.
  void release(int32_t block);
  int references(int32_t block) const { return references_[block]; }

  /// `block` itself when its holder is the only one; else a copy of it that takes over this
  /// reference.
  int32_t make_own(int32_t block);

  KvBlocks& blocks() { return *blocks_; }

 private:
  int32_t pop();

  std::unique_ptr<KvBlocks> blocks_;
  std::vector<int> references_;  // by block
  std::vector<int32_t> free_;    // the next to hand out is the last
  int reserved_ = 0;
};

/// Blocks that hold `positions` positions.
constexpr int64_t kv_blocks_for(int64_t positions) {
  return (positions + kKvBlockTokens - 1) / kKvBlockTokens;
}

}  // namespace seqgpt
