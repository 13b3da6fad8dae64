// SPDX-License-Identifier: Apache-2.0
// Step: one forward pass over tokens of many sequences, as plain data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"

namespace seqgpt {

/// What is wanted of one row of the step.
struct StepOutput {
  int row = 0;
  std::span<const int32_t> ids;  // vocabulary rows wanted, in this order; empty: all; not owned
  std::vector<float>
      values;           // filled by Model::forward: ids.size() numbers, or one for each output
  bool hidden = false;  // instead: the hidden state behind the last norm, D numbers; ids is empty
};

/// Tokens of all sequences one after another: no padding. Slices cover the rows without gap, in
/// order.
struct Step {
  std::vector<int32_t> tokens;         // [T]
  std::vector<AttentionSlice> slices;  // block tables belong to the engine
  std::vector<StepOutput> outputs;
};

}  // namespace seqgpt
