// SPDX-License-Identifier: Apache-2.0
// logits and generate: a model's raw numbers for given ids, for comparing it with a reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "tools/json_lines.h"

namespace seqgpt {

/// "last", "all" or "0,7" (negative numbers count from the end) to ascending positions of a prompt.
Result<std::vector<int>> parse_positions(std::string_view text, size_t prompt_tokens);

/// {"logits": [{"position", "values"}]}
Result<std::string> logits_answer(Engine& engine, std::vector<int32_t> ids,
                                  std::string_view positions);
/// {"ids", "positions"?: "last" | "all" | "0,7" | [0, 7]}
Result<std::string> logits_answer(Engine& engine, const JsonRequest& request);

struct GenerateArguments {
  std::vector<int32_t> ids;
  int max_new_tokens = 32;
  int beams = 1;
  float repetition_penalty = 1.0F;
  std::vector<int32_t> forced;  // not empty: log-probabilities of this continuation instead
};

/// {"sequences": [{"tokens", "score", "logprobs"?}], "stopped_by_eos"}, or {"logprobs"} of forced
/// ids.
Result<std::string> generate_answer(Engine& engine, int32_t eos_id,
                                    const GenerateArguments& arguments);
/// {"ids", "max_new_tokens"?, "beams"?, "repetition_penalty"?, "forced"?}
Result<std::string> generate_answer(Engine& engine, int32_t eos_id, const JsonRequest& request);

}  // namespace seqgpt
