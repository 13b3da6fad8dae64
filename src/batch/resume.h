// SPDX-License-Identifier: Apache-2.0
// Where a batch begins: anew, after what a former run left, or not at all.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "batch/items.h"
#include "batch/state.h"

namespace seqgpt {

/// The state's place for an output file.
std::string state_path(const std::string& output);

/// How far an output has come under these settings. `state` is what stood beside it. Errors:
/// kInvalidArgument when it was begun under other settings, or there is an output without a state
/// (it would be overwritten).
Result<BatchProgress> resume_point(const std::string& output, RecordFormat format,
                                   const std::optional<BatchState>& state,
                                   const BatchSettings& settings);

}  // namespace seqgpt
