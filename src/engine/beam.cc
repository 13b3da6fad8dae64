// SPDX-License-Identifier: Apache-2.0
// Beam search: one row a beam, candidates of all beams merged, survivors forked.
#include "engine/beam.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/row_math.h"

namespace seqgpt {

BeamWork::BeamWork(GenerateRequest request, const WorkSetting& setting)
    : Work(setting), request_(std::move(request)), kept_(request_.beams) {}

int64_t BeamWork::candidates_of(const GenerateRequest& request) {
  return std::max<int64_t>(2, 1 + static_cast<int64_t>(request.eos.size())) * request.beams;
}

WorkNeeds BeamWork::needs() const {
  return {.blocks = beam_blocks(prompt_size(), request_.max_new_tokens, request_.beams),
          .sequences = request_.beams};
}

Status BeamWork::begin() {
  sequences_.resize(1);
  sequences_[0].tokens = request_.prompt;
  sequences_[0].wanted.push_back({.position = prompt_size() - 1, .ids = {}});
  sums_ = {0.0};
  candidates_.resize(1);
  return {};
}

Status BeamWork::take_row(size_t beam, int, std::vector<float>& values) {
  const double total = log_sum_exp(values);
  for (float& value : values) value = static_cast<float>(value - total);
  const float penalty = request_.repetition_penalty;
  if (penalty != 1.0F) penalise(values, sequences_[beam].tokens, penalty);
  const auto limit = static_cast<size_t>(candidates_of(request_));
  std::vector<Candidate>& best = candidates_[beam];
  for (size_t id = 0; id < values.size(); ++id) {
    const double sum = sums_[beam] + values[id];
    if (best.size() == limit && sum <= best.back().sum) continue;
    const auto place =
        std::upper_bound(best.begin(), best.end(), sum,
                         [](double s, const Candidate& other) { return s > other.sum; });
    best.insert(place, {.beam = beam, .id = static_cast<int32_t>(id), .sum = sum});
    if (best.size() > limit) best.pop_back();
  }
  return {};
}

bool BeamWork::is_eos(int32_t id) const {
  return std::find(request_.eos.begin(), request_.eos.end(), id) != request_.eos.end();
}

bool BeamWork::ends(const Candidate& candidate) const {
  return length_ == request_.max_new_tokens || is_eos(candidate.id);
}

std::vector<BeamWork::Candidate> BeamWork::best_candidates() {
  std::vector<Candidate> all;
  for (auto& of_beam : candidates_) all.insert(all.end(), of_beam.begin(), of_beam.end());
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.sum != b.sum ? a.sum > b.sum : std::tie(a.beam, a.id) < std::tie(b.beam, b.id);
  });
  all.resize(std::min(all.size(), static_cast<size_t>(candidates_of(request_))));
  return all;
}

Status BeamWork::proceed() {
  const auto beams = static_cast<size_t>(request_.beams);
  ++length_;
  counters().decoded_tokens += sequences_.size();
  const std::vector<Candidate> best = best_candidates();
  std::vector<Candidate> running;
  for (size_t rank = 0; rank < best.size(); ++rank) {
    if (!ends(best[rank])) {
      if (running.size() < beams) running.push_back(best[rank]);
    } else if (rank < beams) {
      keep(best[rank]);
    }
  }
  if (running.empty()) {
    finish();
    return {};
  }
  run_on(running);
  if (!kept_.can_improve(sums_.front(), length_)) finish();
  return {};
}

void BeamWork::keep(const Candidate& candidate) {
  const Sequence& from = sequences_[candidate.beam];
  GeneratedSequence kept;
  kept.tokens.assign(from.tokens.begin() + prompt_size(), from.tokens.end());
  kept.ended_by_eos = is_eos(candidate.id);
  if (!kept.ended_by_eos) kept.tokens.push_back(candidate.id);
  const double score = kept.score = candidate.sum / length_;
  kept_.keep(score, std::move(kept));
}

void BeamWork::run_on(const std::vector<Candidate>& chosen) {
  std::vector<Sequence> next;
  sums_.clear();
  for (const Candidate& candidate : chosen) {
    Sequence& sequence = next.emplace_back(fork(sequences_[candidate.beam], pool()));
    sequence.tokens.push_back(candidate.id);
    sequence.wanted = {{.position = sequence.size() - 1, .ids = {}}};
    sums_.push_back(candidate.sum);
  }
  for (Sequence& sequence : sequences_) drop_blocks(sequence, pool());
  sequences_ = std::move(next);
  candidates_.assign(sequences_.size(), {});
}

Answer BeamWork::answer() {
  Generation generation;
  for (auto& [score, sequence] : kept_.best_first())
    generation.sequences.push_back(std::move(sequence));
  const bool eos = !generation.sequences.empty() && generation.sequences.front().ended_by_eos;
  generation.finish = eos ? Generation::Finish::kEos : Generation::Finish::kLength;
  return generation;
}

}  // namespace seqgpt
