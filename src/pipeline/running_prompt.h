// SPDX-License-Identifier: Apache-2.0
// RunningPrompt: a free prompt from its check to its answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/answer.h"
#include "pipeline/pipeline.h"
#include "pipeline/work_clock.h"

namespace seqgpt {

class CopyConstraint;

/// Never moved while it runs: the engine's request refers to it.
class RunningPrompt {
 public:
  /// Checks a copy of the prompt; one that cannot run has ended with its error.
  RunningPrompt(const FreePrompt& prompt, Pipeline& pipeline);
  RunningPrompt(const RunningPrompt&) = delete;
  RunningPrompt& operator=(const RunningPrompt&) = delete;

  /// Encodes a part of the prompt; to be called until preparing() is false, which a long one is for
  /// a while. Then it is in the engine, or has ended.
  void prepare();
  bool preparing() const { return !ended() && !submitted_; }
  /// Then to be called after every step of the engine, until ended().
  void advance(Engine& engine);
  bool ended() const { return ended_.has_value(); }
  Result<FreeAnswer> take() { return *std::move(ended_); }
  /// The beginning of the text that no further token changes; empty unless it is written greedily.
  std::string written_so_far(const Engine& engine) const;
  const WorkTimes& times() const { return clock_.times(); }
  /// Takes everything back: nobody will ask for the answer.
  void withdraw(Engine& engine);

 private:
  Status begin();
  Result<std::string> prompt_words() const;
  Status submit(std::vector<int32_t> ids);
  Status write_freely(std::vector<int32_t> ids);
  Status copy_part(std::vector<int32_t> ids);
  Status choose_answer(std::vector<int32_t> ids);
  Result<FreeAnswer> written(const Generation& generation) const;
  Result<FreeAnswer> copied(const Generation& generation) const;
  Result<FreeAnswer> chosen(const Scores& scores) const;
  Result<FreeAnswer> collect(Engine& engine) const;

  FreePrompt prompt_;
  Pipeline& pipeline_;
  std::string words_;  // to be encoded, from encoded_ on
  size_t encoded_ = 0;
  std::vector<int32_t> ids_;  // of what is
  bool submitted_ = false;
  int prompt_tokens_ = 0;
  RequestId request_ = 0;
  std::shared_ptr<const CopyConstraint> copy_;  // with copy_only
  std::vector<size_t> answer_tokens_;           // with one_of, of each answer
  std::optional<Result<FreeAnswer>> ended_;
  WorkClock clock_;
};

}  // namespace seqgpt
