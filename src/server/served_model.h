// SPDX-License-Identifier: Apache-2.0
// ServedModel: a loaded model as the service sees it; the composition root makes one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/answerer.h"

namespace seqgpt {

/// Counters of the engine, for /metrics.
struct ModelFigures {
  uint64_t steps = 0;
  uint64_t prompt_tokens = 0;
  uint64_t decoded_tokens = 0;
  uint64_t forced_tokens = 0;
  uint64_t scored_tokens = 0;
  int running_sequences = 0;
  int waiting_sequences = 0;
  int kv_blocks_used = 0;
  int kv_blocks_total = 0;
  size_t kv_bytes_used = 0;  // of those blocks, as stored
  size_t kv_bytes_total = 0;
  uint64_t drafted_tokens = 0;   // guesses put before the model
  uint64_t accepted_tokens = 0;  // those that it chose
};

/// What /health and /info say of a model.
struct ModelFacts {
  std::string name = {};
  std::string fingerprint = {};
  std::string device = {};  // "cpu/avx512bf16"
  int threads = 0;
  uint64_t weight_bytes = 0;
  int vocabulary = 0;
  int layers = 0;
  std::string kv = {};  // type of keys and values: "bf16", "bf16/int8" (of long prompts)
};

/// Thread contract: made, used and destroyed by the service's one engine thread.
class ServedModel {
 public:
  virtual ~ServedModel() = default;
  virtual LiveAnswerer& answerer() = 0;
  virtual ModelFigures figures() const = 0;
  virtual ModelFacts facts() const = 0;
};

}  // namespace seqgpt
