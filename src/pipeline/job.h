// SPDX-License-Identifier: Apache-2.0
// Job: one task on its way through the engine: submitted, waited for, collected into an Answer.
#pragma once

#include <memory>
#include <optional>

#include "pipeline/answer.h"
#include "pipeline/pipeline.h"

namespace seqgpt {

/// Made for a checked task; submit() once, then collect() once ready() holds.
class Job {
 public:
  virtual ~Job() = default;
  virtual Status submit(Engine& engine) = 0;
  virtual bool ready(const Engine& engine) const = 0;
  virtual Result<Answer> collect(Engine& engine) = 0;
};

/// A task on its way: its checked copy, then its job, or the error that ended it. Never moved: the
/// job refers to the task.
struct RunningTask {
  Task task;
  std::unique_ptr<Job> job;
  std::optional<Error> error;
};
/// Checks the task, makes its job and submits it.
void begin(RunningTask& running, const Task& task, Pipeline& pipeline);

// `task` must outlive the job; its labels are checked already.
Result<std::unique_ptr<Job>> make_extraction_job(const Pipeline& pipeline, const Task& task);
Result<std::unique_ptr<Job>> make_classification_job(const Pipeline& pipeline, const Task& task);
/// For checkpoints with a token-classification head: BIO tags to typed entities.
Result<std::unique_ptr<Job>> make_tagging_job(const Pipeline& pipeline, const ModelConfig& config,
                                              const Task& task);
/// For checkpoints with a sequence-classification head: its own classes.
Result<std::unique_ptr<Job>> make_head_classification_job(const Pipeline& pipeline,
                                                          const ModelConfig& config,
                                                          const Task& task);

}  // namespace seqgpt
