// SPDX-License-Identifier: Apache-2.0
// Packing a BLOOM checkpoint tensor by tensor, and the working memory of its forward pass.
#include <string>

#include "model/bloom.h"

namespace seqgpt {
namespace {

/// Takes tensors from the source and hands them to the backend, naming each by its prefix.
class Packer {
 public:
  Packer(TensorSource& source, Backend& backend, DType weight_type)
      : source_(source), backend_(backend), weight_type_(weight_type) {}

  Status linear(const std::string& name, int64_t outputs, int64_t inputs,
                std::unique_ptr<PackedLinear>& packed) {
    return pack(name, outputs, inputs, true, weight_type_, packed);
  }

  Status head(const std::string& name, int64_t classes, int64_t inputs, bool has_bias,
              std::unique_ptr<PackedLinear>& packed) {
    return pack(name, classes, inputs, has_bias, table_type(weight_type_), packed);
  }

  Status norm(const std::string& name, int64_t width, std::unique_ptr<NormWeights>& packed) {
    std::vector<std::byte> gain_memory;
    SEQGPT_ASSIGN(const TensorView gain, copied(name + ".weight", width, gain_memory));
    SEQGPT_ASSIGN(const TensorView bias, source_.get(name + ".bias", {width}));
    SEQGPT_ASSIGN(packed, backend_.pack_norm(gain, bias));
    return {};
  }

  Status table(const std::string& name, int64_t rows, int64_t width,
               std::unique_ptr<EmbeddingTable>& packed) {
    SEQGPT_ASSIGN(const TensorView view, source_.get(name, {rows, width}));
    SEQGPT_ASSIGN(packed, backend_.map_embedding(view, table_type(weight_type_)));
    if (packed->bytes() > 0) source_.done(view);
    return {};
  }

 private:
  Status pack(const std::string& name, int64_t outputs, int64_t inputs, bool has_bias, DType type,
              std::unique_ptr<PackedLinear>& packed) {
    TensorView bias;
    std::vector<std::byte> bias_memory;
    if (has_bias) {
      SEQGPT_ASSIGN(bias, copied(name + ".bias", outputs, bias_memory));
    }
    const TensorView* given_bias = has_bias ? &bias : nullptr;
    const auto stored = source_.packed(name + ".weight", type, backend_.packed_columns());
    TensorView weight;
    if (!stored) {
      SEQGPT_ASSIGN(weight, source_.get(name + ".weight", {outputs, inputs}));
    }
    auto made = stored ? backend_.map_linear(*stored, {outputs, inputs}, given_bias, type)
                       : backend_.pack_linear(weight, given_bias, type);
    if (!made.ok()) return named(made.error(), name + ".weight");
    packed = std::move(made).value();
    if (!stored) source_.done(weight);
    return {};
  }

  static Error named(Error error, const std::string& tensor) {
    error.message = tensor + ": " + error.message;
    return error;
  }

  /// A small tensor in memory of its own: the source may reuse its memory for the next one.
  Result<TensorView> copied(const std::string& name, int64_t width,
                            std::vector<std::byte>& memory) {
    SEQGPT_ASSIGN(TensorView view, source_.get(name, {width}));
    memory.assign(view.bytes.begin(), view.bytes.end());
    view.bytes = memory;
    return view;
  }

