// SPDX-License-Identifier: Apache-2.0
// The loop of --jsonl: one JSON object a line in, one answer a line out, flushed; an error is a
// line too.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace seqgpt {

using JsonRequest = nlohmann::json;

/// Calls `answer` for each non-blank line; what it returns (one line of JSON) is written at once.
/// Lines longer than 64 MiB become errors. Returns how many lines failed.
int run_json_lines(std::istream& in, std::ostream& out,
                   const std::function<Result<std::string>(const JsonRequest&)>& answer);

/// {"error": {...}} as one line.
std::string error_line(const Error& error);

// Fields of a request; errors name the field.
Result<std::vector<int32_t>> ids_field(const JsonRequest& request, const char* name);
Result<int64_t> integer_field(const JsonRequest& request, const char* name, int64_t fallback,
                              int64_t low, int64_t high);
Result<double> number_field(const JsonRequest& request, const char* name, double fallback);

// Writers of numbers in their shortest exact form.
void append_floats(std::string& out, const std::vector<float>& values);
void append_ids(std::string& out, const std::vector<int32_t>& ids);

}  // namespace seqgpt
