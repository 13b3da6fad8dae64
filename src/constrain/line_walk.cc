// SPDX-License-Identifier: Apache-2.0
// The byte automaton of one answer line, and its product with the vocabulary trie.
#include "constrain/line_walk.h"

#include <algorithm>
#include <string_view>

namespace seqgpt {
namespace {

bool ends_value(uint8_t byte) {
  return byte == '\t' || byte == '\n';
}

}  // namespace

LineWalk::LineWalk(const SpanIndex& index, const VocabularyTrie& vocabulary)
    : index_(index), vocabulary_(vocabulary) {
  const SpanIndex::State none = index.find(kAbsent);
  if (none != SpanIndex::kNone && index.may_stop(none)) give(none);
  excluded_ = given_count_;
}

bool LineWalk::step(Position& position, uint8_t byte) {
  switch (position.phase) {
    case Phase::kColon:
      if (byte != ' ') return false;
      position = {Phase::kValue, SpanIndex::kRoot, 0};
      return true;
    case Phase::kValue:
      return ends_value(byte) ? end_value(position, byte) : step_in_value(position, byte);
    case Phase::kEnd:
      return false;
  }
  return false;
}

bool LineWalk::step_in_value(Position& position, uint8_t byte) const {
  const uint8_t letters = position.none_letters;
  const bool none = letters < kAbsent.size() && byte == static_cast<uint8_t>(kAbsent[letters]);
  SpanIndex::State span = SpanIndex::kNone;
  if (position.span != SpanIndex::kNone) span = index_.next(position.span, byte);
  if (span != SpanIndex::kNone && exhausted(span)) span = SpanIndex::kNone;
  if (span == SpanIndex::kNone && !none) return false;
  position.span = span;
  position.none_letters = none ? static_cast<uint8_t>(letters + 1) : kNotNone;
  return true;
}

bool LineWalk::end_value(Position& position, uint8_t byte) {
  if (position.none_letters == kAbsent.size()) {
    if (byte != '\n') return false;
    position.phase = Phase::kEnd;
    return true;
  }
  if (!is_new_value(position.span)) return false;
  give(position.span);
  if (byte == '\n') {
    position.phase = Phase::kEnd;
    return true;
  }
  if (values() >= kMaxValuesPerLabel || exhausted(SpanIndex::kRoot)) {
    --given_count_;
    return false;
  }
  position = {Phase::kValue, SpanIndex::kRoot, kNotNone};
  return true;
}

bool LineWalk::is_new_value(SpanIndex::State span) const {
  return span != SpanIndex::kNone && index_.may_stop(span) && !std::ranges::count(given(), span);
}

// True when every value that begins with `prefix` was given already.
bool LineWalk::exhausted(SpanIndex::State prefix) const {
  const auto begun = static_cast<uint32_t>(std::ranges::count_if(
      given(), [&](SpanIndex::State value) { return index_.begins_with(value, prefix); }));
  if (begun == 0) return false;  // what can be walked can be brought to an end
  return index_.completions(prefix, begun + 1) <= begun;
}

void LineWalk::tokens(const Position& position, size_t most, std::vector<int32_t>& ids) {
  visit(VocabularyTrie::kRoot, position, most, ids);
}

void LineWalk::visit(uint32_t node, const Position& position, size_t most,
                     std::vector<int32_t>& ids) {
  if (vocabulary_.node(node).children == 0) return;
  if (position.phase == Phase::kColon) return try_byte(node, position, ' ', most, ids);
  if (position.phase == Phase::kEnd) return;
  std::span<const uint8_t> following;
  if (position.span != SpanIndex::kNone) following = index_.following(position.span);
  for (const uint8_t byte : following) try_byte(node, position, byte, most, ids);
  if (position.none_letters < kAbsent.size()) {
    const auto letter = static_cast<uint8_t>(kAbsent[position.none_letters]);
    if (!std::ranges::binary_search(following, letter)) try_byte(node, position, letter, most, ids);
  }
  try_byte(node, position, '\t', most, ids);
  try_byte(node, position, '\n', most, ids);
}

void LineWalk::try_byte(uint32_t node, const Position& position, uint8_t byte, size_t most,
                        std::vector<int32_t>& ids) {
  if (ids.size() >= most) return;
  const uint32_t child = vocabulary_.child(vocabulary_.node(node), byte);
  if (child == VocabularyTrie::kNone) return;
  Position after = position;
  const size_t values_before = given_count_;
  if (!step(after, byte)) return;
  if (vocabulary_.node(child).id >= 0) ids.push_back(vocabulary_.node(child).id);
  visit(child, after, most, ids);
  given_count_ = values_before;
}

}  // namespace seqgpt
