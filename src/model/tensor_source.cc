// SPDX-License-Identifier: Apache-2.0
// The two sources of weights.
#include "model/tensor_source.h"

#include "weights/packed_name.h"

namespace seqgpt {

Result<TensorView> CheckpointSource::get(std::string_view name, const Shape& shape) {
  const TensorView* found = checkpoint_.find(name);
  if (found == nullptr) {
    return Error{ErrorCode::kBadFile,
                 "weight " + std::string(name) + ": " + checkpoint_.explain_missing(name)};
  }
  if (found->shape != shape) {
    return Error{ErrorCode::kBadFile,
                 "weight " + std::string(name) + " has shape " + shape_text(found->shape) +
                     ", but config.json (hidden_size, n_head, vocab_size) asks for " +
                     shape_text(shape)};
  }
  return *found;
}

std::optional<std::span<const std::byte>> CheckpointSource::packed(std::string_view name,
                                                                   DType type, int columns) const {
  const TensorView* found = checkpoint_.find(packed_name({name, type, columns}));
  if (found == nullptr) return {};
  return found->bytes;
}

uint64_t RandomSource::next() {  // splitmix64, Steele et al. 2014
  uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

Result<TensorView> RandomSource::get(std::string_view name, const Shape& shape) {
  constexpr float kSpread =
      0.06F;  // of uniform weights: keeps activations of 24 layers in a sane range
  const bool gain = name.ends_with("layernorm.weight") || name == "ln_f.weight";
  std::vector<uint16_t>& values = name == "word_embeddings.weight" ? embedding_ : scratch_;
  values.resize(static_cast<size_t>(shape_elements(shape)));
  uint64_t bits = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    bits = i % 4 == 0 ? next() : bits >> 16;
    const float centred = (static_cast<float>(bits & 0xFFFF) / 65536.0F - 0.5F) * kSpread;
    values[i] = f32_to_bf16(gain ? 1.0F + centred : centred);
  }
  return TensorView{DType::kBf16, shape, std::as_bytes(std::span<const uint16_t>(values))};
}

}  // namespace seqgpt
