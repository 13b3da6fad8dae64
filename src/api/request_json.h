// SPDX-License-Identifier: Apache-2.0
// Reading the contract's request fields out of JSON values, strictly: wrong types are named with
// their path.
#pragma once

#include <string_view>

#include "api/body_json.h"
#include "api/label_json.h"
#include "api/options.h"
#include "base/result.h"

namespace seqgpt {

/// Parses JSON text of bounded depth; never throws.
Result<Json> parse_json(std::string_view text);

/// Takes the task options that are present in `request` over `defaults`; ranges are checked.
Result<TaskOptions> task_options_from_json(const Json& request, TaskOptions defaults);

/// Takes the answer options that are present in `request` over `defaults`.
Result<AnswerOptions> answer_options_from_json(const Json& request, AnswerOptions defaults);

}  // namespace seqgpt
