// SPDX-License-Identifier: Apache-2.0
// Answerer: tasks in at any time, answers out in their order; what a long-running caller needs.
#pragma once

#include <memory>

#include "base/result.h"
#include "pipeline/answer.h"
#include "task/task.h"

namespace seqgpt {

class Pipeline;

/// Thread contract: one thread owns an answerer (and the pipeline under it).
class Answerer {
 public:
  virtual ~Answerer() = default;
  /// Takes a copy of the task on. A task that cannot run becomes an error at take().
  virtual void submit(const Task& task) = 0;
  /// True when take() has the answer of the oldest task at hand.
  virtual bool ready() const = 0;
  /// Works a little on all tasks that wait.
  virtual void work() = 0;
  /// The answer of the oldest task not taken yet; to be called when ready() holds.
  virtual Result<Answer> take() = 0;
};

/// All waiting tasks share the model's passes; each answer equals what Pipeline::run() gives.
std::unique_ptr<Answerer> make_answerer(Pipeline& pipeline);

}  // namespace seqgpt
