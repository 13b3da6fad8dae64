// SPDX-License-Identifier: Apache-2.0
// Two ways to the same merges: scanning a small array for short pieces, a heap for long ones.
#include "tokenizer/bpe.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace seqgpt {
namespace {

constexpr uint32_t kEnd = UINT32_MAX;

/// Heap entries order by rank, then by position: the merge to make next is the smallest.
uint64_t heap_entry(int32_t rank, uint32_t at) {
  return static_cast<uint64_t>(rank) << 32 | at;
}

template <typename T>
void erase(T* items, uint32_t at, uint32_t count) {
  std::memmove(items + at, items + at + 1, (count - at - 1) * sizeof(T));
}

/// The merges of neighbouring symbols, by the position of the left one.
struct ShortMerges {
  std::array<int32_t, Bpe::kShort> ranks;
  std::array<int32_t, Bpe::kShort> results;

  void set(uint32_t at, Merge merge) {
    ranks[at] = merge.rank;
    results[at] = merge.result;
  }
  /// Position of the first of lowest rank among the first `count`, or `count` when none exists.
  uint32_t first_lowest(uint32_t count) const {
    int32_t least = Merge().rank;
    for (uint32_t i = 0; i < count; ++i) least = std::min(least, ranks[i]);
    if (least == Merge().rank) return count;
    return static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), least) - ranks.begin());
  }
};

}  // namespace

void Bpe::encode(std::string_view text, uint32_t begin, uint32_t end, BpeScratch& scratch,
                 std::vector<Symbol>& out) const {
  if (end - begin <= kShort) {
    std::array<Symbol, kShort> symbols;
    const uint32_t count = encode_short(text, begin, end, symbols);
    out.insert(out.end(), symbols.begin(), symbols.begin() + count);
    return;
  }
  scratch.symbols.resize(end - begin);
  const uint32_t count = first_symbols(text, begin, end, scratch.symbols.data());
  merge_long(scratch, count, out);
}

uint32_t Bpe::encode_short(std::string_view text, uint32_t begin, uint32_t end,
                           std::array<Symbol, kShort>& symbols) const {
  return merge_short(symbols.data(), first_symbols(text, begin, end, symbols.data()));
}

uint32_t Bpe::first_symbols(std::string_view text, uint32_t begin, uint32_t end,
                            Symbol* symbols) const {
  uint32_t count = 0;
  bool after_unknown = false;
  for (uint32_t at = begin; at < end; ++at) {
    int32_t id = byte_ids[static_cast<uint8_t>(text[at])];
    const bool is_unknown = id == kNoToken;
    if (is_unknown) id = after_unknown && fuse_unknown ? kNoToken : unknown;
    after_unknown = is_unknown;
    if (id != kNoToken) symbols[count++] = {id, at};
  }
  return count;
}

uint32_t Bpe::merge_short(Symbol* symbols, uint32_t count) const {
  ShortMerges pairs;
  const auto look = [&](uint32_t at) {
    pairs.set(at, merges.find(symbols[at].id, symbols[at + 1].id));
  };
  for (uint32_t i = 0; i + 1 < count; ++i) look(i);
  while (count > 1) {
    const uint32_t at = pairs.first_lowest(count - 1);
    if (at == count - 1) break;
    symbols[at].id = pairs.results[at];
    erase(symbols, at + 1, count);
    erase(pairs.ranks.data(), at, count - 1);
    erase(pairs.results.data(), at, count - 1);
    --count;
    if (at > 0) look(at - 1);
    if (at + 1 < count) look(at);
  }
  return count;
}

void Bpe::merge_long(BpeScratch& scratch, uint32_t count, std::vector<Symbol>& out) const {
  auto& [symbols, pairs, previous, next, heap] = scratch;
  pairs.resize(count);
  previous.resize(count);
  next.resize(count);
  heap.clear();
  const auto look = [&](uint32_t at) {
    pairs[at] = next[at] == kEnd ? Merge() : merges.find(symbols[at].id, symbols[next[at]].id);
    if (pairs[at].exists()) heap.push_back(heap_entry(pairs[at].rank, at));
    return pairs[at].exists();
  };
  const auto look_again = [&](uint32_t at) {
    if (look(at)) std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  for (uint32_t i = 0; i < count; ++i) {
    previous[i] = i == 0 ? kEnd : i - 1;
    next[i] = i + 1 < count ? i + 1 : kEnd;
    look(i);
  }
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const auto at = static_cast<uint32_t>(heap.back());
    const auto rank = static_cast<int32_t>(heap.back() >> 32);
    heap.pop_back();
    if (pairs[at].rank != rank) continue;  // the pair it was made for is gone
    const uint32_t gone = next[at];
    symbols[at].id = pairs[at].result;
    next[at] = next[gone];
    pairs[gone] = Merge();
    if (next[at] != kEnd) previous[next[at]] = at;
    look_again(at);
    if (previous[at] != kEnd) look_again(previous[at]);
  }
  for (uint32_t at = 0; count > 0 && at != kEnd; at = next[at]) out.push_back(symbols[at]);
}

}  // namespace seqgpt
