// SPDX-License-Identifier: Apache-2.0
// Model: loading, the last norm and the heads around the BLOOM layers.
#include "model/model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/bloom.h"
#include "weights/packed_name.h"

namespace seqgpt {

struct Model::Impl {
  ModelConfig config;
  ModelOptions options;
  DType weight_type = DType::kF32;
  Backend* backend = nullptr;
  std::unique_ptr<TensorSource> source;  // the embedding may read its mapping
  BloomWeights weights;
  std::vector<float> slopes;  // ALiBi, [H]
  BloomScratch scratch;
  Rows class_logits;  // f32 [T, classes]
  std::unique_ptr<Buffer> class_memory;
  std::vector<LogitsRequest> requests;

  const EmbeddingTable& output_table() const {
    return weights.output ? *weights.output : *weights.embedding;
  }
  Status check(const Step& step) const;
  Status vocabulary_logits(Step& step);
  Status class_logits_of(Step& step);
};

namespace {

Result<DType> choose_weight_type(const ModelOptions& options, DType stored) {
  const bool bf16 = options.compute == ComputeType::kBf16;
  const DType preferred = bf16 || stored == DType::kBf16 ? DType::kBf16 : DType::kF32;
  const DType type = options.weights.value_or(preferred);
  if (bf16 && type == DType::kF32) {
    return Error{ErrorCode::kInvalidArgument,
                 "bf16 arithmetic needs bf16, int8 or int4 weights: leave --weights out or use "
                 "--compute f32",
                 "weights"};
  }
  if (type != DType::kF16) return type;
  return Error{ErrorCode::kUnsupported, "weights must be f32, bf16, int8 or int4, not f16",
               "weights"};
}

/// What the checkpoint is packed as, when it is, and that the request goes with it.
Status take_packed_type(const Checkpoint& checkpoint, const Backend& backend,
                        ModelOptions& options) {
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    const auto name = parse_packed_name(tensor.name);
    if (!name) continue;
    const std::string type(dtype_name(name->type));
    if (options.weights.value_or(name->type) != name->type) {
      return Error{ErrorCode::kInvalidArgument,
                   "these weights are packed as " + type +
                       ": leave --weights out, or take the checkpoint that they were made from",
                   "weights"};
    }
    if (name->columns != backend.packed_columns()) {
      return Error{ErrorCode::kUnsupported,
                   "these weights are packed for another instruction set (groups of " +
                       std::to_string(name->columns) + " columns, not " +
                       std::to_string(backend.packed_columns()) + " as " + backend.name() +
                       " takes): run seqgpt quantize on this machine",
                   "model"};
    }
    options.weights = name->type;
    return {};
  }
  return {};
}

Result<DType> stored_type(TensorSource& source, const ModelConfig& config) {
  SEQGPT_ASSIGN(const TensorView embedding,
                source.get("word_embeddings.weight", {config.vocabulary, config.hidden}));
  return embedding.dtype;
}

}  // namespace

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;

static Result<std::unique_ptr<Model::Impl>> build(std::unique_ptr<TensorSource> source,
                                                  DType stored, const ModelConfig& config,
                                                  Backend& backend, const ModelOptions& options) {
  auto impl = std::make_unique<Model::Impl>();
  impl->config = config;
  impl->options = options;
  impl->backend = &backend;
  SEQGPT_ASSIGN(impl->weight_type, choose_weight_type(options, stored));
  impl->options.weights = impl->weight_type;
  impl->source = std::move(source);
  SEQGPT_ASSIGN(impl->weights, pack_bloom(*impl->source, config, backend, impl->weight_type));
  impl->slopes = alibi_slopes(config.heads);
  return impl;
}

Result<std::unique_ptr<Model>> Model::load(const std::filesystem::path& directory, Backend& backend,
                                           const ModelOptions& options) {
  if (!std::filesystem::is_directory(directory)) {
    return Error{ErrorCode::kNotFound, "model directory " + directory.string() + " does not exist",
                 "model"};
  }
  SEQGPT_ASSIGN(const ModelConfig config, load_config(directory / "config.json"));
  SEQGPT_ASSIGN(Checkpoint checkpoint, Checkpoint::open(directory));
  ModelOptions packed_options = options;
  SEQGPT_TRY(take_packed_type(checkpoint, backend, packed_options));
  auto source = std::make_unique<CheckpointSource>(std::move(checkpoint));
  SEQGPT_ASSIGN(const DType stored, stored_type(*source, config));
  SEQGPT_ASSIGN(auto impl, build(std::move(source), stored, config, backend, packed_options));
  return std::unique_ptr<Model>(new Model(std::move(impl)));
}

Result<std::unique_ptr<Model>> Model::random(const ModelConfig& config, Backend& backend,
                                             const ModelOptions& options, uint64_t seed) {
  auto source = std::make_unique<RandomSource>(seed);
  SEQGPT_ASSIGN(auto impl, build(std::move(source), DType::kBf16, config, backend, options));
  return std::unique_ptr<Model>(new Model(std::move(impl)));
}

const ModelConfig& Model::config() const {
  return impl_->config;
}
const ModelOptions& Model::options() const {
  return impl_->options;
}
Backend& Model::backend() const {
  return *impl_->backend;
}

