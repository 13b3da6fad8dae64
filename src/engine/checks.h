// SPDX-License-Identifier: Apache-2.0
// What is wrong with a request that could never run, told before it is queued.
#pragma once

#include "engine/engine.h"

namespace seqgpt {

Status check(const GenerateRequest& request, const ModelConfig& config, int max_running);
Status check(const ScoreRequest& request, const ModelConfig& config);
Status check(const LogitsQuery& query, const ModelConfig& config);

}  // namespace seqgpt
