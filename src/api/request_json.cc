// SPDX-License-Identifier: Apache-2.0
// Options from JSON, by the table of options.
#include "api/request_json.h"

#include <sstream>

#include "api/json_fields.h"
#include "base/json_depth.h"

namespace seqgpt {
namespace {

Error out_of_range(const RequestOption& option) {
  std::ostringstream range;
  range.precision(17);
  range << "must be from " << option.least << " to " << option.most;
  return wrong_field(std::string(option.name), range.str());
}

Status set(OptionSlot<bool> slot, const RequestOption& option, const Json& value,
           RequestOptions& options) {
  if (!value.is_boolean()) return wrong_field(std::string(option.name), "must be true or false");
  slot(options) = value.get<bool>();
  return {};
}

Status set(OptionSlot<int> slot, const RequestOption& option, const Json& value,
           RequestOptions& options) {
  if (!value.is_number_integer())
    return wrong_field(std::string(option.name), "must be a whole number");
  // As double: a number beyond 64 bits must not wrap into the range.
  const auto number = value.get<double>();
  if (number < option.least || number > option.most) return out_of_range(option);
  slot(options) = static_cast<int>(number);
  return {};
}

Status set(OptionSlot<double> slot, const RequestOption& option, const Json& value,
           RequestOptions& options) {
  if (!value.is_number()) return wrong_field(std::string(option.name), "must be a number");
  const auto number = value.get<double>();
  if (!(number >= option.least && number <= option.most)) return out_of_range(option);
  slot(options) = number;
  return {};
}

Status set(OptionSlot<std::string> slot, const RequestOption& option, const Json& value,
           RequestOptions& options) {
  if (!value.is_string()) return wrong_field(std::string(option.name), "must be a string");
  slot(options) = value.get<std::string>();
  return {};
}

Status set(OptionSlot<std::vector<std::string>> slot, const RequestOption& option,
           const Json& value, RequestOptions& options) {
  const std::string name(option.name);
  if (!value.is_array()) return wrong_field(name, "must be a list of strings");
  if (static_cast<double>(value.size()) > option.most) {
    return wrong_field(name, "has " + std::to_string(value.size()) + " entries, the limit is " +
                                 std::to_string(static_cast<int>(option.most)));
  }
  std::vector<std::string> words;
  for (const Json& word : value) {
    if (!word.is_string()) return wrong_field(name, "must be a list of strings");
    words.push_back(word.get<std::string>());
  }
  slot(options) = std::move(words);
  return {};
}

Status set(const ChoiceSlot& choice, const RequestOption& option, const Json& value,
           RequestOptions& options) {
  const std::string name(option.name);
  if (!value.is_string()) return wrong_field(name, "must be a string");
  return set_choice(choice, value.get<std::string>(), name, options);
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

Result<RequestOptions> options_from_json(const Json& request, unsigned tasks,
                                         RequestOptions options) {
  for (const RequestOption& option : request_options()) {
    if ((option.tasks & tasks) == 0) continue;
    const auto found = request.find(option.name);
    if (found == request.end() || found->is_null()) continue;
    SEQGPT_TRY(std::visit([&](const auto& slot) { return set(slot, option, *found, options); },
                          option.slot));
  }
  SEQGPT_TRY(resolve_reference_time(options));
  return options;
}

}  // namespace seqgpt
