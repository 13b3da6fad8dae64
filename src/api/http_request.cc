// SPDX-License-Identifier: Apache-2.0
// Reading request bodies.
#include "api/http_request.h"

#include <algorithm>

#include "api/json_fields.h"
#include "api/label_json.h"
#include "api/request_json.h"
#include "normalize/reference_time.h"

namespace seqgpt {
namespace {

constexpr int kCompletionTokens = 16;  // OpenAI's default

unsigned task_bit(TaskKind kind) {
  return kind == TaskKind::kExtract ? kForExtract : kForClassify;
}

/// Refuses fields that are no options of the task, but text, labels and those in `more`.
Status check_fields(const Json& object, unsigned task,
                    std::initializer_list<std::string_view> more = {}) {
  for (const auto& [key, value] : object.items()) {
    const RequestOption* option = find_request_option(key);
    if (option && (option->tasks & task) != 0) continue;
    if (key == "text" || key == "labels" || std::ranges::find(more, key) != more.end()) continue;
    std::string names = "text, labels";
    for (const RequestOption& known : request_options()) {
      if ((known.tasks & task) != 0) names.append(", ").append(known.name);
    }
    return wrong_field(key, "is not a field here (" + names + ")");
  }
  return {};
}

Result<Json> parse_object(std::string_view body) {
  if (body.empty()) return wrong_field("body", "is empty: it must be a JSON object");
  SEQGPT_ASSIGN(Json object, parse_json(body));
  if (!object.is_object()) return wrong_field("body", "must be a JSON object");
  return object;
}

Result<int64_t> whole_number(const Json& object, const char* name, int64_t otherwise, int64_t least,
                             int64_t most) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return otherwise;
  const bool fits = found->is_number_integer() && *found >= least && *found <= most;
  if (!fits) {
    return wrong_field(name, "must be a whole number from " + std::to_string(least) + " to " +
                                 std::to_string(most));
  }
  return found->get<int64_t>();
}

Result<bool> flag(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return false;
  if (!found->is_boolean()) return wrong_field(name, "must be true or false");
  return found->get<bool>();
}

Result<std::string> required_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return wrong_field(name, "is missing");
  if (!found->is_string()) return wrong_field(name, "must be a string");
  return found->get<std::string>();
}

/// What a request says beside its text, over what held before.
struct Shared {
  std::vector<Label> labels;  // as written
  RequestOptions options;
  bool reference_is_now = true;
};

Result<Shared> read_shared(const Json& object, TaskKind kind, Shared shared) {
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(shared.labels, labels_from_json(*labels));
  }
  SEQGPT_ASSIGN(shared.options,
                options_from_json(object, task_bit(kind), std::move(shared.options)));
  const auto moment = object.find("reference_time");
  if (moment != object.end() && moment->is_string()) shared.reference_is_now = false;
  return shared;
}

RequestOptions default_options(const RequestDefaults& defaults) {
  RequestOptions options;
  options.rules = defaults.rules;
  options.timeout_ms = defaults.timeout_ms;
  options.task.reference_time = ReferenceTime::at(defaults.now_seconds).text();
  return options;
}

Result<TaskRequest> task_of(const Json& object, TaskKind kind, Shared shared) {
  TaskRequest request;
  RequestOptions& options = shared.options;
  request.task.kind = kind;
  SEQGPT_ASSIGN(request.task.text, required_text(object, "text"));
  SEQGPT_TRY(check_text(request.task.text, kMaxRequestCharacters));
  request.task.labels = std::move(shared.labels);
  if (!request.task.labels.empty()) {
    SEQGPT_ASSIGN(request.task.labels, check_labels(std::move(request.task.labels), options.rules));
  }
  request.task.options = std::move(options.task);
  request.answer = options.answer;
  request.may_degrade = !options.never_degrade;
  request.timeout_ms = options.timeout_ms;
  request.reference_is_now = shared.reference_is_now;
  return request;
}

Result<TaskRequest> item_task(const Json& item, TaskKind kind, const Shared& all) {
  if (!item.is_object()) return Error{ErrorCode::kInvalidArgument, "an item must be an object"};
  SEQGPT_TRY(check_fields(item, task_bit(kind), {"id"}));
  SEQGPT_ASSIGN(Shared shared, read_shared(item, kind, all));
  return task_of(item, kind, std::move(shared));
}

BatchRequest::Item read_item(const Json& item, size_t index, TaskKind kind, const Shared& all) {
  BatchRequest::Item read;
  if (item.is_object()) {
    const auto id = item.find("id");
    if (id != item.end() && !id->is_null()) read.id = dump_json(*id, -1);
  }
  read.request = item_task(item, kind, all);
  if (!read.request.ok()) {
    Error error = read.request.error();
    const std::string path = "items[" + std::to_string(index) + "]";
    error.param = error.param.empty() ? path : path + "." + error.param;
    read.request = std::move(error);
  }
  return read;
}

