// SPDX-License-Identifier: Apache-2.0
// Admission by worst case, and the choice of rows for a step.
#include "engine/scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace seqgpt {
namespace {

constexpr uint64_t kPatience = 4;  // steps that a sequence waits before it goes ahead of all others

/// Numbers that one step may put out (64 MiB): a full row of BLOOM's vocabulary is a megabyte.
constexpr int64_t kMaxStepValues = int64_t{16} << 20;

}  // namespace

Scheduler::Scheduler(int chunk_tokens, int max_running, int output_width)
    : chunk_tokens_(chunk_tokens), max_running_(max_running), output_width_(output_width) {}

Request* Scheduler::admit_next() {
  if (waiting_.empty()) return nullptr;
  Work& work = *waiting_.front()->work;
  const WorkNeeds needs = work.needs();
  if (sequences_reserved_ + needs.sequences > max_running_) return nullptr;
  if (!work.pool().reserve(static_cast<int>(needs.blocks))) return nullptr;
  sequences_reserved_ += needs.sequences;
  running_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  return running_.back().get();
}

Request* Scheduler::find_running(RequestId id) const {
  const auto found =
      std::ranges::find(running_, id, [](const auto& request) { return request->id; });
  return found == running_.end() ? nullptr : found->get();
}

Scheduler::Candidate Scheduler::make_candidate(const Pick& pick, Sequence& sequence,
                                               uint64_t step) {
  if (sequence.served == 0) sequence.served = step;  // patience counts from its first step on
  if (sequence.served + kPatience < step) return {pick, &sequence, 0, sequence.served};
  const bool in_prompt = sequence.computed < pick.request->work->prompt_size();
  const auto rest = static_cast<uint64_t>(pick.rows);  // short prompts pass by long ones
  return {pick, &sequence, in_prompt ? 2 : 1, in_prompt ? rest : sequence.served};
}

void Scheduler::collect_candidates() {
  candidates_.clear();
  for (const auto& request : running_) {
    if (request->leader != 0) continue;
    auto& sequences = request->work->sequences();
    for (size_t i = 0; i < sequences.size(); ++i) {
      if (sequences[i].pending() == 0) continue;
      candidates_.push_back(
          make_candidate({request.get(), i, sequences[i].pending()}, sequences[i], step_));
    }
  }
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.group, a.since, a.pick.request->id, a.pick.sequence) <
           std::tie(b.group, b.since, b.pick.request->id, b.pick.sequence);
  });
}

std::span<const Pick> Scheduler::pick() {
  ++step_;
  collect_candidates();
  picks_.clear();
  int rows_left = chunk_tokens_;
  int64_t values = 0;
  for (const Candidate& candidate : candidates_) {
    const int most = std::min(candidate.pick.rows, rows_left);
    const int rows = affordable_rows(*candidate.sequence, most, values, picks_.empty());
    if (rows == 0) continue;
    candidate.sequence->served = step_;
    rows_left -= rows;
    picks_.push_back({candidate.pick.request, candidate.pick.sequence, rows});
  }
  std::ranges::sort(picks_, [](const Pick& a, const Pick& b) {
    return std::tie(a.request->id, a.sequence) < std::tie(b.request->id, b.sequence);
  });
  return picks_;
}

/// How many of the next `rows` rows fit in what is left of the step's outputs; adds theirs to
/// `values`.
int Scheduler::affordable_rows(const Sequence& sequence, int rows, int64_t& values,
                               bool must_take) const {
  for (const WantedRow& wanted : sequence.wanted) {
    const int before = wanted.position - sequence.computed;
    if (before >= rows) break;
    if (wanted.hidden) continue;  // no wider than what its own row takes in the network
    const int64_t more =
        wanted.ids.empty() ? output_width_ : static_cast<int64_t>(wanted.ids.size());
    const bool first =
        must_take && values == 0;  // a single row larger than the limit has to go, too
    if (values + more > kMaxStepValues && !first) return before;
    values += more;
  }
  return rows;
}

std::unique_ptr<Request> Scheduler::remove(RequestId id) {
  const auto matches = [id](const auto& request) { return request->id == id; };
  if (const auto it = std::find_if(waiting_.begin(), waiting_.end(), matches);
      it != waiting_.end()) {
    auto request = std::move(*it);
    waiting_.erase(it);
    return request;
  }
  const auto it = std::find_if(running_.begin(), running_.end(), matches);
  if (it == running_.end()) return nullptr;
  auto request = std::move(*it);
  running_.erase(it);
  const WorkNeeds needs = request->work->needs();
  request->work->pool().unreserve(static_cast<int>(needs.blocks));
  sequences_reserved_ -= needs.sequences;
  return request;
}

int Scheduler::running_sequences() const {
  size_t count = 0;
  for (const auto& request : running_) count += request->work->sequences().size();
  return static_cast<int>(count);
}

}  // namespace seqgpt
