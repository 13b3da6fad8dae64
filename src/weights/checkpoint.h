// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the weight files of one model directory, opened safely and mapped, tensors by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/view.h"

namespace seqgpt {

/// One tensor of a checkpoint. `name` is canonical: a leading "transformer." is stripped, so that
/// "h.0.mlp.dense_4h_to_h.weight" is found in every variant of the layout.
struct NamedTensor {
  std::string name;
  TensorView view;
};

/// One weight file, for `inspect`.
struct WeightFile {
  std::string name;    // relative to the model directory
  std::string format;  // "safetensors" or "torch zip"
  uint64_t bytes = 0;
};

/// Move-only. Views live as long as the Checkpoint; their memory is the mapping itself. Every
/// length in a file is checked against the file's size before anything is allocated; a pickle never
/// executes: a machine that knows only what a state dict needs reads it and refuses everything else
/// by name.
class Checkpoint {
 public:
  /// Looks for model.safetensors, model.safetensors.index.json, pytorch_model.bin,
  /// pytorch_model.bin.index.json, in this order.
  static Result<Checkpoint> open(const std::filesystem::path& directory);

  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  /// nullptr when there is none.
  const TensorView* find(std::string_view canonical_name) const;
  /// Why find() gives nothing: "is missing", or "is stored as I32; only F32, F16 and BF16 can be
  /// read".
  std::string explain_missing(std::string_view canonical_name) const;
  /// In order of file, then of position in the file.
  const std::vector<NamedTensor>& tensors() const;
  const std::vector<WeightFile>& files() const;
  /// The tensor's source pages are not needed any more (after packing).
  void drop_pages(const TensorView& view) const;

 private:
  struct Impl;
  explicit Checkpoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
