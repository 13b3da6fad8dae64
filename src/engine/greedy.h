// SPDX-License-Identifier: Apache-2.0
// GreedyWork: one sequence, the best token each time, free or under a constraint.
#pragma once

#include <span>
#include <vector>

#include "engine/work.h"

namespace seqgpt {

/// Under a constraint it drafts: behind the row of the next choice it appends what the constraint
/// guesses, with what each guess forces and a wanted row for the choice after it. Rows are taken in
/// order; a choice that equals its guess needs no pass, the first that does not takes all tokens
/// behind it back. Every choice is made from the very numbers that it would be made from alone.
class GreedyWork final : public Work {
 public:
  GreedyWork(GenerateRequest request, const WorkSetting& setting);

  WorkNeeds needs() const override;
  int prompt_size() const override { return static_cast<int>(request_.prompt.size()); }
  Status begin() override;
  Status take_row(size_t sequence, int position, std::vector<float>& values) override;
  Status proceed() override { return {}; }
  bool drop_drafts() override;
  Answer answer() override;
  const Generation* partial() const override { return &generation_; }

 private:
  using Finish = Generation::Finish;

  /// A row that the model chooses at: the next one, or one behind guesses.
  struct Row {
    int position = 0;
    size_t first_id = 0;  // competitors: ids_ from here up to the next row's, or its end
    int32_t guess = Constraint::kNoGuess;  // the token drafted after it
    int forced = 0;                        // tokens drafted after the guess, which it entails
    Constraint::State state;               // where the choice is made
  };

  Sequence& sequence() { return sequences_.front(); }
  bool full() const {
    return generation_.choices.size() == static_cast<size_t>(request_.max_new_tokens);
  }
  void reserve();
  std::span<const int32_t> competitors(const Row& row) const;
  void note(const TokenChoice& choice);
  void append(const TokenChoice& choice);
  void end(Finish how);
  void want_all();
  Status take_free(std::vector<float>& values);
  Status take_constrained(const std::vector<float>& values);
  void accept(const Row& row);
  void go_on_free();
  /// Appends what is forced; then either ends or wants the rows among which the model chooses.
  Status go_on_constrained();
  Status append_forced();
  Status add_row(Constraint::State state);
  size_t draft_limit() const;
  bool draft_one();
  bool follow_forced(Constraint::State& state, std::vector<int32_t>& ids);
  void want_rows();
  Status check_id(int32_t id, const char* from) const;

  GenerateRequest request_;
  Generation generation_;
  std::vector<int32_t> generated_;
  // Under a constraint: the rows that are wanted, in order; rows_[next_] is the first not taken.
  std::vector<Row> rows_;
  size_t next_ = 0;
  std::vector<int32_t> ids_;      // competitors of all rows
  std::vector<int32_t> scratch_;  // of one call
  double logprob_sum_ = 0;
};

}  // namespace seqgpt
