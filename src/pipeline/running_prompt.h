// SPDX-License-Identifier: Apache-2.0
// RunningPrompt: a free prompt from its check to its answer.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pipeline/answer.h"
#include "pipeline/pipeline.h"

namespace seqgpt {

class CopyConstraint;

/// Never moved while it runs: the engine's request refers to it.
class RunningPrompt {
 public:
  /// Checks a copy of the prompt; one that cannot run has ended with its error.
  RunningPrompt(const FreePrompt& prompt, Pipeline& pipeline);
  RunningPrompt(const RunningPrompt&) = delete;
  RunningPrompt& operator=(const RunningPrompt&) = delete;

  /// To be called after every step of the engine, until ended().
  void advance(Engine& engine);
  bool ended() const { return ended_.has_value(); }
  Result<FreeAnswer> take() { return *std::move(ended_); }
  /// Takes everything back: nobody will ask for the answer.
  void withdraw(Engine& engine);

 private:
  Status begin();
  Result<std::vector<int32_t>> prompt_ids() const;
  Status write_freely(std::vector<int32_t> ids);
  Status copy_part(std::vector<int32_t> ids);
  Status choose_answer(std::vector<int32_t> ids);
  Result<FreeAnswer> written(const Generation& generation) const;
  Result<FreeAnswer> copied(const Generation& generation) const;
  Result<FreeAnswer> chosen(const Scores& scores) const;
  Result<FreeAnswer> collect(Engine& engine) const;

  FreePrompt prompt_;
  Pipeline& pipeline_;
  int prompt_tokens_ = 0;
  RequestId request_ = 0;
  std::shared_ptr<const CopyConstraint> copy_;  // with copy_only
  std::vector<size_t> answer_tokens_;           // with one_of, of each answer
  std::optional<Result<FreeAnswer>> ended_;
};

}  // namespace seqgpt
