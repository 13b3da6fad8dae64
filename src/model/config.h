// SPDX-License-Identifier: Apache-2.0
// ModelConfig: what config.json says, checked; and which head the checkpoint carries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

enum class Head { kCausalLm, kTokenClassification, kSequenceClassification };

/// A BLOOM network's shape. Limits are checked at parsing: 1 <= layers <= 1000, 1 <= heads <= 1024,
/// heads divides hidden, hidden <= 65536, vocabulary <= 10 million.
struct ModelConfig {
  int layers = 0;
  int heads = 0;
  int hidden = 0;      // D
  int vocabulary = 0;  // V, rows of the embedding
  float layer_norm_epsilon = 1e-5F;
  bool residual_after_norm = false;  // apply_residual_connection_post_layernorm
  bool tied_embedding = true;
  int32_t eos_id = 2;
  int32_t pad_id = 3;
  Head head = Head::kCausalLm;
  std::vector<std::string> class_names;  // id2label of a classification head, by id

  int head_size() const { return hidden / heads; }
  int ffn() const { return 4 * hidden; }
};

/// Reads config.json. Takes the old names (n_embed, num_attention_heads, num_hidden_layers) too.
Result<ModelConfig> load_config(const std::filesystem::path& config_json);
Result<ModelConfig> parse_config(std::string_view json, std::string_view name);

/// ALiBi slopes by the HF rule, head counts that are no power of two included.
/// Source: Press et al. 2022, and modeling_bloom.build_alibi_tensor.
std::vector<float> alibi_slopes(int heads);

}  // namespace seqgpt
