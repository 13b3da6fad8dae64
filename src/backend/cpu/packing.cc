// SPDX-License-Identifier: Apache-2.0
// From a checkpoint's tensors to the layouts that the kernels read.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "backend/cpu/quantise.h"
#include "backend/cpu/weights.h"

namespace seqgpt::cpu {
namespace {

Status check_bytes(const TensorView& view, std::string_view what) {
  const size_t wanted = view.elements() * dtype_bits(view.dtype) / 8;
  if (view.bytes.size() >= wanted) return {};
  return Error{ErrorCode::kInvalidArgument,
               std::string(what) + " of shape " + shape_text(view.shape) + " needs " +
                   std::to_string(wanted) + " bytes, but has " + std::to_string(view.bytes.size())};
}

bool is_float(DType type) {
  return type == DType::kF32 || type == DType::kF16 || type == DType::kBf16;
}

Status check_source(const TensorView& view, std::string_view what) {
  if (!is_float(view.dtype)) {
    return Error{ErrorCode::kUnsupported, std::string(what) + " is " +
                                              std::string(dtype_name(view.dtype)) +
                                              "; the CPU backend reads f32, f16 and bf16"};
  }
  return check_bytes(view, what);
}

Status check_stored(DType type, bool quantised, std::string_view what) {
  if (type == DType::kF32 || type == DType::kBf16 || (quantised && is_quantised(type))) return {};
  return Error{ErrorCode::kUnsupported,
               "the CPU backend stores " + std::string(what) + " as f32" +
                   (quantised ? ", bf16, int8 or int4" : " or bf16") + ", not " +
                   std::string(dtype_name(type)),
               "weights"};
}

/// f16_to_f32 without a branch, so that compilers vectorise it: the bits moved into place are the
/// number times 2^-112, subnormals included; infinity and NaN keep their exponent of all ones.
inline float widen_f16(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  const uint32_t scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const uint32_t special = magnitude >= 0x0F800000 ? 0x7F800000 : 0;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  return std::bit_cast<float>(scaled | special | sign);
}

inline float widen_f32(float value) {
  return value;
}

/// Elements of a tensor in memory, of type Raw, whose values `widen` tells.
template <typename Raw, float (*widen)(Raw)>
struct Source {
  const std::byte* data;

