// SPDX-License-Identifier: Apache-2.0
// BLOOM's forward pass, as the paper has it (Le Scao et al. 2022, arXiv 2211.05100; HF
// modeling_bloom.py).
#include "model/bloom.h"

#include <string>

namespace seqgpt {
namespace {

Status check_finite(Backend& backend, Rows rows, const std::string& where) {
  if (backend.all_finite(rows)) return {};
  return Error{ErrorCode::kNonFinite,
               "the network's output is not finite (NaN or infinity) after " + where +
                   ": the weights are damaged or overflow in this arithmetic"};
}

}  // namespace

Status run_bloom(const BloomWeights& weights, const ModelConfig& config, Backend& backend,
                 std::span<const int32_t> tokens, std::span<const AttentionSlice> slices,
                 std::span<const float> slopes, BloomScratch& scratch) {
  const float epsilon = config.layer_norm_epsilon;
  const Rows x = scratch.hidden;
  // A layer reads its input normalised; the residual it adds to is the input itself, or the
  // normalised one.
  const auto normalise = [&](const NormWeights& norm) {
    backend.layer_norm(x, norm, epsilon, scratch.normed);
    if (config.residual_after_norm) backend.layer_norm(x, norm, epsilon, x);
  };

  backend.embed(tokens, *weights.embedding, x);
  backend.layer_norm(x, *weights.embedding_norm, epsilon, x);
  SEQGPT_TRY(check_finite(backend, x, "the embedding"));
  for (int index = 0; index < config.layers; ++index) {
    const BloomLayer& layer = weights.layers[index];
    normalise(*layer.attention_norm);
    backend.linear(scratch.normed, *layer.query_key_value, scratch.qkv);
    backend.store_kv(scratch.qkv, slices, index);
    backend.attention(scratch.qkv, slices, index, slopes, scratch.context);
    backend.linear_add(scratch.context, *layer.attention_out, x);
    normalise(*layer.ffn_norm);
    backend.linear_gelu(scratch.normed, *layer.ffn_up, scratch.ffn);
    backend.linear_add(scratch.ffn, *layer.ffn_down, x);
    SEQGPT_TRY(check_finite(backend, x, "layer " + std::to_string(index)));
  }
  return {};
}

}  // namespace seqgpt
