// SPDX-License-Identifier: Apache-2.0
// The nesting depth of JSON text, counted before a parser (or a destructor) recurses into it.
#pragma once

#include <string_view>

namespace seqgpt {

inline constexpr int kMaxRequestDepth = 64;  // far more than any request of ours nests

/// True when more than `limit` brackets are open at once outside strings. Valid JSON or not.
bool json_deeper_than(std::string_view text, int limit);

}  // namespace seqgpt
