// SPDX-License-Identifier: Apache-2.0
// parse_safetensors: a file of the safetensors format, from memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "weights/tensor_table.h"

namespace seqgpt {

/// Format: 8 bytes of header length, a JSON header, then the data without hole, overlap or rest
/// (https://huggingface.co/docs/safetensors). `name` is the file's, for messages. Views point into
/// `file`.
Result<TensorTable> parse_safetensors(std::span<const std::byte> file, std::string_view name);

}  // namespace seqgpt
