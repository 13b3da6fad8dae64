// SPDX-License-Identifier: Apache-2.0
// Offsets: from bytes of a text to the unit that an answer counts in.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/options.h"

namespace seqgpt {

/// Counts once over the text; each question then costs at most kStride bytes. The text must outlive
/// it.
class Offsets {
 public:
  Offsets(std::string_view text, OffsetUnit unit);
  /// The units before byte `at`, which is the boundary of a character.
  size_t operator()(size_t at) const;

 private:
  static constexpr size_t kStride = 1024;

  size_t count(size_t begin, size_t end) const;

  std::string_view text_;
  OffsetUnit unit_;
  std::vector<size_t> before_;  // units before each kStride bytes
};

}  // namespace seqgpt
