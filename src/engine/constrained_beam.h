// SPDX-License-Identifier: Apache-2.0
// ConstrainedBeamWork: beam search under a constraint, by the rule of beam.h.
#pragma once

#include <vector>

#include "engine/kept_beams.h"
#include "engine/work.h"

namespace seqgpt {

/// As transformers searches with a prefix_allowed_tokens_fn, but for one thing: a log-probability
/// is of the softmax over the allowed tokens, whose rows are all that is computed (transformers' is
/// over the whole vocabulary). A token that alone may come has log-probability 0; it counts in the
/// length as any other. An answer ends where the constraint is finished, or at the limit, and
/// scores the sum of its log-probabilities / its tokens. At each length all continuations are
/// looked at in order; one that ends is kept if it is among the first `beams`, the first `beams`
/// that do not end run on; when to end the search is as in beam.h.
///
/// A beam is one sequence. What is forced behind a choice is appended with it and rides in its
/// pass, with the row of the choice after; the search still takes its tokens one length at a time.
/// Beams share the blocks of what they have in common until one writes.
class ConstrainedBeamWork final : public Work {
 public:
  ConstrainedBeamWork(GenerateRequest request, const WorkSetting& setting);

  WorkNeeds needs() const override;
  int prompt_size() const override { return static_cast<int>(request_.prompt.size()); }
  Status begin() override;
  Status take_row(size_t sequence, int position, std::vector<float>& values) override;
  Status proceed() override;
  Answer answer() override;

 private:
  /// What was said and where the constraint stands; the sequence of the same place holds the tokens
  /// that are computed.
  struct Beam {
    double sum = 0;
    Constraint::State state;           // after all choices
    std::vector<TokenChoice> choices;  // more than length_ while forced tokens stand ahead
    std::vector<int32_t> ids;          // competitors of the next choice, ascending
    std::vector<float> logprobs;       // theirs; empty: not computed yet, or none is to be made
  };
  struct Candidate {
    size_t beam = 0;
    TokenChoice choice;
    double sum = 0;
  };
  /// What a candidate becomes; `whole`: the constraint is finished.
  struct Successor {
    Candidate candidate;
    Constraint::State state = {};
    bool ends = false;
    bool whole = false;
  };
  struct Ended {
    std::vector<TokenChoice> choices;
    Constraint::State state;
    bool whole = false;  // else by the limit
  };

  bool full(const Beam& beam) const;
  bool stands_ahead(const Beam& beam) const;
  bool waits_for_row() const;
  Status check_id(int32_t id) const;
  /// Appends what is forced to beam and sequence; then wants the row of its next choice, if any.
  Status go_on(Beam& beam, Sequence& sequence);
  std::vector<Candidate> candidates() const;
  Status grow();
  Successor successor(const Candidate& candidate) const;
  void keep(const Successor& ended);
  Status run_on(const std::vector<Successor>& chosen);

  GenerateRequest request_;
  std::vector<Beam> beams_;  // by sequence, best first
  KeptBeams<Ended> kept_;
  int length_ = 0;  // tokens of the running hypotheses
};

}  // namespace seqgpt
