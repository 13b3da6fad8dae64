// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a pytorch_model.bin.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fuzz/check_table.h"
#include "weights/torch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const auto table = seqgpt::parse_torch_file(file, "fuzz");
  if (table.ok()) seqgpt::check_table(*table, file);
  return 0;
}
