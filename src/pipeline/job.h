// SPDX-License-Identifier: Apache-2.0
// Job: one task on its way through the engine, a few requests at a time, into an Answer.
#pragma once

#include <memory>
#include <optional>

#include "pipeline/answer.h"
#include "pipeline/pipeline.h"

namespace seqgpt {

/// Made for a checked task. prepare() is called until it says true; then advance() is called at
/// once and after every step of the engine until it says that nothing more is under way; then
/// answer(). A job that failed has nothing left in the engine.
class Job {
 public:
  virtual ~Job() = default;
  /// One slice of what has to be known of the whole text before the engine is asked, short beside a
  /// step of it, so that a long text holds nobody up. True when nothing of it is left.
  virtual bool prepare() { return true; }
  /// Takes what has ended and submits what comes next. True when the answer is complete.
  virtual Result<bool> advance(Engine& engine) = 0;
  virtual Answer answer() = 0;
  virtual TaskProgress progress() const { return {}; }
  /// Nothing is decided yet.
  virtual bool reading(const Engine& engine) const {
    (void)engine;
    return true;
  }
  /// What was decided since the last call (answerer.h); most jobs say nothing before their end.
  virtual std::optional<Decided> decided(const Engine& engine) {
    (void)engine;
    return std::nullopt;
  }
  /// Takes back what is in the engine: nobody will ask for the answer.
  virtual void withdraw(Engine& engine) = 0;
};

// `task` and `pipeline` must outlive the job; the task's labels are checked already.
Result<std::unique_ptr<Job>> make_extraction_job(const Pipeline& pipeline, const Task& task);
Result<std::unique_ptr<Job>> make_classification_job(const Pipeline& pipeline, const Task& task);
/// For checkpoints with a token-classification head: BIO tags to typed entities.
Result<std::unique_ptr<Job>> make_tagging_job(const Pipeline& pipeline, const ModelConfig& config,
                                              const Task& task);
/// For checkpoints with a sequence-classification head: its own classes.
Result<std::unique_ptr<Job>> make_head_classification_job(const Pipeline& pipeline,
                                                          const ModelConfig& config,
                                                          const Task& task);

/// The answer of a classification, sorted and chosen as the task's options say.
Answer classes_answer(const Task& task, const std::vector<Label>& labels,
                      const std::vector<double>& probabilities);

}  // namespace seqgpt
