// SPDX-License-Identifier: Apache-2.0
// KeptBeams: the hypotheses of a beam search that have ended, and whether it may end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/kv_pool.h"

namespace seqgpt {

/// The best `beams` of what was kept; of equals the older.
template <typename T>
class KeptBeams {
 public:
  struct Entry {
    double score;  // sum of log-probabilities / generated tokens
    T hypothesis;
  };

  explicit KeptBeams(int beams) : beams_(static_cast<size_t>(beams)) {}

  void keep(double score, T hypothesis) {
    const auto place =
        std::upper_bound(entries_.begin(), entries_.end(), score,
                         [](double s, const Entry& other) { return s > other.score; });
    entries_.insert(place, {score, std::move(hypothesis)});
    if (entries_.size() > beams_) entries_.pop_back();
  }

  /// HF's rule for early_stopping false: against the best running sum at its present length.
  bool can_improve(double best_sum, int length) const {
    return entries_.size() < beams_ || best_sum / length > entries_.back().score;
  }

  std::vector<Entry>& best_first() { return entries_; }

 private:
  size_t beams_;
  std::vector<Entry> entries_;
};

/// Blocks of a search at worst: whole blocks of the prompt are shared; from the first block that
/// output enters each beam has its own. The last token is never computed.
inline int64_t beam_blocks(int64_t prompt, int64_t max_new_tokens, int64_t beams) {
  const int64_t shared = prompt / kKvBlockTokens;
  const int64_t whole = kv_blocks_for(prompt + max_new_tokens - 1);
  return shared + beams * (whole - shared);
}

}  // namespace seqgpt
