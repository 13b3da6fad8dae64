// SPDX-License-Identifier: Apache-2.0
// Bloom: the network's packed weights and working memory, and the forward pass over rows of tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/config.h"
#include "model/tensor_source.h"

namespace seqgpt {

struct BloomLayer {
  std::unique_ptr<NormWeights> attention_norm;
  std::unique_ptr<PackedLinear> query_key_value;  // [H * 3 * K, D], per head q, k, v
  std::unique_ptr<PackedLinear> attention_out;    // [D, D]
  std::unique_ptr<NormWeights> ffn_norm;
  std::unique_ptr<PackedLinear> ffn_up;    // [4 D, D]
  std::unique_ptr<PackedLinear> ffn_down;  // [D, 4 D]
};

struct BloomWeights {
  std::unique_ptr<EmbeddingTable> embedding;  // [V, D]
  std::unique_ptr<NormWeights> embedding_norm;
  std::vector<BloomLayer> layers;
  std::unique_ptr<NormWeights> final_norm;
  std::unique_ptr<EmbeddingTable> output;    // [V, D], null when tied to the embedding
  std::unique_ptr<PackedLinear> class_head;  // [classes, D], null for a language model
};

/// A tensor that the network needs, by canonical name, with its shape.
struct ExpectedTensor {
  std::string name;
  Shape shape;
};
/// All of them, without packing any: for `inspect`.
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

/// What the embedding, the output projection and a class head are stored as.
constexpr DType table_type(DType weight_type) {
  return weight_type == DType::kF32 ? DType::kF32 : DType::kBf16;
}

/// Packs every tensor of `source`; shapes are checked before any memory is taken for them.
Result<BloomWeights> pack_bloom(TensorSource& source, const ModelConfig& config, Backend& backend,
                                DType weight_type);

/// Activations of one step; grows to the largest step seen, then stays.
class BloomScratch {
 public:
  Status reserve(Backend& backend, const ModelConfig& config, DType activation, int64_t rows);

  Rows hidden;   // f32 [T, D], the residual stream
  Rows normed;   // activation type [T, D]
  Rows qkv;      // f32 [T, 3 D]
  Rows context;  // activation type [T, D]
  Rows ffn;      // activation type [T, 4 D]
  Rows final;    // f32 [T, D] before a class head

 private:
  std::vector<std::unique_ptr<Buffer>> buffers_;
  int64_t capacity_ = 0;
};

/// Runs the layers: scratch.hidden holds the final hidden state before the last norm.
/// Error kNonFinite names the first layer whose output is not finite.
Status run_bloom(const BloomWeights& weights, const ModelConfig& config, Backend& backend,
                 std::span<const int32_t> tokens, std::span<const AttentionSlice> slices,
                 std::span<const float> slopes, BloomScratch& scratch);

}  // namespace seqgpt
