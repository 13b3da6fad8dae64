// SPDX-License-Identifier: Apache-2.0
// One row a beam and choice; forced tokens are taken from where they stand already.
#include "engine/constrained_beam.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "engine/row_math.h"

namespace seqgpt {

ConstrainedBeamWork::ConstrainedBeamWork(GenerateRequest request, const WorkSetting& setting)
    : Work(setting), request_(std::move(request)), kept_(request_.beams) {}

WorkNeeds ConstrainedBeamWork::needs() const {
  return {.blocks = beam_blocks(prompt_size(), request_.max_new_tokens, request_.beams),
          .sequences = request_.beams};
}

Status ConstrainedBeamWork::begin() {
  sequences_.resize(1);
  sequences_[0].tokens = request_.prompt;
  beams_.resize(1);
  beams_[0].state = request_.constraint->start();
  if (request_.constraint->finished(beams_[0].state)) {  // an answer of no tokens
    kept_.keep(0, {.choices = {}, .state = beams_[0].state, .whole = true});
    finish();
    return {};
  }
  SEQGPT_TRY(go_on(beams_[0], sequences_[0]));
  return proceed();  // where all is forced no pass ever comes
}

bool ConstrainedBeamWork::full(const Beam& beam) const {
  return beam.choices.size() == static_cast<size_t>(request_.max_new_tokens);
}

bool ConstrainedBeamWork::stands_ahead(const Beam& beam) const {
  return beam.choices.size() > static_cast<size_t>(length_);
}

Status ConstrainedBeamWork::check_id(int32_t id) const {
  if (id >= 0 && id < setting().vocabulary) return {};
  return Error{ErrorCode::kInternal, "the constraint gives token " + std::to_string(id) +
                                         ", the model's vocabulary has " +
                                         std::to_string(setting().vocabulary)};
}

Status ConstrainedBeamWork::go_on(Beam& beam, Sequence& sequence) {
  const Constraint& constraint = *request_.constraint;
  std::vector<int32_t> forced;
  do {
    if (constraint.finished(beam.state) || full(beam)) {
      rewind(sequence, sequence.computed, pool());  // nothing more of it is computed
      return {};
    }
    forced.clear();
    constraint.forced(beam.state, forced);
    for (const int32_t id : forced) {
      if (full(beam)) break;
      SEQGPT_TRY(check_id(id));
      beam.choices.push_back({.id = id});
      beam.state = constraint.advance(beam.state, id);
      sequence.tokens.push_back(id);
      ++counters().forced_tokens;
    }
  } while (!forced.empty());
  constraint.allowed(beam.state, beam.ids);
  if (beam.ids.empty())
    return Error{ErrorCode::kInternal, "the constraint allows no token and has not finished"};
  for (const int32_t id : beam.ids) SEQGPT_TRY(check_id(id));
  sequence.wanted = {{.position = sequence.size() - 1, .ids = beam.ids}};
  return {};
}

Status ConstrainedBeamWork::take_row(size_t sequence, int, std::vector<float>& values) {
  Beam& beam = beams_[sequence];
  const double total = log_sum_exp(values);
  for (float& value : values) value = static_cast<float>(value - total);
  beam.logprobs = std::move(values);
  ++counters().decoded_tokens;
  return {};
}

bool ConstrainedBeamWork::waits_for_row() const {
  return std::ranges::any_of(
      beams_, [&](const Beam& beam) { return !stands_ahead(beam) && beam.logprobs.empty(); });
}

Status ConstrainedBeamWork::proceed() {
  while (!finished() && !waits_for_row()) SEQGPT_TRY(grow());
  return {};
}

/// Of all running hypotheses, best first; ties: the lower beam, then the lower id.
std::vector<ConstrainedBeamWork::Candidate> ConstrainedBeamWork::candidates() const {
  std::vector<Candidate> all;
  for (size_t i = 0; i < beams_.size(); ++i) {
    const Beam& beam = beams_[i];
    if (stands_ahead(beam)) {
      all.push_back({i, beam.choices[static_cast<size_t>(length_)], beam.sum});
      continue;
    }
    const int rivals = static_cast<int>(beam.ids.size());
    for (size_t k = 0; k < beam.ids.size(); ++k) {
      all.push_back(
          {i, {beam.ids[k], true, rivals, beam.logprobs[k]}, beam.sum + beam.logprobs[k]});
    }
  }
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
    return a.sum != b.sum ? a.sum > b.sum
                          : std::tie(a.beam, a.choice.id) < std::tie(b.beam, b.choice.id);
  });
  return all;
}

