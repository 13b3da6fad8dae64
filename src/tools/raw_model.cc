// SPDX-License-Identifier: Apache-2.0
// Loading a RawModel.
#include "tools/raw_model.h"

namespace seqgpt {

Result<RawModel> RawModel::load(Backend& backend, const std::filesystem::path& directory,
                                const ModelOptions& options) {
  RawModel raw;
  SEQGPT_ASSIGN(raw.model_, Model::load(directory, backend, options));
  SEQGPT_ASSIGN(raw.engine_, Engine::create(*raw.model_, EngineOptions{}));
  return raw;
}

}  // namespace seqgpt
