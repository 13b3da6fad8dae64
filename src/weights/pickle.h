// SPDX-License-Identifier: Apache-2.0
// parse_state_dict: the pickle of a torch state dict, read by a machine that cannot run anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/view.h"

namespace seqgpt {

/// A tensor as the pickle describes it. Nothing is checked against the storage's bytes yet.
struct PickledTensor {
  std::string name;               // as the file spells it
  std::string_view storage_type;  // "FloatStorage"; views point into the pickle
  std::string_view storage_key;
  uint64_t storage_elements = 0;
  uint64_t offset = 0;  // in elements
  Shape shape;          // extents >= 0
  Shape stride;         // in elements, as many as extents
};

struct StateDict {
  std::vector<PickledTensor> tensors;    // in the pickle's order
  std::vector<std::string> not_tensors;  // keys of other values
};

/// Knows the opcodes that a state dict needs (protocol 2, as torch writes it, and their newer
/// forms) and these globals: collections.OrderedDict, torch._utils._rebuild_tensor_v2 and
/// _rebuild_parameter, and torch's storage types. Everything else is refused by name. Nothing
/// recurses; stack, memo, values and names are bounded. `name` is the file's, for messages.
Result<StateDict> parse_state_dict(std::span<const std::byte> pickle, std::string_view name);

}  // namespace seqgpt
