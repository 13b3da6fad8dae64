// SPDX-License-Identifier: Apache-2.0
// Sequence: tokens, how far their keys and values are computed, the blocks that hold them, rows
// wanted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kv_pool.h"

namespace seqgpt {

/// Outputs wanted after one position: of the vocabulary rows `ids`, or of all when it is empty.
struct WantedRow {
  int position = 0;
  std::span<const int32_t> ids = {};  // memory of the work that wants them
  bool hidden = false;                // the hidden state instead (StepOutput)
};

/// Plain data; whoever drops one releases its blocks first (drop_blocks). blocks[i] holds positions
/// i * kKvBlockTokens ...; there are exactly as many as `computed` positions need, more only while
/// a step is under way.
struct Sequence {
  std::vector<int32_t> tokens;
  int computed = 0;  // positions whose keys and values are stored
  std::vector<int32_t> blocks;
  std::vector<WantedRow> wanted;  // ascending, none before `computed`
  uint64_t served = 0;            // the step that last took rows of it; 0: none yet

  int size() const { return static_cast<int>(tokens.size()); }
  int pending() const { return size() - computed; }
};

/// Gives the sequence blocks of its own for positions [computed, end): one that is shared is copied
/// first.
void make_room(Sequence& sequence, int end, KvPool& pool);
/// A second sequence with the same tokens; it shares all blocks until either writes into one.
Sequence fork(const Sequence& sequence, KvPool& pool);
void drop_blocks(Sequence& sequence, KvPool& pool);
/// Takes tokens from `size` on back, their stored keys and values included; nothing is wanted any
/// more.
void rewind(Sequence& sequence, int size, KvPool& pool);

}  // namespace seqgpt
