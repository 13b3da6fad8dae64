// SPDX-License-Identifier: Apache-2.0
// Model: a BLOOM network's weights packed for one backend, and its forward pass over a Step.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/config.h"
#include "model/step.h"
#include "weights/checkpoint.h"

namespace seqgpt {

struct ModelOptions {
  /// f32, bf16, int8 or int4; default: as packed by `seqgpt quantize` (nothing else goes then),
  /// else bf16 under bf16 compute, else as stored (f16: f32). Under int8 and int4 the embedding,
  /// the output projection and a class head are bf16, norms f32.
  std::optional<DType> weights;
  ComputeType compute = ComputeType::kF32;
  /// Keys and values: f32, bf16, int8 or int4; default: as `compute`.
  std::optional<DType> kv = {};
  /// Those of long prompts (EngineOptions::long_prompt_tokens); default: as `kv`.
  std::optional<DType> long_kv = {};
};

/// Thread contract: as its backend's, one caller at a time. The backend must outlive the model.
class Model {
 public:
  /// Opens config.json and the weights of `directory`, checks every shape, packs tensor by tensor.
  static Result<std::unique_ptr<Model>> load(const std::filesystem::path& directory,
                                             Backend& backend, const ModelOptions& options);
  /// The given shape filled with reproducible random weights, for benches and tests.
  static Result<std::unique_ptr<Model>> random(const ModelConfig& config, Backend& backend,
                                               const ModelOptions& options, uint64_t seed);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const;
  const ModelOptions& options() const;
  Backend& backend() const;
  KvShape kv_shape() const;
  KvShape long_kv_shape() const;
  /// "bf16"; "bf16/int8" where those of long prompts differ.
  std::string kv_name() const;
  /// Numbers that forward() gives for a row without ids: V, or the number of classes.
  int output_width() const;
  /// The layers' matrices by name, for `seqgpt quantize`.
  struct NamedLinear {
    std::string name;  // "h.0.mlp.dense_h_to_4h.weight"
    const PackedLinear* linear = nullptr;
  };
  std::vector<NamedLinear> linears() const;
  /// Bytes of weights as stored (packed and mapped), what a decode step streams.
  size_t weight_bytes() const;
  /// Bytes of weights that a step reads besides the output projection's rows.
  size_t layer_bytes() const;

  /// Runs the step: writes the slices' keys and values, fills outputs[].values.
  /// Errors: kInvalidArgument for a token id outside the vocabulary (nothing is written then);
  /// kNonFinite naming the layer when the hidden state is not finite.
  Status forward(Step& step);

  struct Impl;

 private:
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
