// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a config.json.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "model/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = seqgpt::parse_config(text, "fuzz");
  if (!config.ok()) return 0;
  const auto within = [](int value, int limit) { return value >= 1 && value <= limit; };
  const bool good = within(config->layers, 1000) && within(config->heads, 1024) &&
                    within(config->hidden, 65536) && within(config->vocabulary, 10'000'000) &&
                    config->hidden % config->heads == 0 && config->layer_norm_epsilon > 0;
  if (!good) std::abort();
  (void)seqgpt::alibi_slopes(config->heads);
  return 0;
}
