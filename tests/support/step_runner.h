// SPDX-License-Identifier: Apache-2.0
// StepRunner: drives Model::forward directly, without the engine: prompts side by side, in chunks.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "model/model.h"
#include "support/golden.h"

namespace seqgpt::testing_support {

/// Outputs after every position of every prompt: [prompt][position][output].
using AllOutputs = std::vector<std::vector<std::vector<float>>>;

/// Runs all prompts in the same steps, each giving up to `chunk` rows to a step; a prompt's blocks
/// are taken from the end of the memory backwards, so that their numbers differ from their order.
inline Result<AllOutputs> run_steps(Model& model, const std::vector<Ids>& prompts, int chunk) {
  size_t blocks = 0;
  for (const Ids& prompt : prompts) blocks += (prompt.size() + kKvBlockTokens - 1) / kKvBlockTokens;
  auto kv = model.backend().allocate_kv(model.kv_shape(), static_cast<int>(blocks));
  if (!kv.ok()) return std::move(kv).error();
  std::vector<std::vector<int32_t>> tables(prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    for (size_t at = 0; at < prompts[i].size(); at += kKvBlockTokens) {
      tables[i].push_back(static_cast<int32_t>(--blocks));
      (*kv)->clear(tables[i].back());
    }
  }
  AllOutputs outputs(prompts.size());
  size_t longest = 0;
  for (const Ids& prompt : prompts) longest = std::max(longest, prompt.size());
  for (size_t at = 0; at < longest; at += static_cast<size_t>(chunk)) {
    Step step;
    std::vector<size_t> owners;
    for (size_t i = 0; i < prompts.size(); ++i) {
      if (at >= prompts[i].size()) continue;
      const size_t rows = std::min(prompts[i].size() - at, static_cast<size_t>(chunk));
      const auto first_row = static_cast<int>(step.tokens.size());
      for (size_t row = 0; row < rows; ++row) {
        step.tokens.push_back(prompts[i][at + row]);
        step.outputs.push_back({first_row + static_cast<int>(row), {}, {}});
        owners.push_back(i);
      }
      step.slices.push_back(
          {first_row, static_cast<int>(rows), static_cast<int>(at), tables[i], kv->get()});
    }
    SEQGPT_TRY(model.forward(step));
    for (size_t k = 0; k < owners.size(); ++k) {
      outputs[owners[k]].push_back(std::move(step.outputs[k].values));
    }
  }
  return outputs;
}

inline std::vector<std::vector<float>> outputs_of(Model& model, const Ids& prompt,
                                                  int chunk = 512) {
  auto outputs = run_steps(model, {prompt}, chunk);
  if (!outputs.ok()) throw std::runtime_error(outputs.error().message);
  return std::move(outputs->front());
}

}  // namespace seqgpt::testing_support
