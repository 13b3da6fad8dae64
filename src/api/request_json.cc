// SPDX-License-Identifier: Apache-2.0
// Options from JSON.
#include "api/request_json.h"

#include <optional>
#include <set>
#include <vector>

#include "api/json_fields.h"
#include "base/json_depth.h"
#include "normalize/reference_time.h"

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

/// Fields that are absent or null leave `value` as it is.
Status read_number(const Json& request, const char* name, double& value) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_number()) return wrong_field(name, "must be a number");
  value = found->get<double>();
  return {};
}

Status read_count(const Json& request, const char* name, int64_t& value) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_number_integer() || *found < 0 || *found > INT32_MAX)
    return wrong_field(name, "must be a whole number from 0 on");
  value = found->get<int64_t>();
  return {};
}

Status read_flag(const Json& request, const char* name, bool& value) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_boolean()) return wrong_field(name, "must be true or false");
  value = found->get<bool>();
  return {};
}

Status read_word(const Json& request, const char* name, std::string& value) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_string()) return wrong_field(name, "must be a string");
  value = found->get<std::string>();
  return {};
}

/// Whether a time says its own offset: Z, or a sign behind the T.
bool names_zone(std::string_view moment) {
  const size_t time = moment.find('T');
  return moment.ends_with('Z') || (time != std::string_view::npos &&
                                   moment.find_first_of("+-", time) != std::string_view::npos);
}

/// "reference_time" and "timezone" to a whole time.
Status read_reference_time(const Json& request, std::string& reference_time) {
  std::string timezone;
  std::string moment;
  SEQGPT_TRY(read_word(request, "timezone", timezone));
  SEQGPT_TRY(read_word(request, "reference_time", moment));
  std::optional<TimeZone> zone;
  if (!timezone.empty()) {
    SEQGPT_ASSIGN(zone, TimeZone::parse(timezone));
  }
  if (moment.empty() && (!zone || reference_time.empty())) return {};
  if (!zone && !names_zone(moment) && !reference_time.empty()) {  // the zone of the defaults
    SEQGPT_ASSIGN(const ReferenceTime before, ReferenceTime::parse(reference_time));
    if (before.given()) zone = before.zone();
  }
  SEQGPT_ASSIGN(const ReferenceTime parsed,
                ReferenceTime::parse(moment.empty() ? reference_time : moment, zone));
  reference_time = parsed.text();
  return {};
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

Result<TaskOptions> task_options_from_json(const Json& request, TaskOptions options) {
  std::string long_text;
  int64_t window_tokens = options.window_tokens;
  auto max_chars = static_cast<int64_t>(options.max_chars);
  SEQGPT_TRY(read_word(request, "long_text", long_text));
  SEQGPT_TRY(read_word(request, "record", options.record));
  SEQGPT_TRY(read_count(request, "window_tokens", window_tokens));
  SEQGPT_TRY(read_count(request, "max_chars", max_chars));
  SEQGPT_TRY(read_number(request, "min_confidence", options.min_confidence));
  SEQGPT_TRY(read_number(request, "threshold", options.threshold));
  SEQGPT_TRY(read_flag(request, "multi", options.multi));
  SEQGPT_TRY(read_flag(request, "verify", options.verify));
  SEQGPT_TRY(read_flag(request, "normalize", options.normalize));
  SEQGPT_TRY(read_reference_time(request, options.reference_time));
  options.window_tokens = static_cast<int>(window_tokens);
  options.max_chars = static_cast<size_t>(max_chars);
  if (!long_text.empty()) {
    SEQGPT_ASSIGN(options.long_text, parse_long_text(long_text));
  }
  SEQGPT_TRY(check_options(options));
  return options;
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
  return options;
}

}  // namespace seqgpt
