// SPDX-License-Identifier: Apache-2.0
// Scheduler: who is admitted, and whose tokens make up the next step.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/work.h"

namespace seqgpt {

/// A request on its way: the work and the number under which its result will be found.
struct Request {
  RequestId id = 0;
  std::unique_ptr<Work> work;
  // While leader is not 0 no rows are picked: that older request is reading the same beginning, and
  // at leader_position it is there to be shared.
  RequestId leader = 0;
  int leader_position = 0;
  std::string owner = {};  // Engine::set_owner
};

/// Rows [sequence.computed, sequence.computed + rows) of one sequence of one request.
struct Pick {
  Request* request = nullptr;
  size_t sequence = 0;
  int rows = 0;
};

/// Admission is in order of submission, when the blocks and sequences that a request may need at
/// worst are free: nothing admitted is ever put off for memory. A step holds at most chunk_tokens
/// rows; sequences past their prompt come first, the one that waited longest at the head, then
/// prompts in chunks, the shortest rest first; who got nothing for kPatience steps comes before
/// all, so that nobody starves. None of this reaches an answer.
class Scheduler {
 public:
  Scheduler(int chunk_tokens, int max_running, int output_width);

  void enqueue(std::unique_ptr<Request> request) { waiting_.push_back(std::move(request)); }
  /// The oldest waiting request, now among running(), or nullptr. Its work is not begun yet.
  Request* admit_next();
  /// The rows of the next step, in order of request, then of sequence; none when nothing is
  /// pending.
  std::span<const Pick> pick();
  /// The running request of this id, or nullptr.
  Request* find_running(RequestId id) const;
  /// Takes a request out, wherever it is; nullptr when there is none of this id.
  std::unique_ptr<Request> remove(RequestId id);

  const std::vector<std::unique_ptr<Request>>& running() const { return running_; }
  int running_sequences() const;
  int waiting() const { return static_cast<int>(waiting_.size()); }

 private:
  struct Candidate {
    Pick pick;
    Sequence* sequence;
    int group;       // 0: out of patience, 1: past its prompt, 2: in its prompt
    uint64_t since;  // the order within the group
  };

  static Candidate make_candidate(const Pick& pick, Sequence& sequence, uint64_t step);
  void collect_candidates();
  int affordable_rows(const Sequence& sequence, int rows, int64_t& values, bool must_take) const;

  int chunk_tokens_;
  int max_running_;
  int output_width_;
  int sequences_reserved_ = 0;
  uint64_t step_ = 0;
  std::deque<std::unique_ptr<Request>> waiting_;
  std::vector<std::unique_ptr<Request>> running_;  // in order of admission
  std::vector<Candidate> candidates_;              // of the current step
  std::vector<Pick> picks_;
};

}  // namespace seqgpt
