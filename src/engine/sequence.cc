// SPDX-License-Identifier: Apache-2.0
// A sequence's dealings with the block pool.
#include "engine/sequence.h"

#include <algorithm>

namespace seqgpt {

void make_room(Sequence& sequence, int end, KvPool& pool) {
  const auto first_written = static_cast<size_t>(sequence.computed / kKvBlockTokens);
  for (size_t i = first_written; i < sequence.blocks.size(); ++i) {
    sequence.blocks[i] = pool.make_own(sequence.blocks[i]);
  }
  const auto wanted = static_cast<size_t>(kv_blocks_for(end));
  while (sequence.blocks.size() < wanted) sequence.blocks.push_back(pool.take());
}

Sequence fork(const Sequence& sequence, KvPool& pool) {
  for (const int32_t block : sequence.blocks) pool.retain(block);
  return sequence;
}

void drop_blocks(Sequence& sequence, KvPool& pool) {
  for (size_t i = sequence.blocks.size(); i > 0; --i) pool.release(sequence.blocks[i - 1]);
  sequence.blocks.clear();
}

void rewind(Sequence& sequence, int size, KvPool& pool) {
  sequence.tokens.resize(static_cast<size_t>(size));
  sequence.computed = std::min(sequence.computed, size);
  sequence.wanted.clear();
  for (auto kept = static_cast<size_t>(kv_blocks_for(sequence.computed));
       sequence.blocks.size() > kept; sequence.blocks.pop_back()) {
    pool.release(sequence.blocks.back());
  }
}

}  // namespace seqgpt
