// SPDX-License-Identifier: Apache-2.0
// normalize: canonical values of single strings, for trying the grammars and grading them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/json_lines.h"

namespace seqgpt {

/// What relative wording is read against when a request does not say.
struct NormalizeOptions {
  std::string kind = "auto";
  std::string reference_time;  // ISO 8601 or none; empty: `now`
  std::string timezone;        // empty: the offset written in reference_time, else Asia/Shanghai
  int64_t now = 0;             // Unix seconds, read by the caller from its clock
};

/// {"normalized", "reason"?, "result", "reference_time"} for one text.
Result<std::string> normalize_text(const NormalizeOptions& options, std::string_view text);

/// {"id"?, "kind"?, "input", "reference_time"?: string or null, "timezone"?} to {"id"?,
/// "normalized", "reason"?}; a reference_time of null is none, an absent one is the options'.
Result<std::string> normalize_answer(const NormalizeOptions& options, const JsonRequest& request);

}  // namespace seqgpt
