// SPDX-License-Identifier: Apache-2.0
// TensorSource: where packing takes its tensors from: a checkpoint, or a generator of random
// weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/view.h"
#include "weights/checkpoint.h"

namespace seqgpt {

/// Gives tensors by canonical name, with the shape that the network needs, one after another.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  /// A view of exactly this shape. It lives until the next get(); the embedding's as long as the
  /// source.
  virtual Result<TensorView> get(std::string_view name, const Shape& shape) = 0;
  virtual bool has(std::string_view name) const = 0;
  /// The weight as `seqgpt quantize` packed it for groups of `columns`; lives as long as the
  /// source.
  virtual std::optional<std::span<const std::byte>> packed(std::string_view name, DType type,
                                                           int columns) const = 0;
  /// The packed copy is made; the source's memory for it may go.
  virtual void done(const TensorView& view) = 0;
};

/// Reads a checkpoint. Errors name the tensor, what was found and what was wanted.
class CheckpointSource final : public TensorSource {
 public:
  explicit CheckpointSource(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}
  Result<TensorView> get(std::string_view name, const Shape& shape) override;
  bool has(std::string_view name) const override { return checkpoint_.find(name) != nullptr; }
  std::optional<std::span<const std::byte>> packed(std::string_view name, DType type,
                                                   int columns) const override;
  void done(const TensorView& view) override { checkpoint_.drop_pages(view); }

 private:
  Checkpoint checkpoint_;
};

/// Reproducible random weights of a plausible scale, in bf16: for benches and property tests.
class RandomSource final : public TensorSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}
  Result<TensorView> get(std::string_view name, const Shape& shape) override;
  bool has(std::string_view) const override { return false; }
  std::optional<std::span<const std::byte>> packed(std::string_view, DType, int) const override {
    return {};
  }
  void done(const TensorView&) override {}

 private:
  uint64_t next();

  uint64_t state_;
  std::vector<uint16_t> embedding_;
  std::vector<uint16_t> scratch_;  // of every other tensor: get() invalidates the last one's view
};

}  // namespace seqgpt
