// SPDX-License-Identifier: Apache-2.0
// Greedy decoding as a state machine: want a row, choose, append, ask who comes next.
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
  sequence().tokens = request_.prompt;
  if (request_.constraint) {
    generation_.final_state = request_.constraint->start();
    return go_on_constrained();
  }
  want_next({});
  return {};
}

void GreedyWork::want_next(std::vector<int32_t> ids) {
  ids_ = ids;
  sequence().wanted.push_back({.position = sequence().size() - 1, .ids = std::move(ids)});
}

Status GreedyWork::take_row(size_t, int, std::vector<float>& values) {
  const float penalty = request_.repetition_penalty;
  if (penalty != 1.0F) penalise(values, sequence().tokens, penalty);
  const size_t best = argmax(values);
  append({.id = ids_.empty() ? static_cast<int32_t>(best) : ids_[best],
          .chosen = true,
          .candidates = static_cast<int>(values.size()),
          .logprob = static_cast<float>(values[best] - log_sum_exp(values))});
  if (request_.constraint) return go_on_constrained();
  go_on_free();
  return {};
}

void GreedyWork::append(const TokenChoice& choice) {
  ++(choice.chosen ? counters().decoded_tokens : counters().forced_tokens);
  logprob_sum_ += choice.logprob;
  generation_.choices.push_back(choice);
  generated_.push_back(choice.id);
  sequence().tokens.push_back(choice.id);
  if (request_.constraint) {
    generation_.final_state = request_.constraint->advance(generation_.final_state, choice.id);
  }
}

void GreedyWork::end(Finish how) {
  generation_.finish = how;
  sequence().tokens.resize(static_cast<size_t>(sequence().computed));  // nothing more to compute
  finish();
}

void GreedyWork::go_on_free() {
  const auto& eos = request_.eos;
  if (std::find(eos.begin(), eos.end(), generated_.back()) != eos.end()) return end(Finish::kEos);
  if (request_.stop && request_.stop(generated_)) return end(Finish::kStop);
  if (full()) return end(Finish::kLength);
  want_next({});
}

Status GreedyWork::go_on_constrained() {
  const Constraint& constraint = *request_.constraint;
  Constraint::State& state = generation_.final_state;
  while (true) {
    if (constraint.finished(state)) {
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
  std::vector<int32_t> ids;
  constraint.allowed(state, ids);
  if (ids.empty())
    return Error{ErrorCode::kInternal, "the constraint allows no token and has not finished"};
  for (const int32_t id : ids) SEQGPT_TRY(check_id(id, "allows"));
  want_next(std::move(ids));
  return {};
}

Status GreedyWork::append_forced() {
  std::vector<int32_t> ids;
  request_.constraint->forced(generation_.final_state, ids);
  for (const int32_t id : ids) {
    if (full()) break;
    SEQGPT_TRY(check_id(id, "forces"));
    append({.id = id, .chosen = false, .candidates = 0, .logprob = 0});
  }
  return {};
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
