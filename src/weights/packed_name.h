// SPDX-License-Identifier: Apache-2.0
// Names of weights that `seqgpt quantize` has packed for the kernels: type and layout stand in the
// name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace seqgpt {

/// "h.0.mlp.dense_h_to_4h.weight.int8p64": `weight` in type int8, in groups of 64 output columns.
/// Stored as bytes (safetensors dtype U8) in the layout of backend/cpu/kernels.h, whose letter the
/// p is (q in int4): files of another layout are not taken for it.
struct PackedName {
  std::string_view weight;
  DType type = DType::kI8;
  int columns = 0;
};

std::string packed_name(const PackedName& name);
/// Nothing when `name` is not of this form.
std::optional<PackedName> parse_packed_name(std::string_view name);

}  // namespace seqgpt
