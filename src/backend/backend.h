// SPDX-License-Identifier: Apache-2.0
// Backend: the operations that a BLOOM forward pass needs, over memory that the backend owns.
//
// Legend: T rows (tokens of a step), D hidden size, H heads, K head size, V vocabulary rows, N
// outputs.
//
// Bits: an output element is one f32 sum over k in one fixed order, whatever the number of rows,
// threads or chunks. Every operation computes each row of its output from that row's inputs alone
// (attention: from that row's query and the cached keys and values at positions 0..its own).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tensor/view.h"

namespace seqgpt {

/// How activations enter a matrix product: as f32, or rounded to bf16 (nearest even) first.
enum class ComputeType { kF32, kBf16 };

constexpr DType activation_dtype(ComputeType compute) {
  return compute == ComputeType::kF32 ? DType::kF32 : DType::kBf16;
}

/// Memory of a backend, 64-byte aligned, freed with the handle. On the CPU data() is a host
/// pointer.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() = 0;
  virtual size_t bytes() const = 0;
};

/// Rows in backend memory: row i starts at data + i * stride elements; dtype f32 or bf16. Unowned.
struct Rows {
  void* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;  // elements between rows, >= cols
  DType dtype = DType::kF32;
};

/// A linear layer y = W x + b in the layout the kernels want; W is [N, K] in a checkpoint.
class PackedLinear {
 public:
  virtual ~PackedLinear() = default;
  virtual int64_t inputs() const = 0;   // K
  virtual int64_t outputs() const = 0;  // N
  virtual size_t bytes() const = 0;
  /// W as packed, what map_linear() takes back.
  virtual std::span<const std::byte> packed() const = 0;
};

/// Gain and bias of a LayerNorm.
class NormWeights {
 public:
  virtual ~NormWeights() = default;
};

/// The embedding, [V, D] row-major, mapped or copied; also the output projection.
class EmbeddingTable {
 public:
  virtual ~EmbeddingTable() = default;
  virtual int64_t rows() const = 0;
  virtual size_t bytes() const = 0;  // memory of its own, 0 when it reads the mapping
};

inline constexpr int kKvBlockTokens =
    32;  // positions in a KV block; the online softmax walks whole blocks

/// What a KV cache holds. A block is kKvBlockTokens positions of all layers.
struct KvShape {
  int layers = 0;
  int heads = 0;
  int head_size = 0;
  DType dtype = DType::kF32;  // f32, bf16, int8 or int4; K and V are always read as stored
};

/// KV blocks of one type in backend memory; `blocks` of them, numbered from 0.
class KvBlocks {
 public:
  virtual ~KvBlocks() = default;
  virtual const KvShape& shape() const = 0;
  virtual int count() const = 0;
  virtual size_t block_bytes() const = 0;
  /// All zero, so that a slot never written holds finite numbers. Call when a block is handed out.
  virtual void clear(int block) = 0;
  virtual void copy(int from, int to) = 0;
};

/// Consecutive rows of a step that belong to one sequence: rows first_row .. first_row + rows - 1
/// hold its positions first_position ...; blocks[i] of `kv` holds positions i * kKvBlockTokens ...
/// and reaches the last one. Slices of one step may lie in KV blocks of different types.
struct AttentionSlice {
  int first_row = 0;
  int rows = 0;
  int first_position = 0;
  std::span<const int32_t> blocks;
  KvBlocks* kv = nullptr;
};

/// Logits of one row: of all vocabulary rows (ids empty), or of `ids` only; out has room for them.
struct LogitsRequest {
  int row = 0;
  std::span<const int32_t> ids;
  float* out = nullptr;  // host memory
};

/// Thread contract: one caller at a time; the backend uses its own threads inside a call.
/// Operations finish before they return as far as their host-visible results go. Shapes are checked
/// by assert: a wrong shape is a programmer error of src/model.
class Backend {
 public:
  virtual ~Backend() = default;

