// SPDX-License-Identifier: Apache-2.0
// Which pairs of tokens merge, how early, and into what: a flat hash table on (left, right).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqgpt {

/// A merge: lower ranks are made first.
struct Merge {
  int32_t rank = INT32_MAX;
  int32_t result = -1;  // the token made

  bool exists() const { return rank != INT32_MAX; }
};

/// Built once, then read by any number of threads.
class MergeTable {
 public:
  /// Makes room for `merges` calls of insert().
  explicit MergeTable(size_t merges = 0);

  /// Adds a merge; its rank is the number of inserts before. A pair given again takes the later
  /// rank, as in HF. False when too many pairs fall on one place of the table: no honest file does
  /// that.
  bool insert(int32_t left, int32_t right, int32_t result);

  /// The merge of a pair, or one that does not exist.
  Merge find(int32_t left, int32_t right) const {
    const uint64_t mixed = mix(left, right);
    const uint64_t bit = mixed >> filter_shift_;
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return {};
    for (size_t at = mixed >> slot_shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if ((slot.left == left && slot.right == right) || !slot.merge.exists()) return slot.merge;
    }
  }

  /// The slot where the search for a pair starts.
  size_t home(int32_t left, int32_t right) const { return mix(left, right) >> slot_shift_; }

 private:
  struct Slot {
    int32_t left = -1;
    int32_t right = -1;
    Merge merge;
  };

  static uint64_t mix(int32_t left, int32_t right) {
    const uint64_t key =
        static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
    return (key ^ key >> 29) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  }

  int slot_shift_;
  int filter_shift_;
  size_t mask_;
  std::vector<Slot> slots_;
  std::vector<uint64_t> filter_;  // a bit for each hash in the table: most pairs do not merge, and
                                  // end here, in a sixteenth of the memory
  int32_t inserted_ = 0;
};

}  // namespace seqgpt
