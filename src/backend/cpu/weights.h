// SPDX-License-Identifier: Apache-2.0
// What the CPU backend owns: packed weights, norms, the embedding, KV blocks, plain buffers.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"
#include "base/thread_pool.h"

namespace seqgpt::cpu {

class CpuBuffer final : public Buffer {
 public:
  explicit CpuBuffer(AlignedMemory memory) : memory_(std::move(memory)) {}
  void* data() override { return memory_.data(); }
  size_t bytes() const override { return memory_.bytes(); }

 private:
  AlignedMemory memory_;
};

struct CpuLinear final : PackedLinear {
  int64_t inputs() const override { return k; }
  int64_t outputs() const override { return n; }
  size_t bytes() const override { return weights.size() + bias.bytes(); }

  std::span<const std::byte> packed() const override { return weights; }

  const std::byte* group(int64_t index) const { return weights.data() + index * group_bytes; }

  int64_t k = 0;
  int64_t n = 0;
  int64_t groups = 0;
  int64_t group_bytes = 0;
  DType type = DType::kF32;
  std::span<const std::byte> weights;  // [groups][group_bytes], in `own` or in a mapping
  AlignedMemory own;
  AlignedMemory bias;  // f32 [groups * C]
};

struct CpuNorm final : NormWeights {
  int64_t columns = 0;
  AlignedMemory gain;  // f32
  AlignedMemory bias;  // f32
};

struct CpuEmbedding final : EmbeddingTable {
  int64_t rows() const override { return count; }
  size_t bytes() const override { return own.bytes(); }

  int64_t count = 0;
  int64_t columns = 0;
  DType type = DType::kF32;
  const std::byte* table = nullptr;  // in `own` or in the mapping, unaligned there
  AlignedMemory own;
};

/// [block][layer][head]: the head's keys, then its values, as kernels.h tells.
class CpuKvBlocks final : public KvBlocks {
 public:
  static Result<std::unique_ptr<CpuKvBlocks>> make(const KvShape& shape, int blocks);
  static size_t bytes_of_one(const KvShape& shape);

  const KvShape& shape() const override { return shape_; }
  int count() const override { return count_; }
  size_t block_bytes() const override { return block_bytes_; }
  void clear(int block) override;
  void copy(int from, int to) override;

  HeadKv head(int layer, int head, std::span<const int32_t> blocks) const;

 private:
  KvShape shape_;
  int count_ = 0;
  size_t key_bytes_ = 0;   // of one head in one block
  size_t head_bytes_ = 0;  // keys and values
  size_t block_bytes_ = 0;
  AlignedMemory memory_;
};

/// The packing half of Backend; `pool` shares the work. Errors: kInvalidArgument for a shape or a
/// size that does not fit, kUnsupported for a type, kTooLarge; kNonFinite for int8 and int4, naming
/// the row.
Result<std::unique_ptr<PackedLinear>> pack_linear(const TensorView& weight, const TensorView* bias,
                                                  DType type, int group_columns, ThreadPool& pool);
Result<std::unique_ptr<PackedLinear>> map_linear(std::span<const std::byte> packed,
                                                 const Shape& shape, const TensorView* bias,
                                                 DType type, int group_columns);
Result<std::unique_ptr<NormWeights>> pack_norm(const TensorView& gain, const TensorView& bias);
Result<std::unique_ptr<EmbeddingTable>> map_embedding(const TensorView& table, DType type,
                                                      ThreadPool& pool);

}  // namespace seqgpt::cpu
