// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the data.pkl of a torch file, alone and with a few storages beside it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "fuzz/check_table.h"
#include "weights/file_builders.h"
#include "weights/pickle.h"
#include "weights/torch_file.h"

namespace {

void check_shapes(const seqgpt::StateDict& dict) {
  for (const seqgpt::PickledTensor& tensor : dict.tensors) {
    if (tensor.shape.size() != tensor.stride.size()) std::abort();
    for (const int64_t extent : tensor.shape) {
      if (extent < 0) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto pickle = std::as_bytes(std::span(data, size));
  const auto dict = seqgpt::parse_state_dict(pickle, "fuzz");
  if (!dict.ok()) return 0;
  check_shapes(*dict);
  // The right checksum lets the pickle through to where its tensors meet the storages.
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string file = seqgpt::testing::torch_file(text, {std::string(24, 'x'), "half", ""});
  const auto bytes = seqgpt::testing::as_bytes(file);
  const auto table = seqgpt::parse_torch_file(bytes, "fuzz");
  if (table.ok()) seqgpt::check_table(*table, bytes);
  return 0;
}
