// SPDX-License-Identifier: Apache-2.0
// The operations as tasks. Threads split columns, rows and heads, never a sum.
#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "backend/cpu/backend_impl.h"
#include "backend/cpu/isa.h"

namespace seqgpt::cpu {
namespace {

constexpr int64_t kSmallWork = 16 * 1024;  // elements: waking a thread costs more than these
constexpr int kQueryRows = 24;       // of an attention task: whole tiles, and enough tasks to share
constexpr int kLogitIds = 32;        // table rows of a task for chosen ids
constexpr int64_t kTableRows = 128;  // table rows of a task for all ids: they stay in L2

size_t element_bytes(DType type) {
  return dtype_bits(type) / 8;
}

std::byte* at(const Rows& rows, int64_t row, int64_t column = 0) {
  return static_cast<std::byte*>(rows.data) +
         (row * rows.stride + column) * element_bytes(rows.dtype);
}

HeadKv head_kv(const AttentionSlice& slice, int layer, int head) {
  return static_cast<const CpuKvBlocks*>(slice.kv)->head(layer, head, slice.blocks);
}

}  // namespace

Result<std::unique_ptr<Backend>> CpuBackend::make(const Kernels& kernels, int threads) {
  auto backend = std::make_unique<CpuBackend>(kernels, threads);
  SEQGPT_ASSIGN(
      backend->linear_scratch_,
      AlignedMemory::allocate(threads * kLinearRows * kernels.group_columns * sizeof(float),
                              "the sums of linear layers"));
  SEQGPT_ASSIGN(
      backend->unpacked_,
      AlignedMemory::allocate(threads * kUnpackedDepth * kernels.group_columns * sizeof(int16_t),
                              "the unpacked weights of linear layers"));
  backend->attention_scratch_.resize(threads);
  return std::unique_ptr<Backend>(std::move(backend));
}

template <typename Body>
void CpuBackend::for_tasks(int64_t count, const Body& body) {
  if (count == 1 || pool_.size() == 1) {
    for (int64_t task = 0; task < count; ++task) body(task, 0);
    return;
  }
  next_task_.store(0, std::memory_order_relaxed);
  pool_.run([&](int thread) {
    while (true) {
      const int64_t task = next_task_.fetch_add(1, std::memory_order_relaxed);
      if (task >= count) return;
      body(task, thread);
    }
  });
}

template <typename Body>
void CpuBackend::for_rows(int64_t rows, int64_t columns, const Body& body) {
  if (rows * columns < kSmallWork) return body(int64_t{0}, rows);
  pool_.split(rows, 1, body);
}

Result<std::unique_ptr<Buffer>> CpuBackend::allocate(size_t bytes) {
  SEQGPT_ASSIGN(AlignedMemory memory, AlignedMemory::allocate(bytes, "a buffer"));
  return std::unique_ptr<Buffer>(std::make_unique<CpuBuffer>(std::move(memory)));
}

Result<std::unique_ptr<KvBlocks>> CpuBackend::allocate_kv(const KvShape& shape, int blocks) {
  SEQGPT_ASSIGN(std::unique_ptr<CpuKvBlocks> kv, CpuKvBlocks::make(shape, blocks));
  for (AlignedMemory& scratch : attention_scratch_) {
    const size_t bytes = attention_scratch_bytes(shape.head_size);
    if (scratch.bytes() >= bytes) continue;
    SEQGPT_ASSIGN(scratch, AlignedMemory::allocate(bytes, "attention"));
  }
  return std::unique_ptr<KvBlocks>(std::move(kv));
}

Result<std::unique_ptr<PackedLinear>> CpuBackend::pack_linear(const TensorView& weight,
                                                              const TensorView* bias,
                                                              DType weight_type) {
  SEQGPT_TRY(reserve_rounded(weight_type, weight.shape[1]));
  return cpu::pack_linear(weight, bias, weight_type, kernels_.group_columns, pool_);
}

Result<std::unique_ptr<PackedLinear>> CpuBackend::map_linear(std::span<const std::byte> packed,
                                                             const Shape& shape,
                                                             const TensorView* bias,
                                                             DType weight_type) {
  SEQGPT_TRY(reserve_rounded(weight_type, shape[1]));
  return cpu::map_linear(packed, shape, bias, weight_type, kernels_.group_columns);
}

Status CpuBackend::reserve_rounded(DType weight_type, int64_t k) {
  const int64_t groups = kLinearRows * scale_groups(k);
  if (!is_quantised(weight_type) || groups <= rounded_groups_) return {};
  SEQGPT_ASSIGN(rounded_, AlignedMemory::allocate(groups * kScaleGroup * sizeof(int16_t),
                                                  "the inputs of quantised layers"));
  SEQGPT_ASSIGN(rounded_scales_,
                AlignedMemory::allocate(groups * sizeof(float), "the scales of those inputs"));
  SEQGPT_ASSIGN(rounded_sums_, AlignedMemory::allocate(groups * kSubgroups * sizeof(int32_t),
                                                       "the sums of those inputs"));
  rounded_groups_ = groups;
  return {};
}

Result<std::unique_ptr<NormWeights>> CpuBackend::pack_norm(const TensorView& gain,
                                                           const TensorView& bias) {
  return cpu::pack_norm(gain, bias);
}

Result<std::unique_ptr<EmbeddingTable>> CpuBackend::map_embedding(const TensorView& table,
                                                                  DType weight_type) {
  return cpu::map_embedding(table, weight_type, pool_);
}

void CpuBackend::embed(std::span<const int32_t> ids, const EmbeddingTable& table, Rows out) {
  const auto& embedding = static_cast<const CpuEmbedding&>(table);
  assert(out.dtype == DType::kF32 && out.cols == embedding.columns);
  assert(out.rows == static_cast<int64_t>(ids.size()));
  for_rows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
    kernels_.embed({.table = embedding.table,
                    .table_type = embedding.type,
                    .columns = embedding.columns,
                    .ids = ids.data() + begin,
                    .count = end - begin,
                    .out = reinterpret_cast<float*>(at(out, begin)),
                    .out_stride = out.stride});
  });
}

