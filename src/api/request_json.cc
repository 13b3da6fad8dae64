// SPDX-License-Identifier: Apache-2.0
// Options from JSON.
#include "api/request_json.h"

#include "base/json_depth.h"

namespace seqgpt {
namespace {

Error wrong(const std::string& param, const std::string& message) {
  return Error{ErrorCode::kInvalidArgument, param + " " + message, param};
}

Result<std::string> string_field(const Json& object, const char* name, const std::string& path) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return wrong(path + "." + name, "must be a string");
  return found->get<std::string>();
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (json_deeper_than(text, kMaxRequestDepth)) {
    return Error{ErrorCode::kInvalidArgument, "JSON is nested deeper than 64 levels"};
  }
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return Error{ErrorCode::kInvalidArgument, "not valid JSON (in UTF-8)"};
  return value;
}

Result<AnswerOptions> answer_options_from_json(const Json& request, AnswerOptions options) {
  SEQGPT_ASSIGN(const std::string offsets, string_field(request, "offsets", "request"));
  if (!offsets.empty()) {
    SEQGPT_ASSIGN(options.offsets, parse_offset_unit(offsets));
  }
  SEQGPT_ASSIGN(const std::string values, string_field(request, "values", "request"));
  if (!values.empty()) {
    SEQGPT_ASSIGN(options.values, parse_value_shape(values));
  }
  if (const auto floor = request.find("min_confidence"); floor != request.end()) {
    if (!floor->is_number()) return wrong("min_confidence", "must be a number from 0 to 1");
    options.min_confidence = floor->get<double>();
  }
  return options;
}

}  // namespace seqgpt
