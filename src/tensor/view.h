// SPDX-License-Identifier: Apache-2.0
// TensorView: a typed, shaped, unowned look at memory, as a checkpoint stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace seqgpt {

/// Dimensions, outermost first; row-major and contiguous. An empty shape is a scalar.
using Shape = std::vector<int64_t>;

inline int64_t shape_elements(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

inline std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// Memory that somebody else owns. No alignment is promised: read through load_element or memcpy.
struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  std::span<const std::byte> bytes;

  int64_t elements() const { return shape_elements(shape); }
};

}  // namespace seqgpt
