// SPDX-License-Identifier: Apache-2.0
// The answer as a sequence of lines: labels are forced, values walk the index, each is recorded.
#include "constrain/extraction.h"

#include <algorithm>
#include <cassert>

#include "constrain/label_error.h"

namespace seqgpt {
namespace {

constexpr size_t kValuesReserved = 16;  // a label: memory for them is there from the start

// What the words of a State mean. All is zero at the start.
enum Word : size_t {
  kLabel,        // the label whose line is being written
  kLabelTokens,  // how many tokens of that label were written
  kPhase,        // the place in its line: LineWalk::Position
  kSpanNode,
  kSpanDepth,
  kNoneLetters,
  kTokens,      // of the whole answer so far
  kFirstToken,  // of the current value
};

LineWalk::Position position_of(const Constraint::State& state) {
  return {static_cast<LineWalk::Phase>(state.word[kPhase]),
          {state.word[kSpanNode], state.word[kSpanDepth]},
          static_cast<uint8_t>(state.word[kNoneLetters])};
}

void set_position(Constraint::State& state, const LineWalk::Position& position) {
  state.word[kPhase] = static_cast<uint32_t>(position.phase);
  state.word[kSpanNode] = position.span.node;
  state.word[kSpanDepth] = position.span.depth;
  state.word[kNoneLetters] = position.none_letters;
}

bool before_value(const LineWalk::Position& position) {
  return position.phase == LineWalk::Phase::kValue && position.span == SpanIndex::kRoot;
}

// A State's trail is a DecidedList.
std::shared_ptr<const DecidedList> decided(const Constraint::State& state) {
  return std::static_pointer_cast<const DecidedList>(state.trail);
}

}  // namespace

Result<std::shared_ptr<const ExtractionConstraint>> ExtractionConstraint::build(
    const std::shared_ptr<const SpanIndex>& index, std::shared_ptr<const VocabularyTrie> vocabulary,
    const Tokenizer& tokenizer, const std::vector<std::string>& labels) {
  return build(std::vector(labels.size(), index), std::move(vocabulary), tokenizer, labels);
}

Result<std::shared_ptr<const ExtractionConstraint>> ExtractionConstraint::build(
    std::vector<std::shared_ptr<const SpanIndex>> indices,
    std::shared_ptr<const VocabularyTrie> vocabulary, const Tokenizer& tokenizer,
    const std::vector<std::string>& labels) {
  assert(indices.size() == labels.size());
  if (labels.empty()) {
    return Error{ErrorCode::kUnbuildable, "there are no labels; name at least one", "labels"};
  }
  const std::shared_ptr<ExtractionConstraint> made(new ExtractionConstraint());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty() || labels[i].find_first_of("\t\n") != std::string::npos) {
      return unbuildable_label(i, "is empty or holds a TAB or a line break; rename it");
    }
    made->label_tokens_.push_back(tokenizer.encode(labels[i] + ":"));
    made->first_guesses_.push_back(guess_first(*indices[i], labels[i], *vocabulary, tokenizer));
    for (const int32_t id : made->label_tokens_.back()) {
      if (vocabulary->bytes(id).empty()) {
        return unbuildable_label(
            i, "needs the token " + std::to_string(id) +
                   ", which the model does not have; rename it or use the model's own tokenizer");
      }
    }
  }
  made->decided_memory_ = std::make_shared<DecidedMemory>(kValuesReserved * labels.size());
  made->indices_ = std::move(indices);
  made->vocabulary_ = std::move(vocabulary);
  made->tokenizer_ = &tokenizer;
  return std::shared_ptr<const ExtractionConstraint>(made);
}

Constraint::State ExtractionConstraint::start() const {
  return {};
}

bool ExtractionConstraint::finished(const State& state) const {
  return state.word[kLabel] == label_tokens_.size();
}

// The index that the current label's values come from.
const SpanIndex& ExtractionConstraint::index(const State& state) const {
  return *indices_[state.word[kLabel]];
}

bool ExtractionConstraint::in_label(const State& state) const {
  return state.word[kLabelTokens] < label_tokens_[state.word[kLabel]].size();
}

