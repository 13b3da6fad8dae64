// SPDX-License-Identifier: Apache-2.0
// Pattern: a caller's regular expression that a value must match as a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace seqgpt {

inline constexpr size_t kMaxPatternBytes = 500;
/// What a pattern may match at most; a value has no more characters either (kMaxValueCharacters).
inline constexpr size_t kMaxPatternCharacters = 256;

/// RE2's syntax. Immutable; a copy shares the compiled program.
class Pattern {
 public:
  /// Errors, all kUnbuildable: empty, too long, not RE2's syntax, too large when compiled, without
  /// an upper bound on what it matches (`*`, `+`, `{n,}`) or with one above kMaxPatternCharacters.
  /// They name `param`.
  static Result<Pattern> compile(std::string_view written, const std::string& param);

  /// Whether the pattern matches all of `value`.
  bool matches(std::string_view value) const;
  /// Bytes of the longest beginning of `text` that the pattern matches; 0 when it matches none, or
  /// only the empty one.
  size_t longest(std::string_view text) const;

  size_t max_characters() const { return max_characters_; }
  /// Instructions of the compiled program: a measure of what matching a byte may cost.
  size_t program_size() const { return program_size_; }

 private:
  std::shared_ptr<const re2::RE2> program_;
  size_t max_characters_ = 0;
  size_t program_size_ = 0;
};

}  // namespace seqgpt
