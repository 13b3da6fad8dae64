// SPDX-License-Identifier: Apache-2.0
// Answers and errors as the JSON of the contract.
#include "api/body.h"

#include <algorithm>
#include <cmath>

#include "api/body_json.h"
#include "api/http_body.h"
#include "api/normalized_json.h"
#include "api/offsets.h"

namespace seqgpt {
namespace {

struct ErrorKind {
  int status;
  const char* type;
};

ErrorKind error_kind(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return {400, "invalid_request"};
    case ErrorCode::kNotFound:
      return {404, "not_found"};
    case ErrorCode::kTooLarge:
      return {413, "too_large"};
    case ErrorCode::kUnbuildable:
      return {422, "unbuildable_constraint"};
    case ErrorCode::kBadFile:
      return {400, "bad_file"};
    case ErrorCode::kUnsupported:
      return {400, "unsupported"};
    case ErrorCode::kNonFinite:
      return {500, "non_finite"};
    case ErrorCode::kCancelled:
      return {499, "cancelled"};
    case ErrorCode::kOverloaded:
      return {503, "overloaded"};
    case ErrorCode::kIo:
      return {500, "io"};
    case ErrorCode::kInternal:
      break;
  }
  return {500, "internal"};
}

double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

Json entity_json(const Entity& entity, const Label& label, std::string_view text,
                 const Offsets& offsets) {
  const std::string_view slice =
      text.substr(entity.span.begin, entity.span.end - entity.span.begin);
  Json json = {{"label", label.name},
               {"key", label.key},
               {"text", slice},
               {"start", offsets(entity.span.begin)},
               {"end", offsets(entity.span.end)},
               {"confidence", rounded(entity.confidence, 1e4)},
               {"normalized", normalized_json(entity.normalized)}};
  if (!entity.normalized.reason.empty()) json["reason"] = entity.normalized.reason;
  return json;
}

/// What stands in `result`: the canonical value, or the words where there is no such thing. A typed
/// value that has none is null: a string never stands for a number.
Json flat_value(const Entity& entity, std::string_view text) {
  if (entity.normalized.has_value()) return flat_json(entity.normalized);
  if (!entity.normalized.reason.empty()) return nullptr;
  return text.substr(entity.span.begin, entity.span.end - entity.span.begin);
}

/// One value: the scalar; several: a list; none: null. As a list always, when asked so.
Json result_value(Json values, ValueShape shape) {
  if (shape == ValueShape::kList) return values;
  if (values.empty()) return nullptr;
  return values.size() == 1 ? values.front() : values;
}

/// The values of `entities` by the labels' keys.
Json result_json(const std::vector<Entity>& entities, const std::vector<Label>& labels,
                 std::string_view text, ValueShape shape) {
  std::vector<Json> values(labels.size(), Json::array());
  for (const Entity& entity : entities) {
    Json value = flat_value(entity, text);
    Json& list = values[entity.label];
    // Records need every mention; `result` says the same once.
    const bool said = std::ranges::find(list, value) != list.end();
    if (said && labels[entity.label].mentions != Mentions::kAll) continue;
    list.push_back(std::move(value));
  }
  Json result = Json::object();
  for (size_t i = 0; i < values.size(); ++i)
    result[labels[i].key] = result_value(std::move(values[i]), shape);
  return result;
}

void add_extraction(Json& body, const Answer& answer, std::string_view text,
                    const AnswerOptions& options) {
  body["result"] = result_json(answer.entities, answer.labels, text, options.values);
  if (answer.records) {
    Json records = Json::array();
    for (const std::vector<Entity>& record : *answer.records)
      records.push_back(result_json(record, answer.labels, text, options.values));
    body["records"] = std::move(records);
  }
  Json entities = Json::array();
  const Offsets offsets(text, options.offsets);
  for (const Entity& entity : answer.entities)
    entities.push_back(entity_json(entity, answer.labels[entity.label], text, offsets));
  body["entities"] = std::move(entities);
}

void add_classification(Json& body, const Answer& answer) {
  if (answer.chosen) {
    body["result"] = Json::array();
    for (const size_t label : *answer.chosen) body["result"].push_back(answer.labels[label].key);
  } else {
    body["result"] = answer.labels[answer.classes.front().label].key;
  }
  Json labels = Json::array();
  for (const ClassScore& score : answer.classes) {
    labels.push_back({{"label", answer.labels[score.label].name},
                      {"probability", rounded(score.probability, 1e6)}});
  }
  body["labels"] = std::move(labels);
}

/// A warning for each piece of optional work that load took away.
Json dropped_json(const std::vector<std::string>& dropped) {
  Json warnings = Json::array();
  for (const std::string& name : dropped) {
    warnings.push_back({{"code", "degraded"},
                        {"message", "the server is under load and left out: " + name},
                        {"param", name}});
  }
  return warnings;
}

Json opening(const BodyContext& context) {
  Json body = {{"success", true}};
  if (context.trace_id) body["trace_id"] = *context.trace_id;
  body["model"] = context.model;
  body["fingerprint"] = context.fingerprint;
  if (context.latency_ms) body["latency_ms"] = rounded(*context.latency_ms, 10);
  return body;
}

}  // namespace

int http_status(ErrorCode code) {
  return error_kind(code).status;
}

std::string_view error_type(ErrorCode code) {
  return error_kind(code).type;
}

Json answer_json(const Answer& answer, std::string_view text, const AnswerOptions& options,
                 const BodyContext& context) {
  Json body = opening(context);
  if (!answer.reference_time.empty()) body["reference_time"] = answer.reference_time;
  if (answer.kind == TaskKind::kExtract) {
    add_extraction(body, answer, text, options);
  } else {
    add_classification(body, answer);
  }
  body["coverage"] = rounded(answer.coverage, 1e6);
  body["truncated"] = answer.truncated;
  body["degraded"] = !context.dropped.empty();
  Json warnings = dropped_json(context.dropped);
  for (const Warning& warning : answer.warnings) {
    Json item = {{"code", warning.code}, {"message", warning.message}};
    if (!warning.param.empty()) item["param"] = warning.param;
    warnings.push_back(std::move(item));
  }
  body["warnings"] = std::move(warnings);
  return body;
}

Json error_json(const Error& error) {
  const ErrorKind kind = error_kind(error.code);
  Json inner = {{"code", kind.status}, {"type", kind.type}, {"message", error.message}};
  if (!error.param.empty()) inner["param"] = error.param;
  return {{"error", std::move(inner)}};
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string answer_body(const Answer& answer, std::string_view text, const AnswerOptions& options,
                        const BodyContext& context, int indent) {
  return dump_json(answer_json(answer, text, options, context), indent);
}

std::string free_body(const FreeAnswer& answer, std::string_view text, const BodyContext& context,
                      int indent) {
  Json body = opening(context);
  body["text"] = answer.text;
  if (answer.span) {
    const Offsets offsets(text, OffsetUnit::kCodepoint);
    body["start"] = offsets(answer.span->begin);
    body["end"] = offsets(answer.span->end);
  }
  body["finish_reason"] = answer.stopped ? "stop" : "length";
  body["usage"] = {{"prompt_tokens", answer.prompt_tokens},
                   {"completion_tokens", answer.completion_tokens}};
  if (!context.dropped.empty()) {
    body["degraded"] = true;
    body["warnings"] = dropped_json(context.dropped);
  }
  return dump_json(body, indent);
}

std::string error_body(const Error& error, int indent) {
  return dump_json(error_json(error), indent);
}

}  // namespace seqgpt
