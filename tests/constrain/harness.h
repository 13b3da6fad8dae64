// SPDX-License-Identifier: Apache-2.0
// What drives a constraint in a model's place: vocabularies, choices, the answer read again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "constrain/extraction.h"
#include "reference.h"

namespace seqgpt::harness {

#ifdef __SANITIZE_ADDRESS__
inline constexpr int kShare = 10;  // sanitizers are slow
#else
inline constexpr int kShare = 1;
#endif

struct Vocabulary {
  std::string name;
  Tokenizer tokenizer;
  std::shared_ptr<const VocabularyTrie> trie;
  std::vector<int32_t> usable;  // what an answer may hold: the lowest id of each byte string
  int rows = 0;
};

/// Byte-only, wild ones that cross every edge, and the goldens'.
const std::vector<std::unique_ptr<Vocabulary>>& vocabularies();
const Vocabulary& byte_vocabulary();
const Vocabulary& main_vocabulary();

std::shared_ptr<const SpanIndex> index_of(std::string_view text);
std::shared_ptr<const ExtractionConstraint> constraint_of(const Vocabulary& vocabulary,
                                                          std::string_view text,
                                                          const std::vector<std::string>& labels);

/// Stands for a model: picks one of the ids that may come next.
using Choose =
    std::function<int32_t(const std::vector<int32_t>& allowed, const std::string& answer)>;
Choose by_score(uint32_t seed);  // a fixed but arbitrary taste
Choose at_random(std::mt19937& random);
/// Prefers tokens with a TAB, else goes by chance.
Choose with_tabs(const Vocabulary& vocabulary, std::mt19937& random);
/// Never ends a value that can go on.
Choose without_ends(const Vocabulary& vocabulary, std::mt19937& random);
/// Gives as many values as it may, and never None.
Choose many_values(const Vocabulary& vocabulary, std::mt19937& random);

/// Sees every state where there is a choice.
using Look = std::function<void(const Constraint::State&, const std::string& answer,
                                const std::vector<int32_t>& allowed)>;

struct Answer {
  std::vector<int32_t> tokens;
  std::string bytes;
  std::vector<ExtractedValue> values;
};

/// Drives the constraint as the engine does, from its start to its end.
Answer generate(const ExtractionConstraint& constraint, const Vocabulary& vocabulary,
                const Choose& choose, const Look& look = {});

struct Parsed {
  int label;
  std::string value;
  size_t place;  // of its first byte in the answer
};

/// An answer read by the grammar alone.
std::vector<Parsed> parse(const std::string& answer, const std::vector<std::string>& labels);

/// The token that holds byte `place` of the answer.
int token_at(const Answer& answer, const Vocabulary& vocabulary, size_t place);

}  // namespace seqgpt::harness
