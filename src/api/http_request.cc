// SPDX-License-Identifier: Apache-2.0
// Reading request bodies.
#include "api/http_request.h"

#include <algorithm>

#include "api/json_fields.h"
#include "api/request_json.h"
#include "normalize/reference_time.h"

namespace seqgpt {
namespace {

unsigned kind_bit(TaskKind kind) {
  return kind == TaskKind::kExtract ? kExtractRequest : kClassifyRequest;
}

const RequestField* find_field(std::string_view name, unsigned kind) {
  for (const RequestField& field : request_fields()) {
    if (field.name == name && (field.kinds & kind) != 0) return &field;
  }
  return nullptr;
}

std::string known_names(unsigned kind) {
  std::string names;
  for (const RequestField& field : request_fields()) {
    if ((field.kinds & kind) != 0) names.append(names.empty() ? "" : ", ").append(field.name);
  }
  return names;
}

/// Refuses fields of other kinds of request, but those in `more`.
Status check_fields(const Json& object, unsigned kind,
                    std::initializer_list<std::string_view> more = {}) {
  for (const auto& [key, value] : object.items()) {
    if (find_field(key, kind) || std::ranges::find(more, key) != more.end()) continue;
    return wrong_field(key, "is not a field here (" + known_names(kind) + ")");
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

Result<int> timeout_of(const Json& object, int otherwise) {
  SEQGPT_ASSIGN(const int64_t timeout,
                whole_number(object, "timeout_ms", otherwise, 1, kMaxTimeoutMs));
  return static_cast<int>(timeout);
}

Result<bool> may_degrade(const Json& object, bool otherwise) {
  SEQGPT_ASSIGN(const std::string degrade, string_field(object, "degrade", ""));
  if (degrade.empty()) return otherwise;
  if (degrade == "allow" || degrade == "never") return degrade == "allow";
  return wrong_field("degrade", "must be allow or never, not \"" + degrade + "\"");
}

/// What a request says beside its text, over what held before.
struct Shared {
  std::vector<Label> labels;  // as written
  LabelRules rules;
  TaskOptions options;
  AnswerOptions answer;
  bool reference_is_now = true;
  bool may_degrade = true;
  int timeout_ms = 30'000;
};

Result<Shared> read_shared(const Json& object, Shared before) {
  Shared shared = std::move(before);
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(shared.labels, labels_from_json(*labels));
  }
  SEQGPT_ASSIGN(shared.rules, label_rules_from_json(object, shared.rules));
  SEQGPT_ASSIGN(shared.options, task_options_from_json(object, shared.options));
  SEQGPT_ASSIGN(shared.answer, answer_options_from_json(object, shared.answer));
  SEQGPT_ASSIGN(shared.may_degrade, may_degrade(object, shared.may_degrade));
  SEQGPT_ASSIGN(shared.timeout_ms, timeout_of(object, shared.timeout_ms));
  const auto moment = object.find("reference_time");
  if (moment != object.end() && moment->is_string()) shared.reference_is_now = false;
  return shared;
}

Shared shared_defaults(const RequestDefaults& defaults) {
  Shared shared;
  shared.rules = defaults.rules;
  shared.timeout_ms = defaults.timeout_ms;
  shared.options.reference_time = ReferenceTime::at(defaults.now_seconds).text();
  return shared;
}

Result<TaskRequest> task_of(const Json& object, TaskKind kind, Shared shared) {
  TaskRequest request;
  request.task.kind = kind;
  SEQGPT_ASSIGN(request.task.text, required_text(object, "text"));
  SEQGPT_TRY(check_text(request.task.text, kMaxRequestCharacters));
  request.task.labels = std::move(shared.labels);
  if (!request.task.labels.empty()) {
    SEQGPT_ASSIGN(request.task.labels, check_labels(std::move(request.task.labels), shared.rules));
  }
  request.task.options = std::move(shared.options);
  request.answer = shared.answer;
  request.may_degrade = shared.may_degrade;
  request.timeout_ms = shared.timeout_ms;
  request.reference_is_now = shared.reference_is_now;
  return request;
}

Result<TaskRequest> item_task(const Json& item, TaskKind kind, const Shared& all) {
  if (!item.is_object()) return Error{ErrorCode::kInvalidArgument, "an item must be an object"};
  SEQGPT_TRY(check_fields(item, kind_bit(kind), {"id"}));
  SEQGPT_ASSIGN(Shared shared, read_shared(item, all));
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

Result<FreeRequest> free_of(const Json& object, const char* text, const char* tokens, int most,
                            const RequestDefaults& defaults) {
  FreeRequest request;
  FreePrompt& prompt = request.prompt;
  SEQGPT_ASSIGN(prompt.text, required_text(object, text));
  SEQGPT_TRY(check_text(prompt.text, kMaxRequestCharacters));
  SEQGPT_ASSIGN(const int64_t count, whole_number(object, tokens, most, 1, kMaxNewTokens));
  prompt.max_new_tokens = static_cast<int>(count);
  SEQGPT_ASSIGN(prompt.stop, one_or_more(object, "stop"));
  SEQGPT_ASSIGN(request.timeout_ms, timeout_of(object, defaults.timeout_ms));
  return request;
}

Result<float> penalty_of(const Json& object) {
  const auto found = object.find("repetition_penalty");
  if (found == object.end() || found->is_null()) return 1.0F;
  const bool fits = found->is_number() && *found >= 0.01 && *found <= 100;
  if (!fits) return wrong_field("repetition_penalty", "must be a number from 0.01 to 100");
  return found->get<float>();
}

}  // namespace

Result<TaskRequest> read_task_request(std::string_view body, TaskKind kind,
                                      const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  SEQGPT_TRY(check_fields(object, kind_bit(kind)));
  SEQGPT_ASSIGN(Shared shared, read_shared(object, shared_defaults(defaults)));
  return task_of(object, kind, std::move(shared));
}

Result<BatchRequest> read_batch_request(std::string_view body, TaskKind kind,
                                        const RequestDefaults& defaults, bool single) {
  SEQGPT_ASSIGN(const Json object, parse_object(body));
  const auto items = object.find("items");
  if (items == object.end()) {
    if (!single) return wrong_field("items", "is missing");
    SEQGPT_TRY(check_fields(object, kind_bit(kind)));
  } else {
    if (object.contains("text")) return wrong_field("text", "stands in each item, not beside them");
    SEQGPT_TRY(check_fields(object, kind_bit(kind), {"items"}));
  }
  SEQGPT_ASSIGN(Shared all, read_shared(object, shared_defaults(defaults)));
  BatchRequest request;
  request.timeout_ms = all.timeout_ms;
  request.reference_time = all.options.reference_time;
  if (items == object.end()) {
    SEQGPT_ASSIGN(TaskRequest task, task_of(object, kind, std::move(all)));
    request.items.push_back({"", std::move(task)});
    return request;
  }
  if (!items->is_array() || items->empty()) return wrong_field("items", "must be a list of items");
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
  SEQGPT_TRY(check_fields(object, kGenerateRequest));
  SEQGPT_ASSIGN(FreeRequest request, free_of(object, "text", "max_new_tokens", 256, defaults));
  FreePrompt& prompt = request.prompt;
  SEQGPT_ASSIGN(const int64_t beams, whole_number(object, "beams", 1, 1, kMaxBeams));
  prompt.beams = static_cast<int>(beams);
  SEQGPT_ASSIGN(prompt.repetition_penalty, penalty_of(object));
  SEQGPT_ASSIGN(prompt.task_word, string_field(object, "task_word", ""));
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(prompt.labels, labels_from_json(*labels));
  }
  SEQGPT_ASSIGN(prompt.copy_only, flag(object, "copy_only"));
  SEQGPT_ASSIGN(prompt.one_of, strings_field(object, "one_of", ""));
  SEQGPT_ASSIGN(request.may_degrade, may_degrade(object, true));
  return request;
}

Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(Json object, parse_object(body));
  SEQGPT_ASSIGN(const std::vector<std::string> prompts, one_or_more(object, "prompt"));
  if (prompts.empty()) return wrong_field("prompt", "must be a string, or a list of them");
  if (prompts.size() > kMaxPrompts)
    return wrong_field("prompt", "has more than " + std::to_string(kMaxPrompts) + " entries");
  CompletionRequest request;
  SEQGPT_ASSIGN(request.stream, flag(object, "stream"));
  for (const std::string& prompt : prompts) {
    object["prompt"] = prompt;
    SEQGPT_ASSIGN(FreeRequest one, free_of(object, "prompt", "max_tokens", 16, defaults));
    request.prompts.push_back(std::move(one));
  }
  return request;
}

}  // namespace seqgpt
