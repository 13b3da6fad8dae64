// SPDX-License-Identifier: Apache-2.0
// The fields of a request, one a row; names, defaults and ranges are the contract's.
#include "api/http_request.h"

namespace seqgpt {
namespace {

constexpr unsigned kTasks = kExtractRequest | kClassifyRequest;
constexpr unsigned kAll = kTasks | kGenerateRequest;
constexpr double kMaxInt = 2147483647;

constexpr RequestField kFields[] = {
    {"text", "string", "", "", 0, 0, kAll, true,
     "The text to read; of a free prompt, the whole prompt."},
    {"labels", "array", "", "", 0, 0, kAll, false,
     "Names, or objects with name, type, alias, description, pattern, one_of, mentions."},
    {"labels_policy", "string", "open|standard", "\"open\"", 0, 0, kTasks, false,
     "standard refuses names that no known field has."},
    {"mentions", "string", "one|all", "\"one\"", 0, 0, kExtractRequest, false,
     "A value where the model meant it, or wherever it stands."},
    {"reference_time", "string", "", "", 0, 0, kTasks, false,
     "ISO 8601, or none: what relative dates are read against; default now."},
    {"timezone", "string", "", "\"Asia/Shanghai\"", 0, 0, kTasks, false,
     "Zone of times that name none: a name or an offset such as +08:00."},
    {"normalize", "boolean", "", "true", 0, 0, kTasks, false,
     "Canonical values beside the verbatim ones."},
    {"values", "string", "auto|list", "\"auto\"", 0, 0, kTasks, false,
     "A scalar for one value, or always a list."},
    {"offsets", "string", "codepoint|utf16|bytes", "\"codepoint\"", 0, 0, kTasks, false,
     "Unit of start and end."},
    {"min_confidence", "number", "", "0", 0, 1, kTasks, false, "Values below are left out."},
    {"long_text", "string", "window|truncate|reject", "\"window\"", 0, 0, kTasks, false,
     "What happens to a text longer than one window."},
    {"window_tokens", "integer", "", "512", kMinWindowTokens, kMaxWindowTokens, kTasks, false,
     "Tokens of text in one prompt."},
    {"max_chars", "integer", "", "2000", 1, kMaxInt, kTasks, false,
     "What truncate keeps at most, in characters."},
    {"record", "string", "", "", 0, 0, kExtractRequest, false,
     "A label: one record for each of its values."},
    {"verify", "boolean", "", "true", 0, 0, kExtractRequest, false,
     "Set the ends of values right by rule."},
    {"multi", "boolean", "", "false", 0, 0, kClassifyRequest, false,
     "Any number of labels, each with its own probability."},
    {"threshold", "number", "", "0.5", 0, 1, kClassifyRequest, false,
     "With multi: the probability from which a label is an answer."},
    {"max_new_tokens", "integer", "", "256", 1, kMaxNewTokens, kGenerateRequest, false,
     "Most tokens to write."},
    {"beams", "integer", "", "1", 1, kMaxBeams, kGenerateRequest, false,
     "Beams of the search; 1 is greedy."},
    {"repetition_penalty", "number", "", "1", 0.01, 100, kGenerateRequest, false,
     "Above 1 makes repeating dearer."},
    {"stop", "array", "", "[]", 0, 0, kGenerateRequest, false,
     "Strings that end the answer; they are cut off."},
    {"task_word", "string", "", "", 0, 0, kGenerateRequest, false,
     "Put SeqGPT's template around the text, with this word and the labels."},
    {"copy_only", "boolean", "", "false", 0, 0, kGenerateRequest, false,
     "The answer is a part of the text."},
    {"one_of", "array", "", "[]", 0, 0, kGenerateRequest, false,
     "The answer is the most probable of these."},
    {"degrade", "string", "allow|never", "\"allow\"", 0, 0, kAll, false,
     "Whether load may take optional work away."},
    {"timeout_ms", "integer", "", "30000", 1, kMaxTimeoutMs, kAll, false,
     "After that the answer is 504."},
};

}  // namespace

std::span<const RequestField> request_fields() {
  return kFields;
}

}  // namespace seqgpt