void CpuBackend::layer_norm(Rows x, const NormWeights& norm, float epsilon, Rows out) {
  const auto& weights = static_cast<const CpuNorm&>(norm);
  assert(x.dtype == DType::kF32 && x.cols == weights.columns);
  assert(out.rows == x.rows && out.cols == x.cols);
  for_rows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    kernels_.layer_norm({.x = reinterpret_cast<const float*>(at(x, begin)),
                         .x_stride = x.stride,
                         .rows = end - begin,
                         .columns = x.cols,
                         .gain = weights.gain.as<float>(),
                         .bias = weights.bias.as<float>(),
                         .epsilon = epsilon,
                         .out = at(out, begin),
                         .out_stride = out.stride,
                         .out_type = out.dtype});
  });
}

void CpuBackend::linear(Rows x, const PackedLinear& weights, Rows out) {
  assert(out.dtype == DType::kF32);
  run_linear(x, weights, Epilogue::kStore, out);
}

void CpuBackend::linear_add(Rows x, const PackedLinear& weights, Rows out) {
  assert(out.dtype == DType::kF32);
  run_linear(x, weights, Epilogue::kAdd, out);
}

void CpuBackend::linear_gelu(Rows x, const PackedLinear& weights, Rows out) {
  run_linear(x, weights, Epilogue::kGelu, out);
}

void CpuBackend::run_linear(Rows x, const PackedLinear& weights, Epilogue epilogue, Rows out) {
  const auto& layer = static_cast<const CpuLinear&>(weights);
  assert(x.cols == layer.k && out.cols == layer.n && x.rows == out.rows);
  if (!is_quantised(layer.type)) return run_groups(x, layer, epilogue, out);
  const int64_t blocks = (x.rows + kLinearRows - 1) / kLinearRows;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t begin = x.rows * block / blocks;
    const int64_t count = x.rows * (block + 1) / blocks - begin;
    const Rows part = {at(x, begin), count, x.cols, x.stride, x.dtype};
    run_groups(rounded(part), layer, epilogue,
               {at(out, begin), count, out.cols, out.stride, out.dtype});
  }
}

Rows CpuBackend::rounded(Rows x) {
  const int64_t groups = scale_groups(x.cols);
  for_rows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    kernels_.round_inputs({.x = at(x, begin),
                           .x_stride = x.stride,
                           .x_type = x.dtype,
                           .rows = end - begin,
                           .columns = x.cols,
                           .out = rounded_.as<int16_t>() + begin * groups * kScaleGroup,
                           .scales = rounded_scales_.as<float>() + begin * groups,
                           .sums = rounded_sums_.as<int32_t>() + begin * groups * kSubgroups});
  });
  return {rounded_.data(), x.rows, x.cols, groups * kScaleGroup, x.dtype};
}

void CpuBackend::run_groups(Rows x, const CpuLinear& layer, Epilogue epilogue, Rows out) {
  const int64_t columns = kernels_.group_columns;
  for_tasks(layer.groups, [&](int64_t group, int thread) {
    kernels_.linear({.x = x.data,
                     .x_stride = x.stride,
                     .x_type = x.dtype,
                     .x_scales = rounded_scales_.as<float>(),
                     .x_sums = rounded_sums_.as<int32_t>(),
                     .rows = x.rows,
                     .weights = layer.group(group),
                     .weight_type = layer.type,
                     .k = layer.k,
                     .bias = layer.bias.as<float>() + group * columns,
                     .sums = linear_scratch_.as<float>() + thread * kLinearRows * columns,
                     .unpacked = unpacked_.as<int16_t>() + thread * kUnpackedDepth * columns,
                     .epilogue = epilogue,
                     .out = at(out, 0, group * columns),
                     .out_stride = out.stride,
                     .out_type = out.dtype,
                     .columns = static_cast<int>(std::min(columns, layer.n - group * columns)),
                     .next = layer.group(std::min(group + pool_.size(), layer.groups - 1))});
  });
}

