// SPDX-License-Identifier: Apache-2.0
// GreedyWork: one sequence, the best token each time, free or under a constraint.
#pragma once

#include <vector>

#include "engine/work.h"

namespace seqgpt {

class GreedyWork final : public Work {
 public:
  GreedyWork(GenerateRequest request, const WorkSetting& setting);

  WorkNeeds needs() const override;
  int prompt_size() const override { return static_cast<int>(request_.prompt.size()); }
  Status begin() override;
  Status take_row(size_t sequence, int position, std::vector<float>& values) override;
  Status proceed() override { return {}; }
  Answer answer() override;
  const Generation* partial() const override { return &generation_; }

 private:
  using Finish = Generation::Finish;

  Sequence& sequence() { return sequences_.front(); }
  bool full() const {
    return generation_.choices.size() == static_cast<size_t>(request_.max_new_tokens);
  }
  void want_next(std::vector<int32_t> ids);
  void append(const TokenChoice& choice);
  void end(Finish how);
  void go_on_free();
  /// Appends what is forced; then either ends or wants the rows among which the model chooses.
  Status go_on_constrained();
  Status append_forced();
  Status check_id(int32_t id, const char* from) const;

  GenerateRequest request_;
  Generation generation_;
  std::vector<int32_t> generated_;
  std::vector<int32_t> ids_;  // competitors of the wanted row; empty: all
  double logprob_sum_ = 0;
};

}  // namespace seqgpt
