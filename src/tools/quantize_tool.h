// SPDX-License-Identifier: Apache-2.0
// quantize: a checkpoint packed for this machine's kernels, so that loading is mapping.
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "base/result.h"

namespace seqgpt {

/// Makes the directory `out`, which must not be there yet, from the checkpoint in `directory`: a
/// model.safetensors whose layer matrices stand in the kernels' layout (weights/packed_name.h), all
/// else as it was (tables as bf16), and copies of the small files (config, tokenizer, calibration).
/// `type` is bf16, int8 or int4. It is finished or not there: a part lies under `out`.part and is
/// removed. Gives a sentence for people. Answers are bit for bit those of quantising at load.
Result<std::string> quantize_model(const std::filesystem::path& directory, Backend& backend,
                                   DType type, const std::filesystem::path& out);

}  // namespace seqgpt
