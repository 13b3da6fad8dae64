// SPDX-License-Identifier: Apache-2.0
// parse_torch_file: a pytorch_model.bin (zip with a pickle and storages), from memory.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "weights/tensor_table.h"

namespace seqgpt {

/// Checks the CRC of each entry it uses, which reads the file once; `read` is told of each part
/// that has been read, so that its pages can be dropped. The old non-zip format is refused, with
/// the way to convert it. Views point into `file`; `name` is for messages.
Result<TensorTable> parse_torch_file(
    std::span<const std::byte> file, std::string_view name,
    const std::function<void(std::span<const std::byte>)>& read = {});

}  // namespace seqgpt
