// SPDX-License-Identifier: Apache-2.0
// Filling the merge table; looking up is in the header, where it is inlined.
#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>

namespace seqgpt {
namespace {

constexpr size_t kFilterBits = 8;     // for each slot; at most one in sixteen is set
constexpr size_t kMostProbes = 1024;  // at half load an honest file needs a few dozen

}  // namespace

MergeTable::MergeTable(size_t merges) {
  const size_t slots = std::bit_ceil(std::max<size_t>(merges * 2, 2));
  slot_shift_ = 64 - std::countr_zero(slots);
  mask_ = slots - 1;
  slots_.resize(slots);
  const size_t filter_bits = std::max<size_t>(slots * kFilterBits, 64);
  filter_shift_ = 64 - std::countr_zero(filter_bits);
  filter_.resize(filter_bits / 64);
}

bool MergeTable::insert(int32_t left, int32_t right, int32_t result) {
  size_t at = home(left, right);
  for (size_t probes = 0; probes < kMostProbes; ++probes, at = (at + 1) & mask_) {
    Slot& slot = slots_[at];
    const bool same = slot.left == left && slot.right == right;
    if (!same && slot.merge.exists()) continue;
    slot = {left, right, {inserted_++, result}};
    const uint64_t bit = mix(left, right) >> filter_shift_;
    filter_[bit / 64] |= uint64_t{1} << bit % 64;
    return true;
  }
  return false;
}

}  // namespace seqgpt
