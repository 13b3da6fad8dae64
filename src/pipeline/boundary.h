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

/// Without what a value of this type never has: a name no 分别 at its end (张强分别), an amount no
/// words before a colon (人民币大写：叁万元).
ByteSpan without_company(std::string_view text, ByteSpan span, std::string_view type);

}  // namespace seqgpt
