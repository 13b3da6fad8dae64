// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the data.pkl of a torch file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "weights/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto dict = seqgpt::parse_state_dict(std::as_bytes(std::span(data, size)), "fuzz");
  if (!dict.ok()) return 0;
  for (const seqgpt::PickledTensor& tensor : dict->tensors) {
    if (tensor.shape.size() != tensor.stride.size()) std::abort();
    for (const int64_t extent : tensor.shape) {
      if (extent < 0) std::abort();
    }
  }
  return 0;
}
