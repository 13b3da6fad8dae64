// SPDX-License-Identifier: Apache-2.0
// Scoring of continuations: which rows are needed, how many continuations run side by side.
#include "engine/score.h"

#include <algorithm>
#include <utility>

#include "engine/row_math.h"

namespace seqgpt {
namespace {

/// Log-softmax of `token` over its competitors; values belong to `ids` (ascending), or to all rows.
float logprob_of(int32_t token, const std::vector<int32_t>& competitors,
                 const std::vector<int32_t>& ids, const std::vector<float>& values) {
  const auto value_of = [&](int32_t id) {
    if (ids.empty()) return values[static_cast<size_t>(id)];
    return values[static_cast<size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin())];
  };
  if (competitors.empty()) return static_cast<float>(value_of(token) - log_sum_exp(values));
  std::vector<float> competing;
  competing.reserve(competitors.size());
  for (const int32_t id : competitors) competing.push_back(value_of(id));
  return static_cast<float>(value_of(token) - log_sum_exp(competing));
}

const std::vector<int32_t>& competitors_of(const ScoreRequest::Continuation& continuation,
                                           size_t token) {
  static const std::vector<int32_t> all_rows;
  return continuation.ids_allowed.empty() ? all_rows : continuation.ids_allowed[token];
}

}  // namespace

ScoreWork::ScoreWork(ScoreRequest request, const WorkSetting& setting)
    : Work(setting), request_(std::move(request)) {
  int64_t blocks = kv_blocks_for(prompt_size());
  int sequences = 0;
  for (const Continuation& continuation : request_.continuations) {
    blocks += own_blocks(continuation);
    sequences += tokens_to_compute(continuation) > 0 ? 1 : 0;
    scores_.logprobs.emplace_back(continuation.tokens.size());
  }
  needs_.blocks = std::min<int64_t>(blocks, setting.pool.total());
  needs_.sequences = std::clamp(sequences, 1, setting.max_sequences);
}

ScoreWork::~ScoreWork() {
  drop_blocks(root_, pool());
}

int64_t ScoreWork::least_blocks() const {
  int64_t most = 0;
  for (const Continuation& continuation : request_.continuations) {
    most = std::max(most, own_blocks(continuation));
  }
  return kv_blocks_for(prompt_size()) + most;
}

bool ScoreWork::contested(const Continuation& continuation, size_t token) const {
  return competitors_of(continuation, token).size() != 1;
}

size_t ScoreWork::tokens_to_compute(const Continuation& continuation) const {
  size_t last = continuation.tokens.size();
  while (last > 1 && !contested(continuation, last - 1)) --last;
  return last > 1 ? last - 1 : 0;  // up to the token before the last contested one
}

int64_t ScoreWork::own_blocks(const Continuation& continuation) const {
  const auto tokens = static_cast<int64_t>(tokens_to_compute(continuation));
  if (tokens == 0) return 0;
  return kv_blocks_for(prompt_size() + tokens) - prompt_size() / kKvBlockTokens;
}

Status ScoreWork::begin() {
  sequences_.resize(1);
  sequences_[0].tokens = request_.prompt;
  first_ = first_ids();
  sequences_[0].wanted.push_back({.position = prompt_size() - 1, .ids = first_});
  return {};
}

std::vector<int32_t> ScoreWork::first_ids() const {
  std::vector<int32_t> ids;
  for (const Continuation& continuation : request_.continuations) {
    if (continuation.tokens.empty()) continue;
    const auto& competitors = competitors_of(continuation, 0);
    if (competitors.empty()) return {};
    ids.insert(ids.end(), competitors.begin(), competitors.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Status ScoreWork::take_row(size_t sequence, int position, std::vector<float>& values) {
  if (in_prompt_) {
    take_first(values);
    return {};
  }
  const size_t index = wave_[sequence];
  const Continuation& continuation = request_.continuations[index];
  const auto token = static_cast<size_t>(position) + 1 - request_.prompt.size();
  const auto& competitors = competitors_of(continuation, token);
  scores_.logprobs[index][token] =
      logprob_of(continuation.tokens[token], competitors, competitors, values);
  return {};
}

void ScoreWork::take_first(const std::vector<float>& values) {
  for (size_t i = 0; i < request_.continuations.size(); ++i) {
    const Continuation& continuation = request_.continuations[i];
    if (continuation.tokens.empty()) continue;
    scores_.logprobs[i][0] =
        logprob_of(continuation.tokens[0], competitors_of(continuation, 0), first_, values);
  }
}

Status ScoreWork::proceed() {
  if (in_prompt_) {
    root_ = std::exchange(sequences_[0], {});
    in_prompt_ = false;
  }
  for (Sequence& sequence : sequences_) drop_blocks(sequence, pool());
  sequences_.clear();
  start_wave();
  if (sequences_.empty()) finish();
  return {};
}

void ScoreWork::start_wave() {
  int64_t blocks = needs_.blocks - kv_blocks_for(prompt_size());
  wave_.clear();
  for (; next_ < request_.continuations.size(); ++next_) {
    const Continuation& continuation = request_.continuations[next_];
    if (tokens_to_compute(continuation) == 0) continue;
    blocks -= own_blocks(continuation);
    if (blocks < 0 || sequences_.size() == static_cast<size_t>(needs_.sequences)) return;
    sequences_.push_back(forked(continuation));
    wave_.push_back(next_);
  }
}

Sequence ScoreWork::forked(const Continuation& continuation) {
  Sequence sequence = fork(root_, pool());
  const size_t count = tokens_to_compute(continuation);
  for (size_t i = 0; i < count; ++i) {
    sequence.tokens.push_back(continuation.tokens[i]);
    if (!contested(continuation, i + 1)) continue;
    sequence.wanted.push_back(
        {.position = sequence.size() - 1, .ids = competitors_of(continuation, i + 1)});
  }
  counters().scored_tokens += count;
  return sequence;
}

}  // namespace seqgpt
