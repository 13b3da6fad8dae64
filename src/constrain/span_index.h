// SPDX-License-Identifier: Apache-2.0
// SpanIndex: every substring of a text that may be a value, as a suffix automaton over its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// A part of the source text, in bytes; end exclusive.
struct ByteSpan {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const ByteSpan&) const = default;
};

/// Built over the text with line breaks, TABs and NULs removed (between two Latin letters or digits a line
/// break becomes one space) and, as a second string, with single spaces between CJK characters (OCR)
/// removed too; a byte map leads back. Immutable after build; memory is linear in the text.
class SpanIndex {
 public:
  /// `text` is valid UTF-8 of at most 4 million bytes and must outlive the index.
  static Result<SpanIndex> build(std::string_view text);

  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The state after `byte`, or kNone when no substring goes on so.
  uint32_t next(uint32_t state, uint8_t byte) const;
  /// True when the bytes read so far may be a whole value: they begin (guaranteed by where the walk may
  /// start) and end on character boundaries of the text, and no lone combining mark follows or begins them.
  bool may_stop(uint32_t state) const;
  /// How many whole values begin with the bytes read so far (themselves included), up to 1000.
  uint32_t completions(uint32_t state) const;

  /// The place in the source that the value (bytes as emitted) stands for, by the rule in docs/: the leftmost occurrence
  /// whose neighbours do not go on a run of digits or Latin letters that the value begins or ends with; else the leftmost.
  /// The value must be one that the automaton accepts.
  ByteSpan locate(std::string_view value) const;

 private:
  struct State;
  std::string_view source_;
};

}  // namespace seqgpt
