// SPDX-License-Identifier: Apache-2.0
// Work: one request under way, as a small state machine that the engine feeds with computed rows.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/kv_pool.h"
#include "engine/sequence.h"

namespace seqgpt {

using Answer = std::variant<Generation, Scores, LogitsAnswer>;

/// What a request may use up at most; admission waits until that much is free.
struct WorkNeeds {
  int64_t blocks = 0;
  int sequences = 1;
};

/// What all work over one KV pool shares. All outlive the work.
struct WorkSetting {
  KvPool& pool;
  EngineCounters& counters;
  int vocabulary = 0;
  int max_sequences = 0;
  int draft_tokens = 0;
  int draft_rows = 0;
};

/// The engine computes the pending tokens of sequences(), hands every wanted row over with
/// take_row() and, when no token is pending any more, calls proceed(), which appends tokens, forks
/// or finishes. An error from any of the three ends the request.
class Work {
 public:
  explicit Work(const WorkSetting& setting) : setting_(setting) {}
  virtual ~Work() {
    for (Sequence& sequence : sequences_) drop_blocks(sequence, pool());
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  virtual WorkNeeds needs() const = 0;
  virtual int prompt_size() const = 0;
  virtual Status begin() = 0;
  /// Outputs after `position` of sequences()[sequence]; Model::forward saw that all are finite. The
  /// vector may be taken.
  virtual Status take_row(size_t sequence, int position, std::vector<float>& values) = 0;
  virtual Status proceed() = 0;
  /// Forgets tokens that were only guessed; false when there were none. Called when a step of this
  /// request alone has failed: only tokens that are sure may make an answer fail.
  virtual bool drop_drafts() { return false; }
  /// Moves the answer out, when finished().
  virtual Answer answer() = 0;
  /// What a greedy generation is sure of so far; null for other kinds.
  virtual const Generation* partial() const { return nullptr; }

  /// Whose blocks it holds: the request's KV type, fixed from its beginning.
  KvPool& pool() { return setting_.pool; }
  bool finished() const { return finished_; }
  std::vector<Sequence>& sequences() { return sequences_; }
  bool pending() const {
    for (const Sequence& sequence : sequences_) {
      if (sequence.pending() > 0) return true;
    }
    return false;
  }

 protected:
  EngineCounters& counters() { return setting_.counters; }
  const WorkSetting& setting() const { return setting_; }
  void finish() { finished_ = true; }

  std::vector<Sequence> sequences_;

 private:
  WorkSetting setting_;
  bool finished_ = false;
};

}  // namespace seqgpt
