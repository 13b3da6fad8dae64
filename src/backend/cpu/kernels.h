// SPDX-License-Identifier: Apache-2.0
// Kernels: the table of functions that each instruction set fills in, and their arguments as plain
// data.
//
// Kernels run on one thread over the part of the work they are given;
// src/backend/cpu/cpu_backend.cc cuts the work. They allocate nothing and call nothing outside
// their file, since that file is compiled for processors that may not be this one.
//
// Packed weights: groups of `group_columns` output columns C. f32: [group][k][C]; bf16:
// [group][k / 2][C][2], k padded to even, columns padded, with zeros.
//
// Quantised weights lie in scale groups of 128 k, each with its scales before it
// (docs/quantisation.md): [group][scale group][C] bf16 scales, then int8 [128 / 2][C][2], or int4
// [128 / 32][C] int8 multipliers and [128 / 8][C] words of 8. The last scale group is padded with
// zeros. A weight is its integer, in int4 times the multiplier of its 32, times the scale. Inputs
// are rounded to 16-bit integers times a scale of 128 of them, so an output is bias + sum over
// scale groups of input scale * (scale * dot product of integers), each addition of floats one
// multiply-add, in order.
//
// A head's keys and values in a KV block are packed weights too, so that q k and p v run through
// the same microkernels: keys are one group of 32 columns (positions) over k = K; values are one
// group of K columns (padded to 16) over k = 32 positions. Quantised ones have their scales before
// them: bf16 [scale group][32 positions], a scale group being the whole head in int8 and 32 of its
// numbers in int4. A position's scale stands outside its dot products: q k is multiplied by it
// afterwards, p beforehand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace seqgpt::cpu {

inline constexpr int kLanes = 16;  // columns of a panel: one f32 vector of every instruction set
inline constexpr int64_t kLinearRows = 480;  // rows whose sums a LinearTask may hold in scratch
inline constexpr int kMaxTileRows = 8;       // rows of the largest microkernel
inline constexpr int kMaxGroupColumns = 64;

/// Eight consecutive k of one column, 8 added to each: k at bit 16 (k mod 2) + 4 (k / 2), so that
/// 16-bit shifts give pairs.
struct Int4x8 {
  uint32_t bits;
};

/// Eight numbers of a KV block, two's complement, in the same places.
struct KvInt4x8 {
  uint32_t bits;
};

constexpr bool is_quantised(DType type) {
  return type == DType::kI8 || type == DType::kI4;
}

/// k of a quantised layer whose weights share a scale, and whose inputs do.
inline constexpr int kScaleGroup = 128;
constexpr int64_t scale_groups(int64_t k) {
  return (k + kScaleGroup - 1) / kScaleGroup;
}
/// k of a scale group that share a multiplier in int4. Of so many inputs -8 times the sum is kept:
/// int4 kernels take the 8 of Int4x8 off again with it.
inline constexpr int kSubgroup = 32;
inline constexpr int kSubgroups = kScaleGroup / kSubgroup;

/// Bytes of the multipliers before the integers of C columns.
constexpr int64_t multiplier_bytes(DType type, int columns) {
  return type == DType::kI4 ? int64_t{kSubgroups} * columns : 0;
}
/// A scale group of C columns, with scales and multipliers.
constexpr int64_t scale_group_bytes(DType type, int columns) {
  return columns * (int64_t{2} + kScaleGroup * static_cast<int64_t>(dtype_bits(type)) / 8) +
         multiplier_bytes(type, columns);
}

inline constexpr int kKvPositions = 32;  // of a KV block

/// Numbers of a head that share a scale with those of the same position.
constexpr int kv_scale_group(DType type, int head_size) {
  return type == DType::kI4 ? 32 : head_size;
}
constexpr int kv_scale_groups(DType type, int head_size) {
  const int group = kv_scale_group(type, head_size);
  return is_quantised(type) ? (head_size + group - 1) / group : 0;
}
/// Bytes of the scales before a head's keys, and before its values.
constexpr int64_t kv_scale_bytes(DType type, int head_size) {
  return int64_t{kv_scale_groups(type, head_size)} * kKvPositions * 2;
}
/// Bytes of a head's keys in a block, scales included; K is padded to what lies together.
constexpr int64_t kv_key_bytes(DType type, int head_size) {
  const int together = type == DType::kI4 ? 8 : type == DType::kF32 ? 1 : 2;
  const int64_t depth = (head_size + together - 1) / together * together;
  return kv_scale_bytes(type, head_size) +
         depth * kKvPositions * static_cast<int64_t>(dtype_bits(type)) / 8;
}
/// Of its values.
constexpr int64_t kv_value_bytes(DType type, int head_size) {
  const int64_t columns = (head_size + kLanes - 1) / kLanes * kLanes;
  return kv_scale_bytes(type, head_size) +
         columns * kKvPositions * static_cast<int64_t>(dtype_bits(type)) / 8;
}

/// k whose integers a LinearTask may hold unpacked.
inline constexpr int64_t kUnpackedDepth = 512;

