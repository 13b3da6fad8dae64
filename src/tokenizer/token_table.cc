// SPDX-License-Identifier: Apache-2.0
// The table's hash index and the arena of bytes.
#include "tokenizer/token_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "tokenizer/byte_alphabet.h"

namespace seqgpt {
namespace {

constexpr size_t kMostProbes = 1024;  // at half load an honest vocabulary needs a few dozen
constexpr size_t kNoSlot = SIZE_MAX;

}  // namespace

TokenTable::TokenTable(int32_t size, size_t tokens, std::string arena) : arena_(std::move(arena)) {
  contents_.resize(static_cast<size_t>(size));
  flags_.resize(static_cast<size_t>(size));
  slots_.resize(std::bit_ceil(std::max<size_t>(2 * tokens, 2)), kFree);
}

size_t TokenTable::slot_of(std::string_view content) const {
  const size_t mask = slots_.size() - 1;
  size_t at = std::hash<std::string_view>()(content) & mask;
  for (size_t probes = 0; probes < kMostProbes; ++probes, at = (at + 1) & mask) {
    const int32_t id = slots_[at];
    if (id == kFree || contents_[id].of(arena_) == content) return at;
  }
  return kNoSlot;
}

TokenTable::Added TokenTable::add(int32_t id, Slice content) {
  if (contents_[id].size != 0) return Added::kSameId;
  const size_t slot = slot_of(content.of(arena_));
  if (slot == kNoSlot) return Added::kTooManyCollisions;
  if (slots_[slot] != kFree) return Added::kSameContent;
  slots_[slot] = id;
  contents_[id] = content;
  return Added::kYes;
}

TokenTable::Added TokenTable::add(int32_t id, std::string_view content) {
  const Slice slice{static_cast<uint32_t>(arena_.size()), static_cast<uint32_t>(content.size())};
  arena_ += content;
  return add(id, slice);
}

void TokenTable::mark_added(int32_t id, bool special) {
  flags_[id] = kAddedFlag | (special ? kSpecialFlag : 0);
}

void TokenTable::finish() {
  bytes_.reserve(contents_.size());
  byte_arena_.reserve(arena_.size());
  for (const Slice& content : contents_) {
    const auto begin = static_cast<uint32_t>(byte_arena_.size());
    append_token_bytes(content.of(arena_), byte_arena_);
    bytes_.push_back({begin, static_cast<uint32_t>(byte_arena_.size()) - begin});
  }
}

std::optional<int32_t> TokenTable::find(std::string_view content) const {
  const size_t slot = slot_of(content);
  if (slot == kNoSlot || slots_[slot] == kFree) return std::nullopt;
  return slots_[slot];
}

}  // namespace seqgpt
