// SPDX-License-Identifier: Apache-2.0
// Constraint: what a generated sequence may say next. The engine owns the interface; src/constrain
// fills it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace seqgpt {

/// A grammar over token ids, immutable and shared by any number of sequences and threads. All that
/// changes is a State, a small value: forking a sequence is copying it.
class Constraint {
 public:
  /// Meaning belongs to the constraint; the engine only copies it. `trail` is an immutable list of
  /// what was decided so far.
  struct State {
    std::array<uint32_t, 16> word{};
    std::shared_ptr<const void> trail;
  };

  virtual ~Constraint() = default;

  virtual State start() const = 0;
  /// True when nothing may follow. forced() and allowed() are not called then.
  virtual bool finished(const State& state) const = 0;
  /// Appends the tokens that must come next, in order, as far as there is no choice; appends none
  /// when there is one. The engine appends them without a choice and runs them as one batch.
  virtual void forced(const State& state, std::vector<int32_t>& ids) const = 0;
  /// Replaces `ids` by those that may come next, ascending, at least two (a single one is forced).
  virtual void allowed(const State& state, std::vector<int32_t>& ids) const = 0;
  /// The state after `id`, which is one that forced() or allowed() gave.
  virtual State advance(const State& state, int32_t id) const = 0;

  /// The one of allowed() that will probably be chosen, or kNoGuess. The engine lets the model
  /// check a run of guesses in one pass: they change how many passes an answer takes, never what it
  /// says.
  static constexpr int32_t kNoGuess = -1;
  virtual int32_t guess(const State&) const { return kNoGuess; }
};

}  // namespace seqgpt
