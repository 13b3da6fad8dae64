// SPDX-License-Identifier: Apache-2.0
// Bodies that only the server writes: errors with a trace id, batches, events, OpenAI's shape.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/body.h"

namespace seqgpt {

/// The contract's word for an error of this kind: "invalid_request".
std::string_view error_type(ErrorCode code);

/// {"error": {"code": status, "type", "message", "param"?, "trace_id"?}}
std::string http_error_body(int status, std::string_view type, const Error& error,
                            std::string_view trace_id);

/// An answer, or an error, as an element of a batch. `id` is JSON text, empty when there is none.
std::string item_body(std::string_view id, const Answer& answer, std::string_view text,
                      const AnswerOptions& options, const BodyContext& context);
std::string item_error_body(std::string_view id, int status, std::string_view type,
                            const Error& error);
/// `items` are JSON texts.
std::string batch_body(const std::vector<std::string>& items, const BodyContext& context);

// Data of server-sent events.
std::string stage_event(std::string_view name, double ms);
/// A stage under way: `done` of `total` windows.
std::string stage_event(std::string_view name, double ms, size_t done, size_t total);
/// The values of one label, as `result` has them with values: list.
std::string field_event(const Answer& answer, size_t label, std::string_view text,
                        const AnswerOptions& options);
std::string text_event(std::string_view text);
/// One event; `data` has no line feed.
std::string server_sent_event(std::string_view event, std::string_view data);

struct Completion {
  std::string id;
  std::string model;
  int64_t created = 0;         // Unix seconds
  bool counts_tokens = false;  // a stream ends with completion_usage(), and its chunks say so
};
std::string completion_body(const Completion& completion, const std::vector<FreeAnswer>& choices);
/// A piece of a streamed completion; `last` has the reason of the end and no text.
std::string completion_chunk(const Completion& completion, size_t choice, std::string_view text,
                             std::string_view finish_reason);
/// The chunk without choices that tells of all tokens.
std::string completion_usage(const Completion& completion, const std::vector<FreeAnswer>& choices);

}  // namespace seqgpt
