// SPDX-License-Identifier: Apache-2.0
// Linear layers: rows times one group of packed columns, k in blocks that fit the caches,
// epilogues.
#pragma once

namespace seqgpt::cpu {
namespace {

constexpr int64_t kWeightBlockBytes =
    2048 * kGroupColumns;  // of a group: stays in L2 over all rows

template <typename Out>
SEQGPT_INLINE void store_columns(Out* out, F32x16 v, int count);
template <>
SEQGPT_INLINE void store_columns<float>(float* out, F32x16 v, int count) {
  count >= kLanes ? store(out, v) : store_partial(out, v, count);
}
template <>
SEQGPT_INLINE void store_columns<uint16_t>(uint16_t* out, F32x16 v, int count) {
  count >= kLanes ? store_bf16(out, v) : store_bf16_partial(out, v, count);
}

SEQGPT_INLINE F32x16 load_columns(const float* from, int count) {
  return count >= kLanes ? load(from) : load_partial(from, count);
}

template <typename Out, typename Function>
SEQGPT_INLINE void finish_rows(const LinearTask& task, int64_t begin, int64_t end,
                               const float* sums, Function function) {
  for (int64_t row = begin; row < end; ++row, sums += kGroupColumns) {
    Out* out = static_cast<Out*>(task.out) + row * task.out_stride;
    for (int column = 0; column < task.columns; column += kLanes) {
      const int count = task.columns - column;
      store_columns<Out>(out + column, function(load(sums + column), out + column, count), count);
    }
  }
}

/// Rows begin..end of the output from their finished sums.
inline void finish(const LinearTask& task, int64_t begin, int64_t end, const float* sums) {
  if (task.epilogue == Epilogue::kStore) {
    finish_rows<float>(task, begin, end, sums, [](F32x16 v, const float*, int) { return v; });
  } else if (task.epilogue == Epilogue::kAdd) {
    finish_rows<float>(task, begin, end, sums, [](F32x16 v, const float* old, int count) {
      return add(load_columns(old, count), v);
    });
  } else if (task.out_type == DType::kF32) {
    finish_rows<float>(task, begin, end, sums, [](F32x16 v, const float*, int) { return gelu(v); });
  } else {
    finish_rows<uint16_t>(task, begin, end, sums,
                          [](F32x16 v, const uint16_t*, int) { return gelu(v); });
  }
}

inline void set_bias(const float* bias, int64_t rows, float* sums) {
  for (int64_t row = 0; row < rows; ++row, sums += kGroupColumns) {
    for (int column = 0; column < kGroupColumns; column += kLanes) {
      store(sums + column, load(bias + column));
    }
  }
}

/// Rows begin..end (at most kLinearRows): k block by k block, the sums waiting in scratch
/// meanwhile. Rows share out into the fewest tiles, as equal as can be; the first of them fetch the
/// next block, each one panel, so that no tile waits for memory.
template <typename X, typename W>
inline void linear_rows(const LinearTask& task, int64_t begin, int64_t end) {
  constexpr int kDepth = Step<X, W>::kDepth;
  constexpr int64_t kBlock = kWeightBlockBytes / (kGroupColumns * sizeof(W));
  constexpr int64_t kShare = kLinesAhead * kLineBytes;  // of a step of the next block, for one tile
  constexpr int64_t kStepBytes = kTilePanels * kLineBytes;
  const int64_t tiles = (end - begin + kTileRows - 1) / kTileRows;
  set_bias(task.bias, end - begin, task.sums);
  for (int64_t k = 0; k < task.k; k += kBlock) {
    const auto* weights = static_cast<const W*>(task.weights) + k * kGroupColumns;
    const int64_t depth = task.k - k < kBlock ? task.k - k : kBlock;
    const bool last = k + depth == task.k;
    const auto* next =
        last ? task.next : reinterpret_cast<const std::byte*>(weights + depth * kGroupColumns);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t row = begin + (end - begin) * tile / tiles;
      const int64_t stop = begin + (end - begin) * (tile + 1) / tiles;
      float* sums = task.sums + (row - begin) * kGroupColumns;
      const bool fetches = tile < kStepBytes / kShare;
      multiply_panels<X, W, kTilePanels>(
          static_cast<int>(stop - row),
          {.x = static_cast<const X*>(task.x) + row * task.x_stride + k,
           .x_stride = task.x_stride,
           .w = weights,
           .w_step = kGroupColumns * kDepth,
           .k = depth,
           .sums = sums,
           .sums_stride = kGroupColumns,
           .ahead = fetches ? next + tile * kShare : next,
           .ahead_step = fetches ? kStepBytes : 0});
      if (last) finish(task, row, stop, sums);
    }
  }
}

/// Rows begin..end over the scale groups of `product`, whose first k is `k`. As in linear_rows the
/// first tiles fetch the next block, `bytes` from product.ahead on; but not a lone tile, whose
/// weights stream past once: the hardware fetches those better.
template <typename W>
inline void scaled_rows(const LinearTask& task, int64_t begin, int64_t end, int64_t k,
                        int64_t bytes, ScaledProduct<W> product) {
  const int64_t tiles = (end - begin + kScaledRows<W> - 1) / kScaledRows<W>;
  const int64_t groups = task.x_stride / kScaleGroup;
  const int64_t share = scale_groups(product.k) * kGroupFetches;
  const std::byte* next = product.ahead;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t row = begin + (end - begin) * tile / tiles;
    const int64_t stop = begin + (end - begin) * (tile + 1) / tiles;
    product.x = static_cast<const int16_t*>(task.x) + row * task.x_stride + k;
    product.x_stride = task.x_stride;
    product.x_scales = task.x_scales + row * groups + k / kScaleGroup;
    product.x_scales_stride = groups;
    product.x_sums = task.x_sums + (row * groups + k / kScaleGroup) * kSubgroups;
    product.sums = task.sums + (row - begin) * kGroupColumns;
    product.ahead = tiles > 1 && tile * share < bytes ? next + tile * share : nullptr;
    multiply_scaled(static_cast<int>(stop - row), product);
    if (k + product.k == task.k) finish(task, row, stop, product.sums);
  }
}

