// SPDX-License-Identifier: Apache-2.0
// A slow restatement of what values and lines are, that the constraint is judged by.
#pragma once

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "constrain/span_index.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt::reference {

struct Occurrence {
  ByteSpan span;
  bool alone;  // goes on no run of digits or letters
};

/// Every legal value of a text with the places it stands at, by trying every pair of character
/// boundaries.
std::map<std::string, std::vector<Occurrence>> all_values(std::string_view text);

/// The place that docs/constraint.md names.
ByteSpan place_of(const std::vector<Occurrence>& occurrences);

/// The grammar of one line after its colon, by looking at whole strings.
class Line {
 public:
  explicit Line(const std::map<std::string, std::vector<Occurrence>>& values);
  /// Whether some legal line begins with `bytes`.
  bool can_be_completed(std::string_view bytes) const;

 private:
  bool legal_last(std::string_view piece, const std::vector<std::string_view>& before,
                  bool closed) const;

  std::unordered_map<std::string, int> beginnings_;  // of values: how many values begin so
  std::unordered_map<std::string, bool> values_;
};

/// A text of `pieces` random pieces: words, CJK, breaks, emoji, marks, the prompt's own words ...
std::string random_text(std::mt19937& random, int pieces);

/// Four added tokens and the 256 bytes.
Tokenizer byte_tokenizer();
/// The same and `merges` tokens that cross every edge of random answers.
Tokenizer wild_tokenizer(unsigned seed, int merges);
Tokenizer golden_tokenizer(std::string_view directory);

}  // namespace seqgpt::reference