/// A string alone counts as a list of one.
Result<std::vector<std::string>> one_or_more(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found != object.end() && found->is_string()) return std::vector{found->get<std::string>()};
  return strings_field(object, name, "");
}

/// OpenAI's stream_options, which go with a stream alone.
Result<bool> asks_for_usage(const Json& object, bool stream) {
  const auto options = object.find("stream_options");
  if (options == object.end() || options->is_null()) return false;
  if (!options->is_object()) return wrong_field("stream_options", "must be an object");
  if (!stream) return wrong_field("stream_options", "goes with stream: true");
  const auto asked = options->find("include_usage");
  if (asked == options->end() || asked->is_null()) return false;
  if (!asked->is_boolean())
    return wrong_field("stream_options.include_usage", "must be true or false");
  return asked->get<bool>();
}

/// Several choices would all be the same: nothing is drawn by lot.
Status check_one_choice(const Json& object) {
  for (const char* name : {"n", "best_of"}) {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) continue;
    if (!found->is_number_integer() || *found != 1)
      return wrong_field(name, "must be 1: a prompt has one completion here");
  }
  return {};
}

}  // namespace

Result<TaskRequest> read_task_request(std::string_view body, TaskKind kind,
                                      const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  SEQGPT_TRY(check_fields(object, task_bit(kind)));
  SEQGPT_ASSIGN(Shared shared, read_shared(object, kind, {{}, default_options(defaults)}));
  return task_of(object, kind, std::move(shared));
}

Result<BatchRequest> read_batch_request(std::string_view body, TaskKind kind,
                                        const RequestDefaults& defaults, bool single) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  const auto items = object.find("items");
  if (items == object.end()) {
    if (!single) return wrong_field("items", "is missing");
    SEQGPT_TRY(check_fields(object, task_bit(kind)));
  } else {
    if (object.contains("text")) return wrong_field("text", "stands in each item, not beside them");
    SEQGPT_TRY(check_fields(object, task_bit(kind), {"items"}));
  }
  SEQGPT_ASSIGN(Shared all, read_shared(object, kind, {{}, default_options(defaults)}));
  BatchRequest request;
  request.timeout_ms = all.options.timeout_ms;
  request.reference_time = all.options.task.reference_time;
  if (items == object.end()) {
    SEQGPT_ASSIGN(TaskRequest task, task_of(object, kind, std::move(all)));
    request.items.push_back({"", std::move(task)});
    return request;
  }
  if (!items->is_array()) return wrong_field("items", "must be a list of items");
  if (items->empty()) return wrong_field("items", "must not be empty");
  if (items->size() > kMaxBatchItems) {
    return Error{ErrorCode::kTooLarge,
                 "items has " + std::to_string(items->size()) + " entries, the limit is " +
                     std::to_string(kMaxBatchItems) + ": send several batches",
                 "items"};
  }
  for (size_t i = 0; i < items->size(); ++i)
    request.items.push_back(read_item((*items)[i], i, kind, all));
  return request;
}

Result<FreeRequest> read_free_request(std::string_view body, const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  SEQGPT_TRY(check_fields(object, kForGenerate));
  SEQGPT_ASSIGN(RequestOptions options,
                options_from_json(object, kForGenerate, default_options(defaults)));
  FreeRequest request{prompt_of(options), !options.never_degrade, options.timeout_ms};
  SEQGPT_ASSIGN(request.prompt.text, required_text(object, "text"));
  SEQGPT_TRY(check_text(request.prompt.text, kMaxRequestCharacters));
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(request.prompt.labels, labels_from_json(*labels));
  }
  return request;
}

Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  SEQGPT_ASSIGN(const std::vector<std::string> prompts, one_or_more(object, "prompt"));
  if (prompts.empty()) return wrong_field("prompt", "must be a string, or a list of them");
  if (prompts.size() > kMaxPrompts)
    return wrong_field("prompt", "has more than " + std::to_string(kMaxPrompts) + " entries");
  CompletionRequest request;
  SEQGPT_ASSIGN(request.stream, flag(object, "stream"));
  SEQGPT_ASSIGN(request.counts_tokens, asks_for_usage(object, request.stream));
  SEQGPT_TRY(check_one_choice(object));
  FreeRequest one;
  one.timeout_ms = defaults.timeout_ms;
  SEQGPT_ASSIGN(const int64_t count,
                whole_number(object, "max_tokens", kCompletionTokens, 1, kMaxNewTokens));
  one.prompt.max_new_tokens = static_cast<int>(count);
  SEQGPT_ASSIGN(one.prompt.stop, one_or_more(object, "stop"));
  for (const std::string& prompt : prompts) {
    if (const Status good = check_text(prompt, kMaxRequestCharacters); !good.ok()) {
      Error error = good.error();
      error.param = "prompt";
      if (prompt.empty()) error.message = "prompt is empty";
      return error;
    }
    one.prompt.text = prompt;
    request.prompts.push_back(one);
  }
  return request;
}

}  // namespace seqgpt
