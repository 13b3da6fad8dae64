// SPDX-License-Identifier: Apache-2.0
// ScoreWork: log-probabilities of continuations; the prompt is read once, continuations fork from
// it.
#pragma once

#include <vector>

#include "engine/work.h"

namespace seqgpt {

/// After the prompt the continuations run in waves, each as large as the reserved blocks and
/// max_sequences permit: one wave, hence one pass, as a rule. Only tokens before a row that is
/// needed are computed: a token without a competitor has log-probability 0, and nothing is asked
/// after the last.
class ScoreWork final : public Work {
 public:
  ScoreWork(ScoreRequest request, const WorkSetting& setting);
  ~ScoreWork() override;

  WorkNeeds needs() const override { return needs_; }
  /// The least with which it can run: one continuation at a time.
  int64_t least_blocks() const;
  int prompt_size() const override { return static_cast<int>(request_.prompt.size()); }
  Status begin() override;
  Status take_row(size_t sequence, int position, std::vector<float>& values) override;
  Status proceed() override;
  Answer answer() override { return std::move(scores_); }

 private:
  using Continuation = ScoreRequest::Continuation;

  bool contested(const Continuation& continuation, size_t token) const;
  size_t tokens_to_compute(const Continuation& continuation) const;
  int64_t own_blocks(const Continuation& continuation) const;
  std::vector<int32_t> first_ids() const;
  void take_first(const std::vector<float>& values);
  void start_wave();
  Sequence forked(const Continuation& continuation);

  ScoreRequest request_;
  Scores scores_;
  WorkNeeds needs_;
  Sequence root_;  // the prompt, once computed
  bool in_prompt_ = true;
  std::vector<int32_t> first_;  // competitors of all first tokens, ascending; empty: all
  std::vector<size_t> wave_;    // continuation of each sequence
  size_t next_ = 0;             // continuation that has not run yet
};

}  // namespace seqgpt
