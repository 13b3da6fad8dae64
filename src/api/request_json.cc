// SPDX-License-Identifier: Apache-2.0
// Options from JSON, by the table of options.
#include "api/request_json.h"

#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "api/json_fields.h"
#include "base/json_depth.h"

namespace seqgpt {
namespace {

/// Watches the keys of the objects being parsed: none may stand twice in one, and none may have so
/// many that looking for a key, which ordered objects do one by one, takes long.
class KeyCheck {
 public:
  bool take(Json::parse_event_t event, const Json& value) {
    if (problem_) return false;
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      add(value.get<std::string>());
    }
    return !problem_;
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  void add(const std::string& key) {
    if (!open_.back().insert(key).second) {
      problem_ = Error{ErrorCode::kInvalidArgument, "the field \"" + key + "\" stands twice", key};
    } else if (open_.back().size() > kMaxKeys) {
      problem_ = Error{ErrorCode::kInvalidArgument,
                       "an object has more than " + std::to_string(kMaxKeys) + " fields"};
    }
  }

  static constexpr size_t kMaxKeys = 1000;
  std::vector<std::set<std::string>> open_;
  std::optional<Error> problem_;
};

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
  KeyCheck keys;
  const auto check = [&](int, Json::parse_event_t event, const Json& value) {
    return keys.take(event, value);
  };
  Json value = Json::parse(text, check, false);
  if (keys.problem()) return *keys.problem();
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