void CpuBackend::store_kv(Rows qkv, std::span<const AttentionSlice> slices, int layer) {
  const int heads = slices.front().kv->shape().heads;
  const int size = slices.front().kv->shape().head_size;
  assert(qkv.dtype == DType::kF32 && qkv.cols == int64_t{3} * heads * size);
  const auto store = [&](int64_t begin, int64_t end) {
    for (const AttentionSlice& slice : slices) {
      for (auto head = static_cast<int>(begin); head < end; ++head) {
        kernels_.store_kv({.keys = reinterpret_cast<const float*>(
                               at(qkv, slice.first_row, (int64_t{3} * head + 1) * size)),
                           .stride = qkv.stride,
                           .rows = slice.rows,
                           .first_position = slice.first_position,
                           .kv = head_kv(slice, layer, head)});
      }
    }
  };
  for_rows(heads, qkv.rows * size, store);  // by heads: two positions of a head may share a word
}

void CpuBackend::attention(Rows qkv, std::span<const AttentionSlice> slices, int layer,
                           std::span<const float> slopes, Rows out) {
  const int heads = slices.front().kv->shape().heads;
  const int size = slices.front().kv->shape().head_size;
  assert(qkv.cols == int64_t{3} * heads * size && out.cols == int64_t{heads} * size);
  assert(slopes.size() == static_cast<size_t>(heads));
  parts_.clear();
  for (size_t i = 0; i < slices.size(); ++i) {
    for (int first = 0; first < slices[i].rows; first += kQueryRows) {
      parts_.push_back({static_cast<int>(i), first, std::min(kQueryRows, slices[i].rows - first)});
    }
  }
  const float scale = 1.0F / std::sqrt(static_cast<float>(size));
  const auto count = static_cast<int64_t>(parts_.size());
  for_tasks(count * heads, [&](int64_t task, int thread) {
    const Part& part = parts_[count - 1 - task / heads];  // the last rows see most: they go first
    const auto head = static_cast<int>(task % heads);
    const AttentionSlice& slice = slices[part.owner];
    const int row = slice.first_row + part.first;
    kernels_.attention(
        {.queries = reinterpret_cast<const float*>(at(qkv, row, int64_t{3} * head * size)),
         .stride = qkv.stride,
         .rows = part.count,
         .first_position = slice.first_position + part.first,
         .kv = head_kv(slice, layer, head),
         .slope = slopes[head],
         .scale = scale,
         .out = at(out, row, int64_t{head} * size),
         .out_stride = out.stride,
         .out_type = out.dtype,
         .scratch = attention_scratch_[thread].data()});
  });
}

void CpuBackend::logits(Rows x, const EmbeddingTable& table,
                        std::span<const LogitsRequest> requests) {
  const auto& embedding = static_cast<const CpuEmbedding&>(table);
  assert(x.cols == embedding.columns);
  logits_of_ids(x, embedding, requests);
  inputs_.clear();
  outputs_.clear();
  for (const LogitsRequest& request : requests) {
    if (!request.ids.empty()) continue;
    inputs_.push_back(at(x, request.row));
    outputs_.push_back(request.out);
  }
  if (!inputs_.empty()) logits_of_all(x, embedding);
}

void CpuBackend::logits_of_ids(Rows x, const CpuEmbedding& table,
                               std::span<const LogitsRequest> requests) {
  parts_.clear();
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto ids = static_cast<int>(requests[i].ids.size());
    for (int first = 0; first < ids; first += kLogitIds) {
      parts_.push_back({static_cast<int>(i), first, std::min(kLogitIds, ids - first)});
    }
  }
  for_tasks(static_cast<int64_t>(parts_.size()), [&](int64_t task, int) {
    const Part& part = parts_[task];
    const LogitsRequest& request = requests[part.owner];
    const void* input = at(x, request.row);
    float* out = request.out + part.first;
    kernels_.dot_rows({.x = &input,
                       .x_count = 1,
                       .x_type = x.dtype,
                       .table = table.table,
                       .table_type = table.type,
                       .columns = table.columns,
                       .ids = request.ids.data() + part.first,
                       .first = 0,
                       .count = part.count,
                       .out = &out});
  });
}

void CpuBackend::logits_of_all(Rows x, const CpuEmbedding& table) {
  const int64_t tasks = (table.count + kTableRows - 1) / kTableRows;
  for_tasks(tasks, [&](int64_t task, int) {
    const int64_t first = task * kTableRows;
    kernels_.dot_rows({.x = inputs_.data(),
                       .x_count = static_cast<int>(inputs_.size()),
                       .x_type = x.dtype,
                       .table = table.table,
                       .table_type = table.type,
                       .columns = table.columns,
                       .ids = nullptr,
                       .first = first,
                       .count = std::min(kTableRows, table.count - first),
                       .out = outputs_.data()});
  });
}

bool CpuBackend::all_finite(Rows x) {
  std::atomic<bool> finite{true};
  for_rows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      if (!kernels_.all_finite(at(x, row), x.dtype, x.cols))
        finite.store(false, std::memory_order_relaxed);
    }
  });
  return finite.load(std::memory_order_relaxed);
}

}  // namespace seqgpt::cpu
