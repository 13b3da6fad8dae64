// SPDX-License-Identifier: Apache-2.0
// Bodies of HTTP requests to tasks and prompts, strictly, by the table of options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/request_options.h"
#include "base/result.h"
#include "pipeline/answer.h"
#include "task/task.h"

namespace seqgpt {

inline constexpr size_t kMaxBatchItems = 1000;
inline constexpr size_t kMaxRequestCharacters = 1'000'000;  // of a text (kMaxTextCharacters)
inline constexpr size_t kMaxPrompts = 16;                   // of one completion request

/// What holds where a request does not say otherwise.
struct RequestDefaults {
  LabelRules rules;
  int timeout_ms = kDefaultTimeoutMs;
  int64_t now_seconds = 0;  // of the clock: the default reference time
};

struct TaskRequest {
  Task task;  // its labels are checked
  AnswerOptions answer;
  bool may_degrade = true;
  int timeout_ms = kDefaultTimeoutMs;
  bool reference_is_now = false;  // the request named no moment
};
/// Errors name the field by its path.
Result<TaskRequest> read_task_request(std::string_view body, TaskKind kind,
                                      const RequestDefaults& defaults);

struct BatchRequest {
  struct Item {
    std::string id;  // as JSON text; empty: none
    Result<TaskRequest> request = Error{};
  };
  std::vector<Item> items;
  int timeout_ms = kDefaultTimeoutMs;
  std::string reference_time;  // of all that name none
};
/// {"items": [{"id"?, "text", …}…], and fields that hold for all}; a bare task counts as one item
/// where `single` allows it. One reference time for all. A bad item becomes its own error.
Result<BatchRequest> read_batch_request(std::string_view body, TaskKind kind,
                                        const RequestDefaults& defaults, bool single);

struct FreeRequest {
  FreePrompt prompt;
  bool may_degrade = true;
  int timeout_ms = kDefaultTimeoutMs;
};
Result<FreeRequest> read_free_request(std::string_view body, const RequestDefaults& defaults);

/// OpenAI's completions: fields that are not ours are ignored.
struct CompletionRequest {
  std::vector<FreeRequest> prompts;  // one choice each
  bool stream = false;
  bool counts_tokens = false;  // stream_options.include_usage
};
Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const RequestDefaults& defaults);

}  // namespace seqgpt
