// SPDX-License-Identifier: Apache-2.0
// inspect: a model directory in numbers: shape, types, sizes, tokenizer facts, and whether the
// files are whole.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace seqgpt {

struct Inspection {
  std::string text;   // for people
  std::string json;   // one object
  bool whole = true;  // every needed tensor is there in its shape, the tokenizer fits
};

/// Errors only when config.json cannot be read; other faults are listed in the answer as problems.
Result<Inspection> inspect_model(const std::filesystem::path& directory);

}  // namespace seqgpt
