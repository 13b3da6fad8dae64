// SPDX-License-Identifier: Apache-2.0
// Fields of a JSON object, read strictly: a wrong type or an unknown field is named with its path.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/body_json.h"
#include "base/result.h"

namespace seqgpt {

/// kInvalidArgument with `path` as its param.
Error wrong_field(const std::string& path, const std::string& message);

/// Refuses a field of `object` (at `path`) that is not in `known`.
Status only_fields(const Json& object, const std::string& path,
                   std::initializer_list<std::string_view> known);

/// A string, empty when the field is absent or null.
Result<std::string> string_field(const Json& object, const char* name, const std::string& path);
/// A list of strings, empty when the field is absent or null.
Result<std::vector<std::string>> strings_field(const Json& object, const char* name,
                                               const std::string& path);

}  // namespace seqgpt