  TensorSource& source_;
  Backend& backend_;
  DType weight_type_;
};

Result<BloomLayer> pack_layer(Packer& packer, const ModelConfig& config, int index) {
  const std::string prefix = "h." + std::to_string(index) + ".";
  const int64_t hidden = config.hidden;
  BloomLayer layer;
  SEQGPT_TRY(packer.norm(prefix + "input_layernorm", hidden, layer.attention_norm));
  SEQGPT_TRY(packer.linear(prefix + "self_attention.query_key_value", 3 * hidden, hidden,
                           layer.query_key_value));
  SEQGPT_TRY(packer.linear(prefix + "self_attention.dense", hidden, hidden, layer.attention_out));
  SEQGPT_TRY(packer.norm(prefix + "post_attention_layernorm", hidden, layer.ffn_norm));
  SEQGPT_TRY(packer.linear(prefix + "mlp.dense_h_to_4h", config.ffn(), hidden, layer.ffn_up));
  SEQGPT_TRY(packer.linear(prefix + "mlp.dense_4h_to_h", hidden, config.ffn(), layer.ffn_down));
  return layer;
}

Status pack_head(Packer& packer, TensorSource& source, const ModelConfig& config,
                 BloomWeights& weights) {
  const auto classes = static_cast<int64_t>(config.class_names.size());
  switch (config.head) {
    case Head::kTokenClassification:
      return packer.head("classifier", classes, config.hidden, true, weights.class_head);
    case Head::kSequenceClassification:
      return packer.head("score", classes, config.hidden, false, weights.class_head);
    case Head::kCausalLm:
      if (config.tied_embedding || !source.has("lm_head.weight")) return {};
      return packer.table("lm_head.weight", config.vocabulary, config.hidden, weights.output);
  }
  return {};
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config) {
  const int64_t d = config.hidden;
  std::vector<ExpectedTensor> expected = {{"word_embeddings.weight", {config.vocabulary, d}}};
  const auto norm = [&](const std::string& name) {
    expected.push_back({name + ".weight", {d}});
    expected.push_back({name + ".bias", {d}});
  };
  const auto linear = [&](const std::string& name, int64_t outputs, int64_t inputs) {
    expected.push_back({name + ".weight", {outputs, inputs}});
    expected.push_back({name + ".bias", {outputs}});
  };
  norm("word_embeddings_layernorm");
  for (int index = 0; index < config.layers; ++index) {
    const std::string prefix = "h." + std::to_string(index) + ".";
    norm(prefix + "input_layernorm");
    linear(prefix + "self_attention.query_key_value", 3 * d, d);
    linear(prefix + "self_attention.dense", d, d);
    norm(prefix + "post_attention_layernorm");
    linear(prefix + "mlp.dense_h_to_4h", config.ffn(), d);
    linear(prefix + "mlp.dense_4h_to_h", d, config.ffn());
  }
  norm("ln_f");
  const auto classes = static_cast<int64_t>(config.class_names.size());
  if (config.head == Head::kTokenClassification) linear("classifier", classes, d);
  if (config.head == Head::kSequenceClassification)
    expected.push_back({"score.weight", {classes, d}});
  return expected;
}

Result<BloomWeights> pack_bloom(TensorSource& source, const ModelConfig& config, Backend& backend,
                                DType weight_type) {
  Packer packer(source, backend, weight_type);
  BloomWeights weights;
  SEQGPT_TRY(
      packer.table("word_embeddings.weight", config.vocabulary, config.hidden, weights.embedding));
  SEQGPT_TRY(packer.norm("word_embeddings_layernorm", config.hidden, weights.embedding_norm));
  for (int index = 0; index < config.layers; ++index) {
    SEQGPT_ASSIGN(BloomLayer layer, pack_layer(packer, config, index));
    weights.layers.push_back(std::move(layer));
  }
  SEQGPT_TRY(packer.norm("ln_f", config.hidden, weights.final_norm));
  SEQGPT_TRY(pack_head(packer, source, config, weights));
  return weights;
}

Status BloomScratch::reserve(Backend& backend, const ModelConfig& config, DType activation,
                             int64_t rows) {
  struct Part {
    Rows* rows;
    int64_t width;
    DType dtype;
  };
  const int64_t d = config.hidden;
  const Part parts[] = {{&hidden, d, DType::kF32},        {&normed, d, activation},
                        {&qkv, 3 * d, DType::kF32},       {&context, d, activation},
                        {&ffn, config.ffn(), activation}, {&final, d, DType::kF32}};
  if (rows > capacity_) {
    buffers_.clear();
    capacity_ = 0;
    for (const Part& part : parts) {
      const size_t bytes = static_cast<size_t>(rows * part.width) * dtype_bits(part.dtype) / 8;
      SEQGPT_ASSIGN(std::unique_ptr<Buffer> buffer, backend.allocate(bytes));
      buffers_.push_back(std::move(buffer));
    }
    capacity_ = rows;
  }
  for (size_t i = 0; i < std::size(parts); ++i) {
    *parts[i].rows =
        Rows{buffers_[i]->data(), rows, parts[i].width, parts[i].width, parts[i].dtype};
  }
  return {};
}

}  // namespace seqgpt
