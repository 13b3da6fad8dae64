// SPDX-License-Identifier: Apache-2.0
// Greedy decoding as a state machine: want rows, choose, append, ask who comes next.
#include "engine/greedy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/row_math.h"

namespace seqgpt {

GreedyWork::GreedyWork(GenerateRequest request, const WorkSetting& setting)
    : Work(setting), request_(std::move(request)) {}

WorkNeeds GreedyWork::needs() const {
  // The last token is never computed: nothing is asked after it.
  const int64_t positions =
      static_cast<int64_t>(request_.prompt.size()) + request_.max_new_tokens - 1;
  return {.blocks = kv_blocks_for(positions), .sequences = 1};
}

Status GreedyWork::begin() {
  sequences_.resize(1);
  reserve();
  sequence().tokens = request_.prompt;
  if (request_.constraint) {
    generation_.final_state = request_.constraint->start();
    return go_on_constrained();
  }
  want_all();
  return {};
}

/// So that the steady state allocates nothing.
void GreedyWork::reserve() {
  constexpr int kMostTokens = 4096;  // of an answer; longer ones grow as they go
  const auto answer = static_cast<size_t>(std::min(request_.max_new_tokens, kMostTokens));
  sequence().tokens.reserve(request_.prompt.size() + answer);
  sequence().blocks.reserve(
      static_cast<size_t>(kv_blocks_for(static_cast<int64_t>(request_.prompt.size() + answer))));
  generation_.choices.reserve(answer);
  generated_.reserve(answer);
  rows_.reserve(static_cast<size_t>(setting().draft_tokens) + 1);
  sequence().wanted.reserve(static_cast<size_t>(setting().draft_tokens) + 1);
}

Status GreedyWork::take_row(size_t, int, std::vector<float>& values) {
  return request_.constraint ? take_constrained(values) : take_free(values);
}

void GreedyWork::note(const TokenChoice& choice) {
  ++(choice.chosen ? counters().decoded_tokens : counters().forced_tokens);
  logprob_sum_ += choice.logprob;
  generation_.choices.push_back(choice);
  generated_.push_back(choice.id);
}

void GreedyWork::append(const TokenChoice& choice) {
  note(choice);
  sequence().tokens.push_back(choice.id);
}

void GreedyWork::end(Finish how) {
  generation_.finish = how;
  rewind(sequence(), sequence().computed, pool());  // nothing more to compute
  finish();
}

void GreedyWork::want_all() {
  sequence().wanted.push_back({.position = sequence().size() - 1});
}

Status GreedyWork::take_free(std::vector<float>& values) {
  const float penalty = request_.repetition_penalty;
  if (penalty != 1.0F) penalise(values, sequence().tokens, penalty);
  const size_t best = argmax(values);
  append({.id = static_cast<int32_t>(best),
          .chosen = true,
          .candidates = static_cast<int>(values.size()),
          .logprob = static_cast<float>(values[best] - log_sum_exp(values))});
  go_on_free();
  return {};
}

void GreedyWork::go_on_free() {
  const auto& eos = request_.eos;
  if (std::find(eos.begin(), eos.end(), generated_.back()) != eos.end()) return end(Finish::kEos);
  if (request_.stop && request_.stop(generated_)) return end(Finish::kStop);
  if (full()) return end(Finish::kLength);
  want_all();
}

std::span<const int32_t> GreedyWork::competitors(const Row& row) const {
  const bool last = &row == &rows_.back();
  const size_t end_id = last ? ids_.size() : (&row + 1)->first_id;
  return std::span(ids_).subspan(row.first_id, end_id - row.first_id);
}

Status GreedyWork::take_constrained(const std::vector<float>& values) {
  const Row& row = rows_[next_];
  const size_t best = argmax(values);
  const TokenChoice choice{.id = competitors(row)[best],
                           .chosen = true,
                           .candidates = static_cast<int>(values.size()),
                           .logprob = static_cast<float>(values[best] - log_sum_exp(values))};
  if (choice.id == row.guess) {
    note(choice);
    accept(row);
    return {};
  }
  rewind(sequence(), row.position + 1, pool());
  append(choice);
  generation_.final_state = request_.constraint->advance(row.state, choice.id);
  return go_on_constrained();
}

/// The guess was right: what it forces stands behind it already, and the next row is on its way.
void GreedyWork::accept(const Row& row) {
  ++counters().accepted_tokens;
  for (int i = 0; i < row.forced; ++i) {
    const auto at = static_cast<size_t>(row.position) + 2 + static_cast<size_t>(i);
    note({.id = sequence().tokens[at], .chosen = false, .candidates = 0, .logprob = 0});
  }
  ++next_;
  generation_.final_state = rows_[next_].state;
}

Status GreedyWork::go_on_constrained() {
  const Constraint& constraint = *request_.constraint;
  while (true) {
    if (constraint.finished(generation_.final_state)) {
      end(Finish::kConstraint);
      return {};
    }
    if (full()) {
      end(Finish::kLength);
      return {};
    }
    const size_t before = generated_.size();
    SEQGPT_TRY(append_forced());
    if (generated_.size() == before) break;
  }
  rows_.clear();
  ids_.clear();
  next_ = 0;
  SEQGPT_TRY(add_row(generation_.final_state));
  const size_t limit = draft_limit();
  while (rows_.size() <= limit && draft_one()) {
  }
  want_rows();
  return {};
}

Status GreedyWork::append_forced() {
  scratch_.clear();
  request_.constraint->forced(generation_.final_state, scratch_);
  for (const int32_t id : scratch_) {
    if (full()) break;
    SEQGPT_TRY(check_id(id, "forces"));
    append({.id = id, .chosen = false, .candidates = 0, .logprob = 0});
    generation_.final_state = request_.constraint->advance(generation_.final_state, id);
  }
  return {};
}

/// A row at the end of the sequence, where the constraint stands at `state`.
Status GreedyWork::add_row(Constraint::State state) {
  request_.constraint->allowed(state, scratch_);
  if (scratch_.empty())
    return Error{ErrorCode::kInternal, "the constraint allows no token and has not finished"};
  for (const int32_t id : scratch_) SEQGPT_TRY(check_id(id, "allows"));
  const size_t first_id = ids_.size();
  // The first row of an answer has the most: no later pass, however many rows it has, needs more.
  ids_.reserve(scratch_.size() * rows_.capacity());
  ids_.insert(ids_.end(), scratch_.begin(), scratch_.end());
  rows_.push_back(
      {.position = sequence().size() - 1, .first_id = first_id, .state = std::move(state)});
  return {};
}

/// Guesses for the next pass: this sequence's share of all. Load decides how much is computed,
/// never what is chosen.
size_t GreedyWork::draft_limit() const {
  const EngineCounters& counters = setting().counters;
  const int sharing = std::min(counters.running + counters.waiting, setting().max_sequences);
  return static_cast<size_t>(
      std::min(setting().draft_tokens, setting().draft_rows / std::max(sharing, 1)));
}

/// Puts a guess behind the last row, with what it forces and the row of the choice that follows.
/// False, and nothing is changed, where there is none or nothing is chosen after it.
bool GreedyWork::draft_one() {
  const Constraint& constraint = *request_.constraint;
  const size_t before = rows_.size();
  const int size_before = sequence().size();
  const int32_t guess = constraint.guess(rows_.back().state);
  const auto allowed = competitors(rows_.back());
  if (std::find(allowed.begin(), allowed.end(), guess) == allowed.end()) return false;
  Constraint::State state = constraint.advance(rows_.back().state, guess);
  std::vector<int32_t>& tokens = sequence().tokens;
  tokens.push_back(guess);
  if (!follow_forced(state, tokens) || !add_row(std::move(state)).ok()) {
    tokens.resize(static_cast<size_t>(size_before));
    return false;
  }
  rows_[before - 1].guess = guess;
  rows_[before - 1].forced = sequence().size() - size_before - 1;
  return true;
}

/// Appends what is forced at `state` and moves it on. False where no choice follows.
bool GreedyWork::follow_forced(Constraint::State& state, std::vector<int32_t>& ids) {
  const Constraint& constraint = *request_.constraint;
  const size_t most = request_.prompt.size() + static_cast<size_t>(request_.max_new_tokens);
  while (!constraint.finished(state)) {
    scratch_.clear();
    constraint.forced(state, scratch_);
    if (ids.size() + scratch_.size() >= most) return false;  // the limit comes first
    if (scratch_.empty()) return true;
    for (const int32_t id : scratch_) {
      if (!check_id(id, "forces").ok()) return false;
      ids.push_back(id);
      state = constraint.advance(state, id);
    }
  }
  return false;
}

void GreedyWork::want_rows() {
  counters().drafted_tokens += rows_.size() - 1;
  for (const Row& row : rows_) {
    sequence().wanted.push_back({.position = row.position, .ids = competitors(row)});
  }
}

/// What was stored beside the drafts may be no number: the last block is computed anew.
bool GreedyWork::drop_drafts() {
  if (rows_.empty() || next_ + 1 >= rows_.size()) return false;
  ids_.resize(rows_[next_ + 1].first_id);
  rows_.resize(next_ + 1);
  Row& row = rows_.back();
  row.guess = Constraint::kNoGuess;
  std::vector<int32_t> sure = sequence().tokens;
  sure.resize(static_cast<size_t>(row.position) + 1);
  rewind(sequence(), sequence().computed / kKvBlockTokens * kKvBlockTokens, pool());
  sequence().tokens = std::move(sure);
  sequence().wanted.push_back({.position = row.position, .ids = competitors(row)});
  return true;
}

Status GreedyWork::check_id(int32_t id, const char* from) const {
  if (id >= 0 && id < setting().vocabulary) return {};
  return Error{ErrorCode::kInternal, std::string("the constraint ") + from + " token " +
                                         std::to_string(id) + ", the model's vocabulary has " +
                                         std::to_string(setting().vocabulary)};
}

Answer GreedyWork::answer() {
  const auto count = static_cast<double>(generated_.size());
  GeneratedSequence best;
  best.score = generated_.empty() ? 0 : logprob_sum_ / count;
  best.ended_by_eos = generation_.finish == Finish::kEos;
  best.tokens = std::move(generated_);
  generation_.sequences.push_back(std::move(best));
  return std::move(generation_);
}

}  // namespace seqgpt