/// One length more.
Status ConstrainedBeamWork::grow() {
  const std::vector<Candidate> all = candidates();
  const auto beams = static_cast<size_t>(request_.beams);
  ++length_;
  std::vector<Successor> running;
  for (size_t rank = 0; rank < all.size() && running.size() < beams; ++rank) {
    Successor next = successor(all[rank]);
    if (!next.ends) {
      running.push_back(std::move(next));
    } else if (rank < beams) {
      keep(next);
    }
  }
  if (running.empty()) {
    finish();
    return {};
  }
  SEQGPT_TRY(run_on(running));
  if (!kept_.can_improve(beams_.front().sum, length_)) finish();
  return {};
}

ConstrainedBeamWork::Successor ConstrainedBeamWork::successor(const Candidate& candidate) const {
  const Beam& beam = beams_[candidate.beam];
  Successor next{candidate};
  next.state = candidate.choice.chosen
                   ? request_.constraint->advance(beam.state, candidate.choice.id)
                   : beam.state;
  next.ends = length_ == request_.max_new_tokens;
  if (stands_ahead(beam)) return next;  // more that is forced
  next.whole = request_.constraint->finished(next.state);
  next.ends = next.ends || next.whole;
  return next;
}

void ConstrainedBeamWork::keep(const Successor& ended) {
  const Beam& beam = beams_[ended.candidate.beam];
  Ended kept{.choices = beam.choices, .state = ended.state, .whole = ended.whole};
  if (ended.candidate.choice.chosen) kept.choices.push_back(ended.candidate.choice);
  kept_.keep(ended.candidate.sum / length_, std::move(kept));
}

Status ConstrainedBeamWork::run_on(const std::vector<Successor>& chosen) {
  std::vector<Beam> beams;
  std::vector<Sequence> sequences;
  for (const Successor& next : chosen) {
    const Candidate& candidate = next.candidate;
    Beam& from = beams_[candidate.beam];
    Sequence& sequence = sequences.emplace_back(fork(sequences_[candidate.beam], pool()));
    if (!candidate.choice.chosen) {  // its only candidate; a wanted row looks at its ids
      beams.push_back(std::move(from));
      continue;
    }
    Beam& beam = beams.emplace_back(Beam{candidate.sum, next.state, from.choices, {}, {}});
    beam.choices.push_back(candidate.choice);
    sequence.tokens.push_back(candidate.choice.id);
  }
  for (Sequence& sequence : sequences_) drop_blocks(sequence, pool());
  sequences_ = std::move(sequences);
  beams_ = std::move(beams);
  for (size_t i = 0; i < beams_.size(); ++i) {
    if (chosen[i].candidate.choice.chosen) SEQGPT_TRY(go_on(beams_[i], sequences_[i]));
  }
  return {};
}

Answer ConstrainedBeamWork::answer() {
  Generation generation;
  for (const auto& [score, ended] : kept_.best_first()) {
    GeneratedSequence& sequence = generation.sequences.emplace_back();
    for (const TokenChoice& choice : ended.choices) sequence.tokens.push_back(choice.id);
    sequence.score = score;
  }
  Ended& best = kept_.best_first().front().hypothesis;
  generation.choices = std::move(best.choices);
  generation.final_state = std::move(best.state);
  generation.finish = best.whole ? Generation::Finish::kConstraint : Generation::Finish::kLength;
  return generation;
}

}  // namespace seqgpt