  /// `count` elements from `begin` on, as f32 or bf16.
  template <typename To>
  void get(int64_t begin, int64_t count, To* to) const {
    for (int64_t i = 0; i < count; ++i) {
      Raw raw;
      std::memcpy(&raw, data + (begin + i) * sizeof raw, sizeof raw);
      if constexpr (std::is_same_v<To, float>) {
        to[i] = widen(raw);
      } else {
        to[i] = f32_to_bf16(widen(raw));
      }
    }
  }
};

/// Calls function(Source) with the source of the view's type.
template <typename Function>
void with_source(const TensorView& view, const Function& function) {
  if (view.dtype == DType::kF32) return function(Source<float, widen_f32>{view.bytes.data()});
  if (view.dtype == DType::kBf16) return function(Source<uint16_t, bf16_to_f32>{view.bytes.data()});
  function(Source<uint16_t, widen_f16>{view.bytes.data()});
}

constexpr int64_t kChunk = 32;  // values of k at a time: reads are whole lines, writes stay in L1

/// One group: [k / depth][columns][depth] from rows first .. first + columns - 1 of [n, k].
template <typename To, int kDepth, typename From>
void pack_group(From from, int64_t n, int64_t k, int64_t first, int columns, To* to) {
  const int64_t present = std::min<int64_t>(columns, n - first);
  for (int64_t begin = 0; begin < k; begin += kChunk, to += kChunk * columns) {
    const int64_t count = std::min(k - begin, kChunk);
    for (int64_t column = 0; column < present; ++column) {
      To chunk[kChunk] = {};
      from.get((first + column) * k + begin, count, chunk);
      for (int64_t i = 0; i < count; i += kDepth) {
        std::memcpy(to + i * columns + column * kDepth, chunk + i, kDepth * sizeof(To));
      }
    }
  }
}

void pack_groups(const TensorView& weight, int columns, int64_t begin, int64_t end,
                 CpuLinear& linear) {
  std::memset(linear.own.data() + begin * linear.group_bytes, 0,
              (end - begin) * linear.group_bytes);
  with_source(weight, [&](auto source) {
    for (int64_t group = begin; group < end; ++group) {
      std::byte* to = linear.own.data() + group * linear.group_bytes;
      if (linear.type == DType::kF32) {
        pack_group<float, 1>(source, linear.n, linear.k, group * columns, columns,
                             reinterpret_cast<float*>(to));
      } else {
        pack_group<uint16_t, 2>(source, linear.n, linear.k, group * columns, columns,
                                reinterpret_cast<uint16_t*>(to));
      }
    }
  });
}

/// The integers of one column into their places among `columns`.
void put_integers(const int8_t* integers, DType type, int columns, int64_t column, std::byte* to) {
  if (type == DType::kI8) {
    for (int64_t i = 0; i < kScaleGroup; ++i) {
      to[i / 2 * 2 * columns + 2 * column + i % 2] = static_cast<std::byte>(integers[i]);
    }
    return;
  }
  for (int64_t i = 0; i < kScaleGroup; i += 8) {
    Int4x8 word = {0};
    for (int k = 0; k < 8; ++k) {
      word.bits |= static_cast<uint32_t>(integers[i + k] + 8) << (16 * (k % 2) + 4 * (k / 2));
    }
    std::memcpy(to + (i / 8 * columns + column) * sizeof word, &word, sizeof word);
  }
}

/// A quantised scale group of one column into its place among `columns`.
void put_group(const QuantisedGroup& group, DType type, int columns, int64_t column,
               std::byte* to) {
  std::memcpy(to + column * sizeof group.scale, &group.scale, sizeof group.scale);
  to += columns * sizeof group.scale;
  if (type == DType::kI4) {
    for (int i = 0; i < kSubgroups; ++i) {
      to[i * columns + column] = static_cast<std::byte>(group.multipliers[i]);
    }
  }
  put_integers(group.integers, type, columns, column, to + multiplier_bytes(type, columns));
}

/// Rows first .. first + columns - 1 of [n, k] as one group. Gives the first row that holds a NaN
/// or an infinity, else n.
template <typename From>
int64_t quantise_group(From from, const CpuLinear& linear, int64_t first, int columns,
                       std::byte* to) {
  const int64_t end = std::min<int64_t>(first + columns, linear.n);
  int64_t damaged = linear.n;
  for (int64_t begin = 0; begin < linear.k; begin += kScaleGroup) {
    const auto count = static_cast<int>(std::min<int64_t>(linear.k - begin, kScaleGroup));
    for (int64_t row = first; row < end; ++row) {
      float values[kScaleGroup] = {};
      from.get(row * linear.k + begin, count, values);
      if (!std::all_of(values, values + count, [](float v) { return std::isfinite(v); })) {
        damaged = std::min(damaged, row);
        continue;
      }
      put_group(quantise(values, linear.type), linear.type, columns, row - first, to);
    }
    to += scale_group_bytes(linear.type, columns);
  }
  return damaged;
}

/// Error kNonFinite naming the first damaged row.
Status quantise_groups(const TensorView& weight, int columns, ThreadPool& pool, CpuLinear& linear) {
  std::atomic<int64_t> damaged{linear.n};
  pool.split(linear.groups, 1, [&](int64_t begin, int64_t end) {
    std::memset(linear.own.data() + begin * linear.group_bytes, 0,
                (end - begin) * linear.group_bytes);
    with_source(weight, [&](auto source) {
      for (int64_t group = begin; group < end; ++group) {
        const int64_t row = quantise_group(source, linear, group * columns, columns,
                                           linear.own.data() + group * linear.group_bytes);
        int64_t lowest = damaged.load();
        while (row < lowest && !damaged.compare_exchange_weak(lowest, row)) {
        }
      }
    });
  });
  if (damaged.load() == linear.n) return {};
  return Error{ErrorCode::kNonFinite, "row " + std::to_string(damaged.load()) +
                                          " holds a NaN or an infinity and cannot become " +
                                          std::string(dtype_name(linear.type)) +
                                          ": the weights are damaged"};
}

int64_t bytes_of_group(int64_t k, DType type, int columns) {
  if (type == DType::kF32) return k * 4 * columns;
  if (type == DType::kBf16) return (k + 1) / 2 * 4 * columns;
  return scale_groups(k) * scale_group_bytes(type, columns);
}

Result<AlignedMemory> floats(const TensorView& view, int64_t padded, std::string_view what) {
  SEQGPT_TRY(check_source(view, what));
  SEQGPT_ASSIGN(AlignedMemory memory, AlignedMemory::allocate(padded * sizeof(float), what));
  std::memset(memory.data(), 0, memory.bytes());
  for (int64_t i = 0; i < view.elements(); ++i) {
    memory.as<float>()[i] = load_element(view.dtype, view.bytes.data(), i);
  }
  return memory;
}

/// Sizes and bias; no weights yet.
Result<std::unique_ptr<CpuLinear>> shaped_linear(const Shape& shape, const TensorView* bias,
                                                 DType type, int columns) {
  auto linear = std::make_unique<CpuLinear>();
  linear->n = shape[0];
  linear->k = shape[1];
  linear->type = type;
  linear->groups = (linear->n + columns - 1) / columns;
  linear->group_bytes = bytes_of_group(linear->k, type, columns);
  const TensorView none = {DType::kF32, {0}, {}};
  assert(bias == nullptr || bias->elements() == linear->n);
  SEQGPT_ASSIGN(linear->bias,
                floats(bias != nullptr ? *bias : none, linear->groups * columns, "a bias"));
  return linear;
}

template <typename To>
void convert(const TensorView& view, int64_t begin, int64_t end, To* to) {
  with_source(view, [&](auto source) { source.get(begin, end - begin, to + begin); });
}

}  // namespace

Result<std::unique_ptr<PackedLinear>> pack_linear(const TensorView& weight, const TensorView* bias,
                                                  DType type, int group_columns, ThreadPool& pool) {
  assert(weight.shape.size() == 2);
  SEQGPT_TRY(check_stored(type, true, "weights"));
  SEQGPT_TRY(check_source(weight, "a weight"));
  SEQGPT_ASSIGN(auto linear, shaped_linear(weight.shape, bias, type, group_columns));
  SEQGPT_ASSIGN(linear->own,
                AlignedMemory::allocate(linear->groups * linear->group_bytes, "a linear layer"));
  linear->weights = {linear->own.data(), linear->own.bytes()};
  if (is_quantised(type)) {
    SEQGPT_TRY(quantise_groups(weight, group_columns, pool, *linear));
  } else {
    pool.split(linear->groups, 1, [&](int64_t begin, int64_t end) {
      pack_groups(weight, group_columns, begin, end, *linear);
    });
  }
  return std::unique_ptr<PackedLinear>(std::move(linear));
}

Result<std::unique_ptr<PackedLinear>> map_linear(std::span<const std::byte> packed,
                                                 const Shape& shape, const TensorView* bias,
                                                 DType type, int group_columns) {
  SEQGPT_TRY(check_stored(type, true, "weights"));
  SEQGPT_ASSIGN(auto linear, shaped_linear(shape, bias, type, group_columns));
  const auto wanted = static_cast<size_t>(linear->groups * linear->group_bytes);
  if (packed.size() != wanted) {
    return Error{ErrorCode::kBadFile, "packed " + std::string(dtype_name(type)) +
                                          " weights of shape " + shape_text(shape) + " take " +
                                          std::to_string(wanted) + " bytes, not " +
                                          std::to_string(packed.size())};
  }
  linear->weights = packed;
  return std::unique_ptr<PackedLinear>(std::move(linear));
}

Result<std::unique_ptr<NormWeights>> pack_norm(const TensorView& gain, const TensorView& bias) {
  assert(gain.elements() == bias.elements());
  auto norm = std::make_unique<CpuNorm>();
  norm->columns = gain.elements();
  SEQGPT_ASSIGN(norm->gain, floats(gain, norm->columns, "a norm's gain"));
  SEQGPT_ASSIGN(norm->bias, floats(bias, norm->columns, "a norm's bias"));
  return std::unique_ptr<NormWeights>(std::move(norm));
}

Result<std::unique_ptr<EmbeddingTable>> map_embedding(const TensorView& table, DType type,
                                                      ThreadPool& pool) {
  assert(table.shape.size() == 2);
  SEQGPT_TRY(check_stored(type, false, "the embedding"));
  SEQGPT_TRY(check_source(table, "the embedding"));
  auto embedding = std::make_unique<CpuEmbedding>();
  embedding->count = table.shape[0];
  embedding->columns = table.shape[1];
  embedding->type = type;
  embedding->table = table.bytes.data();
  if (table.dtype == type) return std::unique_ptr<EmbeddingTable>(std::move(embedding));
  SEQGPT_ASSIGN(embedding->own,
                AlignedMemory::allocate(table.elements() * dtype_bits(type) / 8, "the embedding"));
  embedding->table = embedding->own.data();
  pool.split(table.elements(), kLanes, [&](int64_t begin, int64_t end) {
    type == DType::kF32 ? convert(table, begin, end, embedding->own.as<float>())
                        : convert(table, begin, end, embedding->own.as<uint16_t>());
  });
  return std::unique_ptr<EmbeddingTable>(std::move(embedding));
}

}  // namespace seqgpt::cpu
