// SPDX-License-Identifier: Apache-2.0
// The checks at submission: ids in the vocabulary, numbers within their limits.
#include "engine/checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/beam.h"

namespace seqgpt {
namespace {

/// Positions are counted in int: prompt and output together stay far below its limit.
constexpr size_t kMaxTokens = 1 << 28;

Error invalid(std::string message, std::string param) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(param)};
}

Status check_ids(const std::vector<int32_t>& ids, const ModelConfig& config,
                 const std::string& param) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < config.vocabulary) continue;
    return invalid(param + "[" + std::to_string(i) + "] is token " + std::to_string(ids[i]) +
                       ", the model knows 0 to " + std::to_string(config.vocabulary - 1),
                   param);
  }
  return {};
}

Status check_prompt(const std::vector<int32_t>& prompt, const ModelConfig& config) {
  if (prompt.empty()) return invalid("the prompt is empty, it needs at least one token", "prompt");
  if (prompt.size() > kMaxTokens) {
    return Error{ErrorCode::kTooLarge, "the prompt has more than 2^28 tokens", "prompt"};
  }
  return check_ids(prompt, config, "prompt");
}

Status check_generative(const ModelConfig& config) {
  if (config.head == Head::kCausalLm) return {};
  return Error{ErrorCode::kUnsupported,
               "this model classifies, it has no head that generates tokens"};
}

Status check_beams(const GenerateRequest& request, const ModelConfig& config, int max_running) {
  if (request.beams < 1)
    return invalid("beams is " + std::to_string(request.beams) + ", at least 1", "beams");
  if (request.beams > max_running) {
    return invalid("beams is " + std::to_string(request.beams) + ", this engine runs at most " +
                       std::to_string(max_running) + " sequences",
                   "beams");
  }
  if (request.beams == 1) return {};
  if (request.stop) return invalid("stop works with one beam only", "stop");
  if (!request.constraint && BeamWork::candidates_of(request) > config.vocabulary) {
    return invalid("beams is " + std::to_string(request.beams) + ", too many for a vocabulary of " +
                       std::to_string(config.vocabulary) + " tokens",
                   "beams");
  }
  return {};
}

Status check_constraint(const GenerateRequest& request) {
  if (!request.constraint) return {};
  if (request.repetition_penalty != 1.0F) {
    return invalid("a constrained generation takes no repetition penalty", "repetition_penalty");
  }
  if (request.stop) return invalid("stop works without a constraint only", "stop");
  return {};
}

Status check_competitors(const std::vector<int32_t>& ids, int32_t token,
                         const ModelConfig& config) {
  const std::string param = "continuations";
  SEQGPT_TRY(check_ids(ids, config, param));
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) {
    return invalid("ids_allowed of a continuation must ascend", param);
  }
  if (!std::binary_search(ids.begin(), ids.end(), token)) {
    return invalid("ids_allowed lacks the continuation's own token " + std::to_string(token),
                   param);
  }
  return {};
}

Status check_continuation(const ScoreRequest::Continuation& continuation,
                          const ModelConfig& config) {
  const std::string param = "continuations";
  SEQGPT_TRY(check_ids(continuation.tokens, config, param));
  if (continuation.tokens.size() > kMaxTokens) {
    return Error{ErrorCode::kTooLarge, "a continuation has more than 2^28 tokens", param};
  }
  if (continuation.ids_allowed.empty()) return {};
  if (continuation.ids_allowed.size() != continuation.tokens.size()) {
    return invalid("a continuation of " + std::to_string(continuation.tokens.size()) +
                       " tokens has " + std::to_string(continuation.ids_allowed.size()) +
                       " lists of ids_allowed",
                   param);
  }
  for (size_t i = 0; i < continuation.tokens.size(); ++i) {
    SEQGPT_TRY(check_competitors(continuation.ids_allowed[i], continuation.tokens[i], config));
  }
  return {};
}

}  // namespace

Status check(const GenerateRequest& request, const ModelConfig& config, int max_running) {
  SEQGPT_TRY(check_generative(config));
  SEQGPT_TRY(check_prompt(request.prompt, config));
  SEQGPT_TRY(check_ids(request.eos, config, "eos"));
  if (request.max_new_tokens < 1 || static_cast<size_t>(request.max_new_tokens) > kMaxTokens) {
    return invalid(
        "max_new_tokens is " + std::to_string(request.max_new_tokens) + ", it must be 1 to 2^28",
        "max_new_tokens");
  }
  if (!std::isfinite(request.repetition_penalty) || request.repetition_penalty <= 0) {
    return invalid("repetition_penalty must be a number above 0", "repetition_penalty");
  }
  SEQGPT_TRY(check_constraint(request));
  return check_beams(request, config, max_running);
}

Status check(const ScoreRequest& request, const ModelConfig& config) {
  SEQGPT_TRY(check_generative(config));
  SEQGPT_TRY(check_prompt(request.prompt, config));
  if (request.continuations.empty())
    return invalid("there is no continuation to score", "continuations");
  for (const auto& continuation : request.continuations)
    SEQGPT_TRY(check_continuation(continuation, config));
  return {};
}

Status check(const LogitsQuery& query, const ModelConfig& config) {
  if (query.hidden) SEQGPT_TRY(check_generative(config));
  SEQGPT_TRY(check_prompt(query.prompt, config));
  const auto& positions = query.positions;
  if (positions.empty()) return invalid("no position is asked", "positions");
  if (std::adjacent_find(positions.begin(), positions.end(), std::greater_equal<>()) !=
      positions.end()) {
    return invalid("positions must ascend", "positions");
  }
  if (positions.front() < 0 || positions.back() >= static_cast<int>(query.prompt.size())) {
    return invalid(
        "positions must lie in the prompt, 0 to " + std::to_string(query.prompt.size() - 1),
        "positions");
  }
  return {};
}

}  // namespace seqgpt
