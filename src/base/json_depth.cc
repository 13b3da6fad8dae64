// SPDX-License-Identifier: Apache-2.0
// Counting brackets.
#include "base/json_depth.h"

#include <cstddef>

namespace seqgpt {

bool json_deeper_than(std::string_view text, int limit) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > limit) return true;
  }
  return false;
}

}  // namespace seqgpt
