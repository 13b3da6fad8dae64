// SPDX-License-Identifier: Apache-2.0
// What must hold of every table that a weight parser returns, whatever the file.
#pragma once

#include <cstdlib>

#include "weights/tensor_table.h"

namespace seqgpt {

/// Each view lies inside the file and is as long as its shape says.
inline void check_table(const TensorTable& table, std::span<const std::byte> file) {
  for (const NamedTensor& tensor : table.tensors) {
    const auto bytes = tensor.view.bytes;
    const auto elements = static_cast<uint64_t>(tensor.view.elements());
    if (bytes.size() * 8 != elements * dtype_bits(tensor.view.dtype)) std::abort();
    if (bytes.empty()) continue;
    if (bytes.data() < file.data() || bytes.data() + bytes.size() > file.data() + file.size()) {
      std::abort();
    }
  }
}

}  // namespace seqgpt
