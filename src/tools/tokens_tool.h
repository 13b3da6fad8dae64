// SPDX-License-Identifier: Apache-2.0
// tokens: text to ids with offsets, ids to text, for looking into a tokenizer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tokenizer/tokenizer.h"
#include "tools/json_lines.h"

namespace seqgpt {

/// {"ids": [...], "offsets": [[s, e], ...]} in code points; added tokens are recognised, as HF
/// does.
Result<std::string> tokens_of_text(const Tokenizer& tokenizer, std::string_view text);
/// {"text": ...}
std::string text_of_tokens(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                           bool skip_special);
/// {"text"} or {"ids", "skip_special"?: false}
Result<std::string> tokens_answer(const Tokenizer& tokenizer, const JsonRequest& request);

}  // namespace seqgpt
