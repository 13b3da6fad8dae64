// SPDX-License-Identifier: Apache-2.0
// raw_members: the members of a JSON object as they are written, for what we pass on and must not
// change.
#pragma once

#include <string_view>
#include <vector>

namespace seqgpt {

struct RawMember {
  std::string_view key;    // with its quotes and escapes
  std::string_view value;  // without white space around it
};

/// In order. `object` must be a valid JSON object; the views point into it. A number keeps all its
/// digits so, where a parsed one would be rounded to 64 bits.
std::vector<RawMember> raw_members(std::string_view object);

}  // namespace seqgpt
