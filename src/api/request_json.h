// SPDX-License-Identifier: Apache-2.0
// Reading the contract's request fields out of JSON values, strictly: wrong types are named with
// their path.
#pragma once

#include <string_view>

#include "api/body_json.h"
#include "api/request_options.h"
#include "base/result.h"

namespace seqgpt {

/// Parses JSON text of bounded depth; never throws.
Result<Json> parse_json(std::string_view text);

/// Takes the options of `tasks` that are present in `request` over `defaults`; absent and null
/// leave what is there. Types, choices and ranges are checked, the reference time is resolved.
Result<RequestOptions> options_from_json(const Json& request, unsigned tasks,
                                         RequestOptions defaults);

}  // namespace seqgpt