/// linear_rows for int8 and int4.
template <typename W>
inline void quantised_rows(const LinearTask& task, int64_t begin, int64_t end) {
  constexpr DType kType = Quantised<W>::kType;
  constexpr int64_t kBytes = scale_group_bytes(kType, kGroupColumns);
  set_bias(task.bias, end - begin, task.sums);
  for (int64_t k = 0; k < task.k; k += kUnpackedDepth) {
    const std::byte* group = static_cast<const std::byte*>(task.weights) + k / kScaleGroup * kBytes;
    const int64_t depth = task.k - k < kUnpackedDepth ? task.k - k : kUnpackedDepth;
    const auto* weights = reinterpret_cast<const W*>(group + kGroupColumns * sizeof(uint16_t) +
                                                     multiplier_bytes(kType, kGroupColumns));
    const auto run = [&]<typename Number>(const Number* integers, int64_t step) {
      ScaledProduct<Number> product = {};
      product.weights = integers;
      product.weights_step = step;
      product.scales = reinterpret_cast<const uint16_t*>(group);
      product.scales_step = kBytes;
      product.k = depth;
      product.ahead = k + depth == task.k ? task.next : group + scale_groups(depth) * kBytes;
      scaled_rows(task, begin, end, k, scale_groups(depth) * kBytes, product);
    };
    if (end - begin <= kPackedRows<W>) {
      run(weights, kBytes);
      continue;
    }
    for (int64_t i = 0; i < scale_groups(depth); ++i) {
      unpack(reinterpret_cast<const W*>(reinterpret_cast<const std::byte*>(weights) + i * kBytes),
             task.unpacked + i * kScaleGroup * kGroupColumns);
    }
    run(static_cast<const int16_t*>(task.unpacked),
        int64_t{kScaleGroup} * kGroupColumns * sizeof(int16_t));
  }
}

/// rows(begin, end) for as many rows at a time as scratch has sums for.
template <typename Rows>
SEQGPT_INLINE void in_blocks(const LinearTask& task, Rows rows) {
  for (int64_t row = 0; row < task.rows; row += kLinearRows) {
    rows(row, row + kLinearRows < task.rows ? row + kLinearRows : task.rows);
  }
}

template <typename X>
inline void linear_of(const LinearTask& task) {
  in_blocks(task, [&](int64_t begin, int64_t end) {
    task.weight_type == DType::kF32 ? linear_rows<X, float>(task, begin, end)
                                    : linear_rows<X, uint16_t>(task, begin, end);
  });
}

inline void linear(const LinearTask& task) {
  if (task.weight_type == DType::kI8)
    return in_blocks(task,
                     [&](int64_t begin, int64_t end) { quantised_rows<int8_t>(task, begin, end); });
  if (task.weight_type == DType::kI4)
    return in_blocks(task,
                     [&](int64_t begin, int64_t end) { quantised_rows<Int4x8>(task, begin, end); });
  task.x_type == DType::kF32 ? linear_of<float>(task) : linear_of<uint16_t>(task);
}

}  // namespace
}  // namespace seqgpt::cpu
