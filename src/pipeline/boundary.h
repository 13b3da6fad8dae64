// SPDX-License-Identifier: Apache-2.0
// Where a value ends by rule: punctuation, brackets and quotes, units and digits that belong to it.
#pragma once

#include <string_view>

#include "constrain/span_index.h"

namespace seqgpt {

/// The span after the rules that hold for every type, always a part of `text` and never empty:
/// - no punctuation at its ends, but the point of Ltd. and the like;
/// - a quotation mark around the whole value goes;
/// - a bracket that opens in it and closes within kBracketReach characters after it is closed; one
///   that is left over at an end goes.
/// A value of nothing but punctuation stays as it is.
ByteSpan tidy_boundary(std::string_view text, ByteSpan span);

inline constexpr int kBracketReach = 16;

/// A name without 分别 at its end (张强分别): no person or firm is called so.
ByteSpan without_adverb(std::string_view text, ByteSpan span, std::string_view type);

}  // namespace seqgpt