  /// For people and for fingerprints, e.g. "cpu/avx512bf16".
  virtual std::string name() const = 0;
  virtual int threads() const = 0;

  // Memory. Errors: kTooLarge when it is not to be had.
  virtual Result<std::unique_ptr<Buffer>> allocate(size_t bytes) = 0;
  virtual Result<std::unique_ptr<KvBlocks>> allocate_kv(const KvShape& shape, int blocks) = 0;
  /// Of one block of that shape, its scales included.
  virtual size_t kv_block_bytes(const KvShape& shape) const = 0;

  // Weights. Views may be f32, f16 or bf16; `weight_type` is f32 or bf16, of linear layers also
  // int8 or int4.
  /// weight [N, K], bias [N] or nullptr. Error kNonFinite when a weight to be quantised is a NaN or
  /// an infinity; the message names its row.
  virtual Result<std::unique_ptr<PackedLinear>> pack_linear(const TensorView& weight,
                                                            const TensorView* bias,
                                                            DType weight_type) = 0;
  /// Output columns of a group of packed weights: what W was packed for.
  virtual int packed_columns() const = 0;
  /// `packed` [N, K] as packed() of a backend with equal packed_columns() gave it; read where it
  /// lies, so it must outlive the layer. Error kBadFile for a wrong size.
  virtual Result<std::unique_ptr<PackedLinear>> map_linear(std::span<const std::byte> packed,
                                                           const Shape& shape,
                                                           const TensorView* bias,
                                                           DType weight_type) = 0;
  virtual Result<std::unique_ptr<NormWeights>> pack_norm(const TensorView& gain,
                                                         const TensorView& bias) = 0;
  /// Reads the view's own memory when its type is already `weight_type` (the view must outlive the
  /// table).
  virtual Result<std::unique_ptr<EmbeddingTable>> map_embedding(const TensorView& table,
                                                                DType weight_type) = 0;

  // The forward pass.
  /// out f32 [T, D] = table[ids].
  virtual void embed(std::span<const int32_t> ids, const EmbeddingTable& table, Rows out) = 0;
  /// out (f32 or bf16) [T, D] = (x - mean) / sqrt(variance + epsilon) * gain + bias over each row;
  /// x f32. May be in place.
  virtual void layer_norm(Rows x, const NormWeights& norm, float epsilon, Rows out) = 0;
  /// out f32 [T, N] = W x + b.
  virtual void linear(Rows x, const PackedLinear& weights, Rows out) = 0;
  /// out f32 [T, N] += W x + b: the residual stream.
  virtual void linear_add(Rows x, const PackedLinear& weights, Rows out) = 0;
  /// out (f32 or bf16) [T, N] = GELU(W x + b), GELU(v) = v / 2 (1 + tanh(0.79788456 v (1 + 0.044715
  /// v^2))).
  virtual void linear_gelu(Rows x, const PackedLinear& weights, Rows out) = 0;
  /// Writes K and V of qkv f32 [T, H * 3 * K] (per head: q, k, v) into `layer` of the slices'
  /// blocks.
  virtual void store_kv(Rows qkv, std::span<const AttentionSlice> slices, int layer) = 0;
  /// out (f32 or bf16) [T, H * K] = softmax(q k / sqrt(K) + slope (k_pos - q_pos)) v, causal, ALiBi
  /// slopes [H].
  virtual void attention(Rows qkv, std::span<const AttentionSlice> slices, int layer,
                         std::span<const float> slopes, Rows out) = 0;
  /// x (f32 or bf16) [T, D]; out[i] = table[id_i] . x[row]; the same row-dot kernel for one id and
  /// for all.
  virtual void logits(Rows x, const EmbeddingTable& table,
                      std::span<const LogitsRequest> requests) = 0;
  /// True when every element of x is finite.
  virtual bool all_finite(Rows x) = 0;
};

}  // namespace seqgpt
