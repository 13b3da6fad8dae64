// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a model.safetensors.index.json.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "weights/shard_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto index = seqgpt::parse_shard_index(text, "fuzz");
  if (!index.ok()) return 0;
  for (const auto& [tensor, shard] : *index) {
    if (shard.empty() || shard == ".." || shard.find('/') != std::string::npos) std::abort();
  }
  return 0;
}
