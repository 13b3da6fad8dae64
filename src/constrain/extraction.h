// SPDX-License-Identifier: Apache-2.0
// ExtractionConstraint: an answer of SeqGPT's form whose every value is a span of the input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "constrain/copy_guess.h"
#include "constrain/decided_values.h"
#include "constrain/line_walk.h"
#include "constrain/span_index.h"
#include "constrain/vocabulary.h"
#include "engine/constraint.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// A value the model copied: which label it answers, the bytes it emitted, where they stand.
struct ExtractedValue {
  int label = 0;      // index into the constraint's labels
  std::string bytes;  // as emitted
  ByteSpan source;    // in the input text
  // Tokens of the answer: those that hold the value's bytes are [first_token, end_token);
  // stop_token holds the TAB or line break after it and is end_token, or end_token - 1 when one
  // holds both.
  int first_token = 0;
  int end_token = 0;
  int stop_token = 0;
  bool capped = false;  // ended by kMaxValueCharacters, or it was the label's last allowed value
};

/// The grammar, byte by byte, for each label in turn:
///   label ":" " " ( "None" | value ( TAB value )* ) "\n"
/// forced: encode("label:") as one string, single possibilities. Values are substrings of the
/// index, no value twice under one label, at most kMaxValuesPerLabel, at most kMaxValueCharacters
/// characters. Tokens may cross edges ("。\n", " (" ...) but never go beyond the "\n" that ends a
/// label. Once an answer is under way none of its calls allocates, but for what the caller's
/// vectors of ids grow by, and beyond 16 values a label now and then.
class ExtractionConstraint final : public Constraint {
 public:
  /// labels are names as they stand in the prompt; indices are those their values come from, one a
  /// label (narrow_to_labels). The tokenizer must outlive the constraint. Errors: kUnbuildable,
  /// naming "labels[i]".
  static Result<std::shared_ptr<const ExtractionConstraint>> build(
      std::vector<std::shared_ptr<const SpanIndex>> indices,
      std::shared_ptr<const VocabularyTrie> vocabulary, const Tokenizer& tokenizer,
      const std::vector<std::string>& labels);
  /// The same with one index for all labels.
  static Result<std::shared_ptr<const ExtractionConstraint>> build(
      const std::shared_ptr<const SpanIndex>& index,
      std::shared_ptr<const VocabularyTrie> vocabulary, const Tokenizer& tokenizer,
      const std::vector<std::string>& labels);

  State start() const override;
  bool finished(const State& state) const override;
  void forced(const State& state, std::vector<int32_t>& ids) const override;
  void allowed(const State& state, std::vector<int32_t>& ids) const override;
  State advance(const State& state, int32_t id) const override;
  /// Before the first value: that it is what the text has behind the label's own words, or None.
  /// Within one: that it goes on as the text does, up to where it probably ends.
  int32_t guess(const State& state) const override;

  /// The values decided so far, in order of decision. Nothing is parsed back: this is the record.
  std::vector<ExtractedValue> values(const State& state) const;
  /// How many labels, from the first on, have all their values.
  size_t decided_labels(const State& state) const;
  /// Every place one of them stands at (SpanIndex::locate_all).
  std::vector<ByteSpan> places(const ExtractedValue& value) const;

 private:
  ExtractionConstraint() = default;
  const SpanIndex& index(const State& state) const;
  bool in_label(const State& state) const;
  LineWalk line_walk(const State& state) const;
  void advance_line(State& state, int32_t id) const;
  void record(State& state, const LineWalk& walk, uint32_t end_token) const;

  std::vector<std::shared_ptr<const SpanIndex>> indices_;  // of each label
  std::shared_ptr<const VocabularyTrie> vocabulary_;
  const Tokenizer* tokenizer_ = nullptr;
  std::vector<std::vector<int32_t>> label_tokens_;  // encode("label:") of each label
  std::vector<FirstGuess> first_guesses_;           // guess_first of each label
  std::shared_ptr<DecidedMemory> decided_memory_;
};

}  // namespace seqgpt
