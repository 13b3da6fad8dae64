// SPDX-License-Identifier: Apache-2.0
// CpuBackend: cuts each operation into tasks for the threads and hands them to the kernels.
#pragma once

#include <atomic>
#include <vector>

#include "backend/cpu/weights.h"

namespace seqgpt::cpu {

/// Which thread does a task is a matter of chance; what a task computes is not.
class CpuBackend final : public Backend {
 public:
  static Result<std::unique_ptr<Backend>> make(const Kernels& kernels, int threads);
  CpuBackend(const Kernels& kernels, int threads) : kernels_(kernels), pool_(threads) {}

  const Kernels& kernels() const { return kernels_; }
  ThreadPool& pool() { return pool_; }

  std::string name() const override { return std::string("cpu/") + kernels_.name; }
  int threads() const override { return pool_.size(); }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<KvBlocks>> allocate_kv(const KvShape& shape, int blocks) override;
  size_t kv_block_bytes(const KvShape& shape) const override {
    return CpuKvBlocks::bytes_of_one(shape);
  }
  Result<std::unique_ptr<PackedLinear>> pack_linear(const TensorView& weight,
                                                    const TensorView* bias,
                                                    DType weight_type) override;
  int packed_columns() const override { return kernels_.group_columns; }
  Result<std::unique_ptr<PackedLinear>> map_linear(std::span<const std::byte> packed,
                                                   const Shape& shape, const TensorView* bias,
                                                   DType weight_type) override;
  Result<std::unique_ptr<NormWeights>> pack_norm(const TensorView& gain,
                                                 const TensorView& bias) override;
  Result<std::unique_ptr<EmbeddingTable>> map_embedding(const TensorView& table,
                                                        DType weight_type) override;
  void embed(std::span<const int32_t> ids, const EmbeddingTable& table, Rows out) override;
  void layer_norm(Rows x, const NormWeights& norm, float epsilon, Rows out) override;
  void linear(Rows x, const PackedLinear& weights, Rows out) override;
  void linear_add(Rows x, const PackedLinear& weights, Rows out) override;
  void linear_gelu(Rows x, const PackedLinear& weights, Rows out) override;
  void store_kv(Rows qkv, std::span<const AttentionSlice> slices, int layer) override;
  void attention(Rows qkv, std::span<const AttentionSlice> slices, int layer,
                 std::span<const float> slopes, Rows out) override;
  void logits(Rows x, const EmbeddingTable& table,
              std::span<const LogitsRequest> requests) override;
  bool all_finite(Rows x) override;

 private:
  /// body(task, thread) for each task, first come first served.
  template <typename Body>
  void for_tasks(int64_t count, const Body& body);
  /// body(begin, end) over rows; on this thread alone when the work is too small to share.
  template <typename Body>
  void for_rows(int64_t rows, int64_t columns, const Body& body);
  void run_linear(Rows x, const PackedLinear& weights, Epilogue epilogue, Rows out);
  /// Room to round kLinearRows inputs of k values, if the weights are integers.
  Status reserve_rounded(DType weight_type, int64_t k);
  /// At most kLinearRows rows as integers, in `rounded_`; dtype stays what x had.
  Rows rounded(Rows x);
  void run_groups(Rows x, const CpuLinear& layer, Epilogue epilogue, Rows out);
  void logits_of_ids(Rows x, const CpuEmbedding& table, std::span<const LogitsRequest> requests);
  void logits_of_all(Rows x, const CpuEmbedding& table);

  /// A part of a slice's query rows, or of a request's ids.
  struct Part {
    int owner;
    int first;
    int count;
  };

  const Kernels& kernels_;
  ThreadPool pool_;
  std::atomic<int64_t> next_task_{0};
  AlignedMemory linear_scratch_;  // [threads][kLinearRows, C] f32
  AlignedMemory unpacked_;        // [threads][kUnpackedDepth, C] int16
  AlignedMemory rounded_;         // int16 inputs of a quantised layer, whole groups
  AlignedMemory rounded_scales_;  // f32, one a group
  AlignedMemory rounded_sums_;    // int32, kSubgroups a group
  int64_t rounded_groups_ = 0;
  std::vector<AlignedMemory> attention_scratch_;  // a piece a thread, as large as any cache needs
  std::vector<Part> parts_;                       // kept between calls for its memory
  std::vector<const void*> inputs_;               // rows that ask for all logits
  std::vector<float*> outputs_;
};

}  // namespace seqgpt::cpu
