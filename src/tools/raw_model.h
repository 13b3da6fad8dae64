// SPDX-License-Identifier: Apache-2.0
// RawModel: a model with an engine and no tokenizer, for commands that speak in token ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "backend/backend.h"
#include "base/result.h"
#include "engine/engine.h"
#include "model/model.h"

namespace seqgpt {

/// Move-only. The backend must outlive it.
class RawModel {
 public:
  static Result<RawModel> load(Backend& backend, const std::filesystem::path& directory,
                               const ModelOptions& options);

  Engine& engine() const { return *engine_; }
  int32_t eos_id() const { return model_->config().eos_id; }

 private:
  std::unique_ptr<Model> model_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace seqgpt
