// SPDX-License-Identifier: Apache-2.0
// Attention over KV blocks: the online softmax in f32, tiles of query rows of one head at a time.
#pragma once

namespace seqgpt::cpu {
namespace {

constexpr float kLowest = -1e30F;  // below every score; finite, so that differences stay finite

/// What queries and probabilities are when they meet a cache of W.
template <bool bf16>
struct IntegerInput {
  using Type = float;
};
template <>
struct IntegerInput<true> {
  using Type = uint16_t;
};
template <typename W>
struct Cache {
  using Input = W;
};
template <>
struct Cache<int8_t> {
  using Input = IntegerInput<kNativeBf16>::Type;
};
template <>
struct Cache<KvInt4x8> {
  using Input = IntegerInput<kNativeBf16>::Type;
};

/// What a tile of query rows keeps while it walks the blocks; T is Cache::Input.
template <typename T>
struct AttentionTile {
  int rows;
  int columns;       // K padded to 16
  T* queries;        // [rows, columns]
  float* scores;     // [rows, 32]: then the probabilities
  float* dots;       // [rows, 32]: of one scale group
  T* probabilities;  // [rows, 32]: as the values are multiplied with them
  float* sums;       // [rows, columns]: values weighted by probabilities
  float* weights;    // [rows, 16]: lanes of the sum of probabilities
  float* best;       // [rows]: the greatest score so far
};

template <typename T>
SEQGPT_INLINE AttentionTile<T> make_tile(const AttentionTask& task, int rows) {
  AttentionTile<T> tile;
  tile.rows = rows;
  tile.columns = round_up(task.kv.head_size, kLanes);
  float* memory = reinterpret_cast<float*>(task.scratch);
  const auto take = [&](int floats) {
    float* part = memory;
    memory += kMaxTileRows * floats;
    return part;
  };
  tile.queries = reinterpret_cast<T*>(take(tile.columns));
  tile.scores = take(kBlock);
  tile.dots = take(kBlock);
  tile.probabilities = reinterpret_cast<T*>(take(kBlock));
  tile.sums = take(tile.columns);
  tile.weights = take(kLanes);
  tile.best = take(1);
  return tile;
}

template <typename T>
SEQGPT_INLINE void start_tile(const AttentionTask& task, int first, AttentionTile<T>& tile) {
  const int size = task.kv.head_size;
  for (int row = 0; row < tile.rows; ++row) {
    const float* query = task.queries + (first + row) * task.stride;
    for (int i = 0; i < tile.columns; i += kLanes) {
      store_columns<T>(tile.queries + row * tile.columns + i, load_columns(query + i, size - i),
                       kLanes);
      store(tile.sums + row * tile.columns + i, splat(0));
    }
    store(tile.weights + row * kLanes, splat(0));
    tile.best[row] = kLowest;
  }
}

/// Scores of one row and block into probabilities; what was summed before is scaled to the new
/// maximum.
template <typename T>
SEQGPT_INLINE void soften_row(const AttentionTask& task, AttentionTile<T>& tile, int row, int query,
                              int block) {
  const int visible = query - block * kBlock + 1;
  float* scores = tile.scores + row * kBlock;
  F32x16 s[2];
  for (int half = 0; half < 2; ++half) {
    const int first = block * kBlock + half * kLanes;
    const F32x16 distance = add(lane_numbers(), splat(static_cast<float>(first - query)));
    s[half] =
        mul_add(load(scores + half * kLanes), splat(task.scale), mul(splat(task.slope), distance));
    s[half] = first_lanes(s[half], visible - half * kLanes, splat(kLowest));
  }
  const float old_best = tile.best[row];
  const float block_best = reduce_max(max(s[0], s[1]));
  const float best = block_best > old_best ? block_best : old_best;
  for (int half = 0; half < 2; ++half) {
    s[half] = first_lanes(exp(sub(s[half], splat(best))), visible - half * kLanes, splat(0));
    store(scores + half * kLanes, s[half]);
  }
  float* weights = tile.weights + row * kLanes;
  const F32x16 sum = add(s[0], s[1]);
  if (best == old_best) return store(weights, add(load(weights), sum));
  tile.best[row] = best;
  const F32x16 factor = exp(splat(old_best - best));
  store(weights, mul_add(load(weights), factor, sum));
  float* sums = tile.sums + row * tile.columns;
  for (int i = 0; i < tile.columns; i += kLanes) store(sums + i, mul(load(sums + i), factor));
}

/// out = sums / weight. Adding 0 turns -0 into 0: which of the two a sum of zeros is may depend on
/// what lies in slots that this query cannot see.
template <typename T>
SEQGPT_INLINE void finish_attention(const AttentionTask& task, int first,
                                    const AttentionTile<T>& tile) {
  const int size = task.kv.head_size;
  for (int row = 0; row < tile.rows; ++row) {
    const F32x16 weight = splat(reduce_add(load(tile.weights + row * kLanes)));
    for (int i = 0; i < size; i += kLanes) {
      const F32x16 v = add(div(load(tile.sums + row * tile.columns + i), weight), splat(0));
      const int64_t at = (first + row) * task.out_stride + i;
      if (task.out_type == DType::kF32) {
        store_columns<float>(static_cast<float*>(task.out) + at, v, size - i);
      } else {
        store_columns<uint16_t>(static_cast<uint16_t*>(task.out) + at, v, size - i);
      }
    }
  }
}

SEQGPT_INLINE void clear_block(int rows, float* block) {
  for (int i = 0; i < rows * kBlock; i += kLanes) store(block + i, splat(0));
}

/// tile.scores = q k over a block, of which `panels` of 16 positions are seen by any row.
template <typename W, typename X>
SEQGPT_INLINE void score_block(const HeadKv& kv, const std::byte* memory, int panels,
                               const AttentionTile<X>& tile) {
  constexpr int kStored = Step<X, W>::kStored;
  const int size = kv.head_size;
  const auto product = [&](const W* keys, int first, int k, float* sums) {
    multiply<X, W>(tile.rows, panels,
                   {.x = tile.queries + first,
                    .x_stride = tile.columns,
                    .w = keys + first / Step<X, W>::kDepth * kBlock * kStored,
                    .w_step = kBlock * kStored,
                    .k = k,
                    .sums = sums,
                    .sums_stride = kBlock,
                    .ahead = memory,
                    .ahead_step = 0});
  };
  clear_block(tile.rows, tile.scores);
  if constexpr (!kQuantised<W>) {
    product(reinterpret_cast<const W*>(memory), 0, size, tile.scores);
  } else {
    const int group = kv.scale_group;
    const auto* keys = reinterpret_cast<const W*>(memory + kv.scale_bytes);
    const auto* scales = reinterpret_cast<const uint16_t*>(memory);
    for (int first = 0; first < size; first += group, scales += kBlock) {
      clear_block(tile.rows, tile.dots);
      product(keys, first, size - first < group ? size - first : group, tile.dots);
      for (int i = 0; i < tile.rows * kBlock; i += kLanes) {
        const F32x16 scale = load_bf16(scales + i % kBlock);
        store(tile.scores + i, mul_add(load(tile.dots + i), scale, load(tile.scores + i)));
      }
    }
  }
}

/// tile.sums += p v over the first k positions of a block.
template <typename W, typename X>
SEQGPT_INLINE void add_values(const HeadKv& kv, const std::byte* memory, int k,
                              const AttentionTile<X>& tile) {
  constexpr int kStored = Step<X, W>::kStored;
  const int size = kv.head_size;
  const auto product = [&](const W* values, int first, int columns) {
    multiply<X, W>(tile.rows, columns / kLanes,
                   {.x = tile.probabilities,
                    .x_stride = kBlock,
                    .w = values + first * kStored,
                    .w_step = tile.columns * kStored,
                    .k = k,
                    .sums = tile.sums + first,
                    .sums_stride = tile.columns,
                    .ahead = memory,
                    .ahead_step = 0});
  };
  if constexpr (!kQuantised<W>) {
    for (int i = 0; i < tile.rows * kBlock; i += kLanes)
      store_columns<X>(tile.probabilities + i, load(tile.scores + i), kLanes);
    product(reinterpret_cast<const W*>(memory), 0, tile.columns);
  } else {
    const int group = kv.scale_group;
    const auto* values = reinterpret_cast<const W*>(memory + kv.scale_bytes);
    const auto* scales = reinterpret_cast<const uint16_t*>(memory);
    for (int first = 0; first < size; first += group, scales += kBlock) {
      for (int i = 0; i < tile.rows * kBlock; i += kLanes) {
        const F32x16 scaled = mul(load(tile.scores + i), load_bf16(scales + i % kBlock));
        store_columns<X>(tile.probabilities + i, scaled, kLanes);
      }
      product(values, first, size - first <= group ? tile.columns - first : group);
    }
  }
}

template <typename W>
inline void attention_tile(const AttentionTask& task, int first, int rows) {
  using X = typename Cache<W>::Input;
  AttentionTile<X> tile = make_tile<X>(task, rows);
  start_tile(task, first, tile);
  const HeadKv& kv = task.kv;
  const int last_query = task.first_position + first + rows - 1;
  for (int block = 0; block <= last_query / kBlock; ++block) {
    const std::byte* memory = block_of(kv, block * kBlock);
    if (first == 0 && block < last_query / kBlock) {
      fetch<false>(block_of(kv, (block + 1) * kBlock), kv.bytes);
    }
    const int visible =
        last_query - block * kBlock + 1;  // to the last row; what none sees is left out
    score_block<W>(kv, memory, visible > kLanes ? 2 : 1, tile);
    for (int row = 0; row < rows; ++row) {
      soften_row(task, tile, row, task.first_position + first + row, block);
    }
    add_values<W>(kv, memory + kv.value_offset, visible < kBlock ? visible : kBlock, tile);
  }
  finish_attention(task, first, tile);
}

inline void attention(const AttentionTask& task) {
  for (int first = 0; first < task.rows; first += kTileRows) {
    const int rows = task.rows - first < kTileRows ? task.rows - first : kTileRows;
    switch (task.kv.type) {
      case DType::kF32:
        attention_tile<float>(task, first, rows);
        break;
      case DType::kI8:
        attention_tile<int8_t>(task, first, rows);
        break;
      case DType::kI4:
        attention_tile<KvInt4x8>(task, first, rows);
        break;
      default:
        attention_tile<uint16_t>(task, first, rows);
    }
  }
}

}  // namespace
}  // namespace seqgpt::cpu
