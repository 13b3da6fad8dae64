// SPDX-License-Identifier: Apache-2.0
// PoisonBackend: a real backend that calls the network's values not finite whenever one token takes
// part.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace seqgpt::testing_support {

/// For failure tests: a step fails if and only if it holds the poison token (-1: never). Also
/// counts the rows of each step, so that a test can see what ran together.
class PoisonBackend final : public Backend {
 public:
  explicit PoisonBackend(std::unique_ptr<Backend> real) : real_(std::move(real)) {}

  void set_poison(int32_t id) { poison_ = id; }
  const std::vector<size_t>& rows_of_steps() const { return rows_; }
  const std::set<int32_t>& tokens_seen() const { return tokens_; }

  std::string name() const override { return real_->name(); }
  int threads() const override { return real_->threads(); }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes) override { return real_->allocate(bytes); }
  Result<std::unique_ptr<KvBlocks>> allocate_kv(const KvShape& shape, int blocks) override {
    return real_->allocate_kv(shape, blocks);
  }
  size_t kv_block_bytes(const KvShape& shape) const override {
    return real_->kv_block_bytes(shape);
  }
  Result<std::unique_ptr<PackedLinear>> pack_linear(const TensorView& weight,
                                                    const TensorView* bias, DType type) override {
    return real_->pack_linear(weight, bias, type);
  }
  int packed_columns() const override { return real_->packed_columns(); }
  Result<std::unique_ptr<PackedLinear>> map_linear(std::span<const std::byte> packed,
                                                   const Shape& shape, const TensorView* bias,
                                                   DType type) override {
    return real_->map_linear(packed, shape, bias, type);
  }
  Result<std::unique_ptr<NormWeights>> pack_norm(const TensorView& gain,
                                                 const TensorView& bias) override {
    return real_->pack_norm(gain, bias);
  }
  Result<std::unique_ptr<EmbeddingTable>> map_embedding(const TensorView& table,
                                                        DType type) override {
    return real_->map_embedding(table, type);
  }
  void embed(std::span<const int32_t> ids, const EmbeddingTable& table, Rows out) override {
    poisoned_ = std::find(ids.begin(), ids.end(), poison_) != ids.end();
    rows_.push_back(ids.size());
    tokens_.insert(ids.begin(), ids.end());
    real_->embed(ids, table, out);
  }
  void layer_norm(Rows x, const NormWeights& norm, float epsilon, Rows out) override {
    real_->layer_norm(x, norm, epsilon, out);
  }
  void linear(Rows x, const PackedLinear& weights, Rows out) override {
    real_->linear(x, weights, out);
  }
  void linear_add(Rows x, const PackedLinear& weights, Rows out) override {
    real_->linear_add(x, weights, out);
  }
  void linear_gelu(Rows x, const PackedLinear& weights, Rows out) override {
    real_->linear_gelu(x, weights, out);
  }
  void store_kv(Rows qkv, std::span<const AttentionSlice> slices, int layer) override {
    real_->store_kv(qkv, slices, layer);
  }
  void attention(Rows qkv, std::span<const AttentionSlice> slices, int layer,
                 std::span<const float> slopes, Rows out) override {
    real_->attention(qkv, slices, layer, slopes, out);
  }
  void logits(Rows x, const EmbeddingTable& table,
              std::span<const LogitsRequest> requests) override {
    real_->logits(x, table, requests);
  }
  bool all_finite(Rows x) override { return !poisoned_ && real_->all_finite(x); }

 private:
  std::unique_ptr<Backend> real_;
  int32_t poison_ = -1;
  bool poisoned_ = false;
  std::vector<size_t> rows_;
  std::set<int32_t> tokens_;
};

}  // namespace seqgpt::testing_support
