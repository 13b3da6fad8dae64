// SPDX-License-Identifier: Apache-2.0
// LineWalk: what may stand between a label's colon and its line's end, by bytes and by tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "constrain/span_index.h"
#include "constrain/vocabulary.h"

namespace seqgpt {

inline constexpr int kMaxValuesPerLabel = 64;
inline constexpr std::string_view kAbsent =
    "None";  // alone in its line: the text has no such value

/// The grammar of one line: " " ( "None" | value ( TAB value )* ) "\n", no value twice, "None" no
/// value. Every position it reaches can be brought to the line's end, so no choice leads into a
/// dead end: a value is entered, and gone on with, only while one that was not yet given begins so.
/// A small object for one call; not for use by two threads.
class LineWalk {
 public:
  enum class Phase : uint8_t { kColon, kValue, kEnd };

  /// A place in the line. The bytes of the current value may be the beginning of one in the text,
  /// of the word None, or of both.
  struct Position {
    Phase phase = Phase::kColon;
    SpanIndex::State span = SpanIndex::kNone;
    uint8_t none_letters = 0;  // of "None" read so far; kNotNone when it is not that word
  };
  static constexpr uint8_t kNotNone = 255;

  LineWalk(const SpanIndex& index, const VocabularyTrie& vocabulary);

  /// Counts a value of this line that was decided before.
  void add_value(SpanIndex::State value) { give(value); }
  /// The values of this line so far. A step that ends one adds it.
  size_t values() const { return given_count_ - excluded_; }
  SpanIndex::State last_value() const { return given_[given_count_ - 1]; }

  /// Goes on by one byte; false (and nothing is changed) where the grammar does not allow it.
  bool step(Position& position, uint8_t byte);

  /// Appends the tokens that may come next, in no particular order, until `ids` has `most`.
  void tokens(const Position& position, size_t most, std::vector<int32_t>& ids);

 private:
  void give(SpanIndex::State value) { given_[given_count_++] = value; }
  std::span<const SpanIndex::State> given() const { return {given_.data(), given_count_}; }
  bool step_in_value(Position& position, uint8_t byte) const;
  bool end_value(Position& position, uint8_t byte);
  bool is_new_value(SpanIndex::State span) const;
  bool exhausted(SpanIndex::State prefix) const;
  void visit(uint32_t node, const Position& position, size_t most, std::vector<int32_t>& ids);
  void try_byte(uint32_t node, const Position& position, uint8_t byte, size_t most,
                std::vector<int32_t>& ids);

  const SpanIndex& index_;
  const VocabularyTrie& vocabulary_;
  // Values that may not come (again): "None", a label's, and the one that is just ending.
  std::array<SpanIndex::State, kMaxValuesPerLabel + 2> given_;
  size_t given_count_ = 0;
  size_t excluded_ = 0;  // how many of them were never given: "None", if the text has it
};

}  // namespace seqgpt
