// SPDX-License-Identifier: Apache-2.0
// BoundaryHead: a small network on a model's hidden states that says how well a span of the text
// reads as a whole value.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// The file beside the weights that holds one; training/boundary_head.py writes it.
inline constexpr const char* kBoundaryHeadFile = "boundary_head.safetensors";

/// Two layers: U units (ReLU) over five hidden states and three numbers, then one score. f32, sums
/// in the order of the features, so that equal states give equal bits. Immutable after load.
class BoundaryHead {
 public:
  /// The hidden states that a span is judged by, of the tokens that hold: the character before it,
  /// its first one, its last one, the one after it, and the end of its label's name in the
  /// question.
  static constexpr size_t kSlots = 5;
  /// Whether it begins with a token (0 or 1), ends with one, and its characters / kLongSpan.
  static constexpr size_t kScalars = 3;
  static constexpr float kLongSpan = 32;
  static constexpr size_t kMaxParameters = 50'000;

  /// Nothing when the directory has no such file. Tensors: layer1.weight [U, 5 D + 3], layer1.bias
  /// [U], layer2.weight [1, U], layer2.bias [1], margin [1], in any of the float types. Errors:
  /// kBadFile, naming the tensor, its shape and the wanted one.
  static Result<std::optional<BoundaryHead>> load(const std::filesystem::path& directory,
                                                  int hidden);
  /// The same from memory.
  static Result<BoundaryHead> parse(std::span<const std::byte> file, int hidden);

  size_t units() const { return bias1_.size(); }
  /// How far ahead of the value's own score another span's must be.
  float margin() const { return margin_; }
  /// What a slot's hidden state [D] gives to the units [U]: one product for all spans that share
  /// it.
  void project(size_t slot, std::span<const float> hidden, std::span<float> units) const;
  /// The score of a span, from each slot's projection [U].
  float score(const std::array<const float*, kSlots>& projected,
              const std::array<float, kScalars>& scalars) const;

 private:
  size_t hidden_ = 0;
  std::vector<float> weight1_;  // [U, kSlots * D + kScalars]
  std::vector<float> bias1_;    // [U]
  std::vector<float> weight2_;  // [U]
  float bias2_ = 0;
  float margin_ = 0;
};

}  // namespace seqgpt
