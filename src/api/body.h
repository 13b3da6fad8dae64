// SPDX-License-Identifier: Apache-2.0
// The JSON bodies of the contract: answers and errors. JSON itself stays inside src/api's .cc
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "base/result.h"
#include "pipeline/answer.h"

namespace seqgpt {

/// What stands around an answer. Times and trace ids are left out of batch lines, so that two runs
/// give the same bytes.
struct BodyContext {
  std::string model;
  std::string fingerprint;
  std::optional<std::string> trace_id = {};
  std::optional<double> latency_ms = {};
  std::vector<std::string> dropped = {};  // optional work that load took away
};

/// The 200 body of an extraction or classification. indent < 0: one line.
std::string answer_body(const Answer& answer, std::string_view text, const AnswerOptions& options,
                        const BodyContext& context, int indent);
/// `text` is the prompt's own: offsets of a copied answer are its code points.
std::string free_body(const FreeAnswer& answer, std::string_view text, const BodyContext& context,
                      int indent);
/// {"error": {"code", "type", "message", "param"?}}
std::string error_body(const Error& error, int indent);

/// The HTTP status of an error.
int http_status(ErrorCode code);

}  // namespace seqgpt
