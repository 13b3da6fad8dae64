// SPDX-License-Identifier: Apache-2.0
// The fingerprint: a short hash of everything that may change an answer's bits.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "model/model.h"

namespace seqgpt {

/// 16 hex digits over the bytes of config.json, tokenizer.json, calibration.json, label_map.json
/// and the weight files, the weight,
/// compute and KV types, the backend's name (instruction set) and the program's version. Equal
/// fingerprint, text and options: equal bits.
Result<std::string> model_fingerprint(const std::filesystem::path& directory, const Model& model);

}  // namespace seqgpt
