// SPDX-License-Identifier: Apache-2.0
// Writing the server's own bodies.
#include "api/http_body.h"

#include <cmath>

#include "api/body_json.h"

namespace seqgpt {
namespace {

Json error_object(int status, std::string_view type, const Error& error) {
  Json inner = {{"code", status}, {"type", type}, {"message", error.message}};
  if (!error.param.empty()) inner["param"] = error.param;
  return inner;
}

Json with_id(std::string_view id) {
  Json object = Json::object();
  if (!id.empty()) object["id"] = Json::parse(id, nullptr, false);
  return object;
}

std::string finish_reason_of(const FreeAnswer& answer) {
  return answer.stopped ? "stop" : "length";
}

}  // namespace

std::string http_error_body(int status, std::string_view type, const Error& error,
                            std::string_view trace_id) {
  Json inner = error_object(status, type, error);
  if (!trace_id.empty()) inner["trace_id"] = trace_id;
  return dump_json({{"error", std::move(inner)}}, -1);
}

std::string item_body(std::string_view id, const Answer& answer, std::string_view text,
                      const AnswerOptions& options, const BodyContext& context) {
  Json item = with_id(id);
  item.update(answer_json(answer, text, options, context));
  return dump_json(item, -1);
}

std::string item_error_body(std::string_view id, int status, std::string_view type,
                            const Error& error) {
  Json item = with_id(id);
  item["error"] = error_object(status, type, error);
  return dump_json(item, -1);
}

std::string batch_body(const std::vector<std::string>& items, const BodyContext& context) {
  Json head = {{"success", true}};
  if (context.trace_id) head["trace_id"] = *context.trace_id;
  head["model"] = context.model;
  head["fingerprint"] = context.fingerprint;
  if (context.latency_ms) head["latency_ms"] = std::round(*context.latency_ms * 10) / 10;
  std::string body = dump_json(head, -1);
  body.back() = ',';
  body += "\"results\":[";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) body += ',';
    body += items[i];
  }
  return body + "]}";
}

std::string stage_event(std::string_view name, double ms) {
  return dump_json({{"name", name}, {"ms", ms}}, -1);
}

std::string stage_event(std::string_view name, double ms, size_t done, size_t total) {
  return dump_json({{"name", name}, {"ms", ms}, {"done", done}, {"total", total}}, -1);
}

std::string field_event(const Answer& answer, size_t label, std::string_view text,
                        const AnswerOptions& options) {
  Answer one;
  one.labels = {answer.labels[label]};
  for (const Entity& entity : answer.entities) {
    if (entity.label != label) continue;
    one.entities.push_back(entity);
    one.entities.back().label = 0;
  }
  AnswerOptions lists = options;
  lists.values = ValueShape::kList;
  const Json body = answer_json(one, text, lists, {});
  return dump_json({{"label", one.labels[0].name}, {"values", body["result"][one.labels[0].key]}},
                   -1);
}

std::string text_event(std::string_view text) {
  return dump_json({{"text", text}}, -1);
}

std::string server_sent_event(std::string_view event, std::string_view data) {
  std::string out;
  if (!event.empty()) out.append("event: ").append(event).append("\n");
  return out.append("data: ").append(data).append("\n\n");
}

namespace {

Json completion_json(const Completion& completion, Json choices) {
  return {{"id", completion.id},
          {"object", "text_completion"},
          {"created", completion.created},
          {"model", completion.model},
          {"choices", std::move(choices)}};
}

Json usage_json(const std::vector<FreeAnswer>& choices) {
  int prompt_tokens = 0;
  int completion_tokens = 0;
  for (const FreeAnswer& choice : choices) {
    prompt_tokens += choice.prompt_tokens;
    completion_tokens += choice.completion_tokens;
  }
  return {{"prompt_tokens", prompt_tokens},
          {"completion_tokens", completion_tokens},
          {"total_tokens", prompt_tokens + completion_tokens}};
}

}  // namespace

std::string completion_body(const Completion& completion, const std::vector<FreeAnswer>& choices) {
  Json list = Json::array();
  for (size_t i = 0; i < choices.size(); ++i) {
    list.push_back({{"text", choices[i].text},
                    {"index", i},
                    {"logprobs", nullptr},
                    {"finish_reason", finish_reason_of(choices[i])}});
  }
  Json body = completion_json(completion, std::move(list));
  body["usage"] = usage_json(choices);
  return dump_json(body, -1);
}

std::string completion_chunk(const Completion& completion, size_t choice, std::string_view text,
                             std::string_view finish_reason) {
  Json one = {{"text", text}, {"index", choice}, {"logprobs", nullptr}};
  one["finish_reason"] = finish_reason.empty() ? Json(nullptr) : Json(finish_reason);
  Json body = completion_json(completion, Json::array({std::move(one)}));
  if (completion.counts_tokens) body["usage"] = nullptr;
  return dump_json(body, -1);
}

std::string completion_usage(const Completion& completion, const std::vector<FreeAnswer>& choices) {
  Json body = completion_json(completion, Json::array());
  body["usage"] = usage_json(choices);
  return dump_json(body, -1);
}

}  // namespace seqgpt
