// SPDX-License-Identifier: Apache-2.0
// Answerer: tasks in at any time, each answer out as soon as it is there; what a long-running
// caller needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "pipeline/answer.h"
#include "task/task.h"

namespace seqgpt {

class Pipeline;

/// One submitted task or prompt, until its answer is taken or it is cancelled. Never given twice.
using Ticket = uint64_t;

/// Thread contract: one thread owns an answerer (and the pipeline under it).
class Answerer {
 public:
  virtual ~Answerer() = default;
  /// Takes a copy of the task on. A task that cannot run becomes an error at take().
  virtual Ticket submit(const Task& task) = 0;
  /// True when take() has this answer at hand, whatever came before it.
  virtual bool ready(Ticket ticket) const = 0;
  /// Works a little on all that waits.
  virtual void work() = 0;
  /// To be called once, when ready(ticket) holds.
  virtual Result<Answer> take(Ticket ticket) = 0;
};

/// An answerer for callers who come and go: free prompts too, and everything can be called off.
class LiveAnswerer : public Answerer {
 public:
  using Answerer::submit;
  virtual Ticket submit(const FreePrompt& prompt) = 0;
  virtual Result<FreeAnswer> take_free(Ticket ticket) = 0;
  /// Of a task under way; zeros where there is nothing to tell, as while a long text is prepared.
  virtual TaskProgress progress(Ticket) const { return {}; }
  /// Labels of a task under way that were decided since the last call. Only a text of one window
  /// and no records says anything before its end.
  virtual std::optional<Decided> decided(Ticket ticket) = 0;
  /// Of a free prompt under way: the beginning of its text that nothing will change, whole
  /// characters; it only grows. Empty for all else.
  virtual std::string written(Ticket) const { return {}; }
  /// Until take(): where the time went.
  virtual WorkTimes times(Ticket) const { return {}; }
  /// Ends it now and frees what it holds of the engine; there is nothing to take then. Unknown
  /// tickets are ignored.
  virtual void cancel(Ticket ticket) = 0;
};

/// All that waits shares the model's passes; each answer equals what Pipeline::run() and prompt()
/// give.
std::unique_ptr<LiveAnswerer> make_answerer(Pipeline& pipeline);

}  // namespace seqgpt
