// SPDX-License-Identifier: Apache-2.0
// bench: how fast this machine runs a model, as shares of ceilings that the same run measures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/result.h"
#include "model/model.h"
#include "tools/bench_report.h"

namespace seqgpt {

struct BenchOptions {
  std::string shape = "seqgpt-560m";  // random weights of this shape; ignored when a model is given
  std::filesystem::path model;        // a checkpoint instead
  std::filesystem::path tokenizer;    // tokenizer.json whose speed is measured too; empty: none
  ModelOptions weights;
  std::vector<int> prefill_tokens = {128, 256, 512};
  int repeats = 5;                        // medians are reported
  std::vector<int> clients = {1, 4, 24};  // at once, each number a throughput
  double ceiling_seconds = 0.5;           // for each probe, before and after the passes
  std::optional<Ceilings> ceilings = {};  // when they are known: nothing is probed
};

/// Shapes known by name: "seqgpt-560m", "seqgpt-mini-12m".
Result<ModelConfig> shape_by_name(std::string_view name);

/// Answers are checked before they are timed: a prompt in one piece and in chunks must give equal
/// bits, a request the same answer in every setting (bench_request.h). A model with a class head
/// has no restricted rows and no requests. `backend` must come from make_cpu_backend.
Result<BenchReport> run_bench(Backend& backend, const BenchOptions& options);

}  // namespace seqgpt