void ExtractionConstraint::forced(const State& state, std::vector<int32_t>& ids) const {
  State at = state;
  while (!finished(at)) {
    const size_t before = ids.size();
    if (in_label(at)) {
      ids.push_back(label_tokens_[at.word[kLabel]][at.word[kLabelTokens]]);
    } else {
      line_walk(at).tokens(position_of(at), before + 2, ids);
    }
    if (ids.size() != before + 1) return ids.resize(before);
    at = advance(at, ids.back());
  }
}

void ExtractionConstraint::allowed(const State& state, std::vector<int32_t>& ids) const {
  ids.clear();
  assert(!finished(state));
  if (in_label(state)) {
    ids.push_back(label_tokens_[state.word[kLabel]][state.word[kLabelTokens]]);
    return;
  }
  line_walk(state).tokens(position_of(state), SIZE_MAX, ids);
  std::ranges::sort(ids);
}

Constraint::State ExtractionConstraint::advance(const State& state, int32_t id) const {
  assert(!finished(state));
  State after = state;
  if (in_label(state)) {
    if (++after.word[kLabelTokens] == label_tokens_[state.word[kLabel]].size())
      set_position(after, {});
  } else {
    advance_line(after, id);
  }
  ++after.word[kTokens];
  return after;
}

int32_t ExtractionConstraint::guess(const State& state) const {
  const LineWalk::Position position = position_of(state);
  if (in_label(state)) return kNoGuess;
  const FirstGuess& first = first_guesses_[state.word[kLabel]];
  if (position.phase == LineWalk::Phase::kColon) return first.after_colon;
  if (position.span == SpanIndex::kRoot)
    return position.none_letters == 0 ? first.after_space : kNoGuess;
  if (position.span == SpanIndex::kNone) return kNoGuess;
  return guess_copy(index(state), position.span, "\n", *vocabulary_, *tokenizer_);
}

// A walk that knows the values of the current line.
LineWalk ExtractionConstraint::line_walk(const State& state) const {
  LineWalk walk(index(state), *vocabulary_);
  const auto newest = decided(state);
  for (const DecidedList* at = newest.get(); at != nullptr; at = at->before.get()) {
    if (at->value.label != state.word[kLabel]) break;  // labels come one after the other
    walk.add_value(at->value.value);
  }
  return walk;
}

void ExtractionConstraint::advance_line(State& state, int32_t id) const {
  const uint32_t token = state.word[kTokens];
  LineWalk walk = line_walk(state);
  LineWalk::Position position = position_of(state);
  uint32_t end_token = token;  // one past the token that holds the last byte read
  for (const char byte : vocabulary_->bytes(id)) {
    const size_t values = walk.values();
    if (before_value(position)) state.word[kFirstToken] = token;
    [[maybe_unused]] const bool legal = walk.step(position, static_cast<uint8_t>(byte));
    assert(legal);
    if (walk.values() > values) record(state, walk, end_token);
    end_token = token + 1;
  }
  set_position(state, position);
  if (position.phase == LineWalk::Phase::kEnd) {
    ++state.word[kLabel];
    state.word[kLabelTokens] = 0;
  }
}

void ExtractionConstraint::record(State& state, const LineWalk& walk, uint32_t end_token) const {
  const SpanIndex::State value = walk.last_value();
  const bool last = walk.values() == kMaxValuesPerLabel;
  state.trail = with_value(decided_memory_, decided(state),
                           {value, state.word[kLabel], state.word[kFirstToken], end_token,
                            state.word[kTokens], last || index(state).cut(value)});
}

std::vector<ExtractedValue> ExtractionConstraint::values(const State& state) const {
  std::vector<ExtractedValue> values;
  const auto newest = decided(state);
  for (const DecidedList* at = newest.get(); at != nullptr; at = at->before.get()) {
    const DecidedValue& value = at->value;
    const SpanIndex& index = *indices_[value.label];
    values.push_back({static_cast<int>(value.label), std::string(index.bytes(value.value)),
                      index.locate(value.value), static_cast<int>(value.first_token),
                      static_cast<int>(value.end_token), static_cast<int>(value.stop_token),
                      value.capped});
  }
  std::ranges::reverse(values);
  return values;
}

size_t ExtractionConstraint::decided_labels(const State& state) const {
  return static_cast<size_t>(state.word[kLabel]);
}

std::vector<ByteSpan> ExtractionConstraint::places(const ExtractedValue& value) const {
  const SpanIndex& index = *indices_[static_cast<size_t>(value.label)];
  return index.locate_all(index.find(value.bytes));
}

}  // namespace seqgpt