KvShape Model::kv_shape() const {
  const ModelOptions& options = impl_->options;
  return {impl_->config.layers, impl_->config.heads, impl_->config.head_size(),
          options.kv.value_or(activation_dtype(options.compute))};
}

KvShape Model::long_kv_shape() const {
  KvShape shape = kv_shape();
  shape.dtype = impl_->options.long_kv.value_or(shape.dtype);
  return shape;
}

std::string Model::kv_name() const {
  std::string name(dtype_name(kv_shape().dtype));
  if (long_kv_shape().dtype != kv_shape().dtype)
    name += "/" + std::string(dtype_name(long_kv_shape().dtype));
  return name;
}

int Model::output_width() const {
  return impl_->weights.class_head ? static_cast<int>(impl_->weights.class_head->outputs())
                                   : impl_->config.vocabulary;
}

std::vector<Model::NamedLinear> Model::linears() const {
  std::vector<NamedLinear> linears;
  for (size_t i = 0; i < impl_->weights.layers.size(); ++i) {
    const BloomLayer& layer = impl_->weights.layers[i];
    const std::string prefix = "h." + std::to_string(i) + ".";
    linears.push_back(
        {prefix + "self_attention.query_key_value.weight", layer.query_key_value.get()});
    linears.push_back({prefix + "self_attention.dense.weight", layer.attention_out.get()});
    linears.push_back({prefix + "mlp.dense_h_to_4h.weight", layer.ffn_up.get()});
    linears.push_back({prefix + "mlp.dense_4h_to_h.weight", layer.ffn_down.get()});
  }
  return linears;
}

size_t Model::layer_bytes() const {
  size_t bytes = 0;
  for (const NamedLinear& named : linears()) bytes += named.linear->bytes();
  return bytes;
}

size_t Model::weight_bytes() const {
  const size_t table = static_cast<size_t>(impl_->config.vocabulary) * impl_->config.hidden *
                       dtype_bits(table_type(impl_->weight_type)) / 8;
  return layer_bytes() + table * (impl_->weights.output ? 2 : 1);
}

Status Model::Impl::check(const Step& step) const {
  for (const int32_t id : step.tokens) {
    if (id < 0 || id >= config.vocabulary) {
      return Error{ErrorCode::kInvalidArgument,
                   "token id " + std::to_string(id) + " is outside the vocabulary of " +
                       std::to_string(config.vocabulary) + " rows",
                   "ids"};
    }
  }
  return {};
}

static Status check_outputs(const Step& step) {
  for (const StepOutput& output : step.outputs) {
    if (std::ranges::all_of(output.values, [](float v) { return std::isfinite(v); })) continue;
    return Error{ErrorCode::kNonFinite,
                 "the network's output is not finite (NaN or infinity) in the output projection: "
                 "the weights are damaged"};
  }
  return {};
}

/// As f32.
static void copy_row(const Rows& rows, int row, std::vector<float>& values) {
  values.resize(static_cast<size_t>(rows.cols));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = load_element(rows.dtype, rows.data, static_cast<size_t>(row * rows.stride) + i);
}

Status Model::Impl::vocabulary_logits(Step& step) {
  const Rows normed = scratch.normed;
  backend->layer_norm(scratch.hidden, *weights.final_norm, config.layer_norm_epsilon, normed);
  requests.clear();
  for (StepOutput& output : step.outputs) {
    if (output.hidden) {
      copy_row(normed, output.row, output.values);
      continue;
    }
    output.values.resize(output.ids.empty() ? config.vocabulary : output.ids.size());
    requests.push_back({output.row, output.ids, output.values.data()});
  }
  if (!requests.empty()) backend->logits(normed, output_table(), requests);
  return check_outputs(step);
}

Status Model::Impl::class_logits_of(Step& step) {
  const int64_t classes = weights.class_head->outputs();
  const auto rows = static_cast<int64_t>(step.tokens.size());
  backend->layer_norm(scratch.hidden, *weights.final_norm, config.layer_norm_epsilon,
                      scratch.final);
  SEQGPT_ASSIGN(class_memory,
                backend->allocate(static_cast<size_t>(rows * classes) * sizeof(float)));
  class_logits = Rows{class_memory->data(), rows, classes, classes, DType::kF32};
  backend->linear(scratch.final, *weights.class_head, class_logits);
  for (StepOutput& output : step.outputs) {
    const float* row = static_cast<const float*>(class_logits.data) + output.row * classes;
    output.values.assign(row, row + classes);
  }
  return check_outputs(step);
}

Status Model::forward(Step& step) {
  SEQGPT_TRY(impl_->check(step));
  SEQGPT_TRY(impl_->scratch.reserve(*impl_->backend, impl_->config,
                                    activation_dtype(impl_->options.compute),
                                    static_cast<int64_t>(step.tokens.size())));
  SEQGPT_TRY(run_bloom(impl_->weights, impl_->config, *impl_->backend, step.tokens, step.slices,
                       impl_->slopes, impl_->scratch));
  if (step.outputs.empty()) return {};
  return impl_->weights.class_head ? impl_->class_logits_of(step) : impl_->vocabulary_logits(step);
}

}  // namespace seqgpt
