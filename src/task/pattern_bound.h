// SPDX-License-Identifier: Apache-2.0
// How many characters a pattern can match at most, read off its own syntax.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seqgpt {

struct PatternBound {
  size_t characters = 0;     // at most; saturates far above every limit of ours
  std::string problem = {};  // why there is no bound, with the place; empty when there is one
};

/// `pattern` is one that RE2 takes. Every `*`, `+` and `{n,}` counts as unbounded, whatever it
/// repeats.
PatternBound pattern_bound(std::string_view pattern);

}  // namespace seqgpt
