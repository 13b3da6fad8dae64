// SPDX-License-Identifier: Apache-2.0
// The block pool: a stack of free numbers beside a reference count for each block.
#include "engine/kv_pool.h"

#include <cassert>
#include <utility>

namespace seqgpt {

KvPool::KvPool(std::unique_ptr<KvBlocks> blocks) : blocks_(std::move(blocks)) {
  references_.resize(static_cast<size_t>(blocks_->count()));
  kept_.resize(references_.size());
  free_.reserve(references_.size());
  for (int32_t block = blocks_->count() - 1; block >= 0; --block) free_.push_back(block);
}

bool KvPool::reserve(int count) {
  if (count > total() - reserved_) return false;
  reserved_ += count;
  return true;
}

int32_t KvPool::pop() {
  if (free_.empty() && reclaim_) reclaim_();
  assert(!free_.empty() && "a request took more blocks than it had reserved");
  const int32_t block = free_.back();
  free_.pop_back();
  references_[block] = 1;
  return block;
}

int32_t KvPool::take() {
  const int32_t block = pop();
  blocks_->clear(block);
  return block;
}

void KvPool::retain(int32_t block) {
  if (idle(block)) --idle_;
  ++references_[block];
}

void KvPool::release(int32_t block) {
  assert(references_[block] > 0);
  if (--references_[block] == 0) free_.push_back(block);
  if (idle(block)) ++idle_;
}

void KvPool::keep(int32_t block) {
  assert(references_[block] > 0 && !kept_[block]);
  ++references_[block];
  kept_[block] = true;
}

void KvPool::let_go(int32_t block) {
  if (idle(block)) --idle_;
  kept_[block] = false;
  release(block);
}

std::optional<int32_t> KvPool::try_copy(int32_t block) {
  retain(block);  // lest it be reclaimed to make room for its own copy
  std::optional<int32_t> own;
  if (available() > 0) {
    own = pop();
    blocks_->copy(block, *own);
  }
  release(block);
  return own;
}

int32_t KvPool::make_own(int32_t block) {
  if (references_[block] == 1) return block;
  const int32_t own = pop();  // not cleared: the copy overwrites all of it
  blocks_->copy(block, own);
  release(block);
  return own;
}

}  // namespace seqgpt
