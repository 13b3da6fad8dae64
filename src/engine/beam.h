// SPDX-License-Identifier: Apache-2.0
// BeamWork: beam search by HF's current rule (transformers >= 4.50; scoring since 4.36).
#pragma once

#include <vector>

#include "engine/kept_beams.h"
#include "engine/work.h"

namespace seqgpt {

/// length_penalty 1, early_stopping false. A hypothesis' score is its sum of log-probabilities /
/// its generated length, EOS counted. At each length the best max(2, 1 + EOS ids) * beams
/// continuations are looked at in order: one that ends (by EOS, or because the length is reached)
/// is kept if it is among the first `beams`; the first `beams` that do not end run on. The search
/// ends when the kept ones are `beams` and the best running sum / the current length is no better
/// than the worst of them. Ties: the lower beam, then the lower id; between kept ones the older.
class BeamWork final : public Work {
 public:
  BeamWork(GenerateRequest request, const WorkSetting& setting);

  WorkNeeds needs() const override;
  int prompt_size() const override { return static_cast<int>(request_.prompt.size()); }
  Status begin() override;
  Status take_row(size_t sequence, int position, std::vector<float>& values) override;
  Status proceed() override;
  Answer answer() override;

  /// Continuations that are looked at for each length.
  static int64_t candidates_of(const GenerateRequest& request);

 private:
  struct Candidate {
    size_t beam = 0;
    int32_t id = 0;
    double sum = 0;
  };

  bool ends(const Candidate& candidate) const;
  bool is_eos(int32_t id) const;
  std::vector<Candidate> best_candidates();
  void keep(const Candidate& candidate);
  void run_on(const std::vector<Candidate>& chosen);

  GenerateRequest request_;
  std::vector<double> sums_;                        // by running beam, best first
  std::vector<std::vector<Candidate>> candidates_;  // by running beam, best first
  KeptBeams<GeneratedSequence> kept_;
  int length_ = 0;  // generated so far
};

}  // namespace seqgpt