enum class Epilogue { kStore, kAdd, kGelu };

/// Rows as a quantised layer takes them: integers of at most 2^14 times scales, powers of two.
struct RoundTask {
  const void* x;  // [rows, columns]
  int64_t x_stride;
  DType x_type;
  int64_t rows;
  int64_t columns;
  int16_t* out;   // [rows, scale groups * kScaleGroup], zeros at the end
  float* scales;  // [rows, scale groups]; NaN where an input was not finite
  int32_t* sums;  // [rows, scale groups * kSubgroups], -8 times the sums of inputs
};

/// Some rows times one group of columns.
struct LinearTask {
  const void* x;  // [rows, k]; for quantised weights RoundTask::out
  int64_t x_stride;
  DType x_type;
  const float* x_scales;  // RoundTask::scales
  const int32_t* x_sums;  // RoundTask::sums
  int64_t rows;
  const void* weights;  // the group
  DType weight_type;
  int64_t k;
  const float* bias;  // [C]
  float* sums;        // scratch [kLinearRows, C]
  int16_t* unpacked;  // scratch [kUnpackedDepth, C], for quantised weights
  Epilogue epilogue;
  void* out;  // [rows, columns]
  int64_t out_stride;
  DType out_type;
  int columns;            // columns of the group that exist, 1..C
  const std::byte* next;  // the group that this thread will likely take next
};

/// Rows of LayerNorm.
struct NormTask {
  const float* x;  // [rows, columns]
  int64_t x_stride;
  int64_t rows;
  int64_t columns;
  const float* gain;
  const float* bias;
  float epsilon;
  void* out;
  int64_t out_stride;
  DType out_type;
};

/// Where one head of one layer lies in the KV blocks.
struct HeadKv {
  std::byte* first;      // the head's keys in block 0
  int64_t block_bytes;   // between blocks
  int64_t value_offset;  // from the keys to the values, bytes
  int64_t bytes;         // of keys and values
  int64_t scale_bytes;   // before the integers of either; 0 when there are none
  int scale_group;       // numbers that share a scale
  DType type;
  int head_size;
  const int32_t* blocks;
};

/// Keys and values of one head, written at first_position ... of one sequence.
struct StoreTask {
  const float* keys;  // [rows, K]; the values follow the keys of each row
  int64_t stride;
  int rows;
  int first_position;
  HeadKv kv;
};

/// Consecutive query rows of one head of one sequence.
struct AttentionTask {
  const float* queries;  // [rows, K]
  int64_t stride;
  int rows;
  int first_position;
  HeadKv kv;
  float slope;
  float scale;
  void* out;  // [rows, K]
  int64_t out_stride;
  DType out_type;
  std::byte* scratch;  // attention_scratch_bytes(K)
};

/// out[i][first + j] = table[row j] . x[i], row j being ids[j], or first + j when ids is null.
struct DotTask {
  const void* const* x;
  int x_count;
  DType x_type;
  const std::byte* table;
  DType table_type;
  int64_t columns;
  const int32_t* ids;
  int64_t first;
  int64_t count;
  float* const* out;
};

/// A row of the table widened to f32.
struct EmbedTask {
  const std::byte* table;
  DType table_type;
  int64_t columns;
  const int32_t* ids;
  int64_t count;
  float* out;
  int64_t out_stride;
};

struct Kernels {
  const char* name;
  bool native_bf16;   // has a bf16 dot product
  int group_columns;  // C of the packed weights
  void (*round_inputs)(const RoundTask&);
  void (*linear)(const LinearTask&);
  void (*layer_norm)(const NormTask&);
  void (*store_kv)(const StoreTask&);
  void (*attention)(const AttentionTask&);
  void (*dot_rows)(const DotTask&);
  void (*embed)(const EmbedTask&);
  bool (*all_finite)(const void* x, DType type, int64_t count);
  /// exp and GELU over arrays: what the sweeps of the tests measure.
  void (*exp)(const float* x, float* y, int64_t count);
  void (*gelu)(const float* x, float* y, int64_t count);
  /// Multiply-adds in registers, and a pass over memory; the results only keep the compiler honest.
  float (*spin_f32)(int64_t iterations);
  float (*spin_bf16)(int64_t iterations);
  int64_t spin_multiply_adds_f32;  // in one iteration
  int64_t spin_multiply_adds_bf16;
  /// `bytes` a multiple of 1024, 64-byte aligned, in 1, 2 or 4 streams.
  float (*read)(const std::byte* memory, int64_t bytes, int streams);
};

/// q, scores, dot products, probabilities, sums of a tile of rows.
constexpr size_t attention_scratch_bytes(int head_size) {
  const size_t columns = (static_cast<size_t>(head_size) + kLanes - 1) / kLanes * kLanes;
  return kMaxTileRows * sizeof(float) * (2 * columns + 3 * kKvPositions + kLanes + kLanes);
}

}  // namespace seqgpt::cpu
