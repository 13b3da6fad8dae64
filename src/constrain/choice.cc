// SPDX-License-Identifier: Apache-2.0
// Walking the text's tree and the vocabulary's trie side by side.
#include "constrain/choice.h"

#include <algorithm>
#include <cassert>

namespace seqgpt {
namespace {

// Words of a state.
constexpr size_t kNode = 0;
constexpr size_t kDepth = 1;
constexpr size_t kEnded = 2;

SpanIndex::State span_of(const Constraint::State& state) {
  return {state.word[kNode], state.word[kDepth]};
}

}  // namespace

bool CopyConstraint::finished(const State& state) const {
  return state.word[kEnded] != 0;
}

void CopyConstraint::forced(const State& state, std::vector<int32_t>& ids) const {
  State at = state;
  std::vector<int32_t> possible;
  while (!finished(at)) {
    candidates(at, 2, possible);
    if (possible.size() != 1) return;
    ids.push_back(possible.front());
    at = advance(at, possible.front());
  }
}

void CopyConstraint::allowed(const State& state, std::vector<int32_t>& ids) const {
  candidates(state, SIZE_MAX, ids);
  std::ranges::sort(ids);
}

Constraint::State CopyConstraint::advance(const State& state, int32_t id) const {
  State after = state;
  if (id == end_id_) {
    after.word[kEnded] = 1;
    return after;
  }
  SpanIndex::State span = span_of(state);
  for (const char byte : vocabulary_->bytes(id))
    span = index_->next(span, static_cast<uint8_t>(byte));
  assert(span != SpanIndex::kNone);
  after.word[kNode] = span.node;
  after.word[kDepth] = span.depth;
  return after;
}

std::string_view CopyConstraint::bytes(const State& state) const {
  return index_->bytes(span_of(state));
}

ByteSpan CopyConstraint::source(const State& state) const {
  return index_->locate(span_of(state));
}

void CopyConstraint::candidates(const State& state, size_t most, std::vector<int32_t>& ids) const {
  ids.clear();
  const SpanIndex::State span = span_of(state);
  if (span.depth > 0 && index_->may_stop(span)) ids.push_back(end_id_);
  visit(VocabularyTrie::kRoot, span, most, ids);
}

void CopyConstraint::visit(uint32_t node, SpanIndex::State span, size_t most,
                           std::vector<int32_t>& ids) const {
  if (vocabulary_->node(node).children == 0) return;
  for (const uint8_t byte : index_->following(span)) {
    if (ids.size() >= most) return;
    const uint32_t child = vocabulary_->child(vocabulary_->node(node), byte);
    if (child == VocabularyTrie::kNone) continue;
    if (vocabulary_->node(child).id >= 0) ids.push_back(vocabulary_->node(child).id);
    visit(child, index_->next(span, byte), most, ids);
  }
}

}  // namespace seqgpt
