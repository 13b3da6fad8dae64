// SPDX-License-Identifier: Apache-2.0
// Attention over KV blocks: the online softmax in f32, tiles of query rows of one head at a time.
#pragma once

namespace seqgpt::cpu {
namespace {

constexpr int kBlock = 32;         // positions of a KV block
constexpr float kLowest = -1e30F;  // below every score; finite, so that differences stay finite

constexpr int kRowsAhead = 4;  // rows of q, k, v fetched before they are stored: they lie far apart

/// Asks for memory to be brought into L2, there to be read or written.
template <bool kToWrite>
SEQGPT_INLINE void fetch(const void* memory, int64_t bytes) {
  const auto* line = static_cast<const std::byte*>(memory);
  for (int64_t i = 0; i < bytes; i += kLineBytes) __builtin_prefetch(line + i, kToWrite, 2);
}

SEQGPT_INLINE int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

SEQGPT_INLINE std::byte* block_of(const HeadKv& kv, int position) {
  return kv.first + kv.blocks[position / kBlock] * kv.block_bytes;
}

template <typename T>
SEQGPT_INLINE void store_key(T* keys, const float* key, int slot, int size);

template <>
SEQGPT_INLINE void store_key<float>(float* keys, const float* key, int slot, int size) {
  for (int i = 0; i < size; ++i) keys[i * kBlock + slot] = key[i];
}

template <>
SEQGPT_INLINE void store_key<uint16_t>(uint16_t* keys, const float* key, int slot, int size) {
  for (int i = 0; i < size; i += kLanes) {
    const int count = size - i < kLanes ? size - i : kLanes;
    uint16_t numbers[kLanes];
    store_bf16(numbers, count < kLanes ? load_partial(key + i, count) : load(key + i));
    for (int j = 0; j < count; j += 2) {
      __builtin_memcpy(keys + ((i + j) / 2 * kBlock + slot) * 2, numbers + j, 2 * sizeof(uint16_t));
    }
  }
}

SEQGPT_INLINE void store_value_lanes(float* values, int slot, int columns, int column, F32x16 v) {
  store(values + slot * columns + column, v);
}
SEQGPT_INLINE void store_value_lanes(uint16_t* values, int slot, int columns, int column,
                                     F32x16 v) {
  store_half(values + (slot / 2 * columns + column) * 2, v, slot % 2);
}

template <typename T>
inline void store_kv_typed(const StoreTask& task) {
  const HeadKv& kv = task.kv;
  const int columns = round_up(kv.head_size, kLanes);
  const int64_t head_bytes = kv.value_offset + columns * kBlock * sizeof(T);
  for (int row = 0; row < task.rows; ++row) {
    const int position = task.first_position + row;
    const int slot = position % kBlock;
    std::byte* block = block_of(kv, position);
    const float* key = task.keys + row * task.stride;
    const float* value = key + kv.head_size;
    const int next_block = row + kBlock - slot;
    if ((row == 0 || slot == 0) && next_block < task.rows) {
      fetch<true>(block_of(kv, position + kBlock - slot), head_bytes);
    }
    if (row + kRowsAhead < task.rows)
      fetch<false>(key + kRowsAhead * task.stride, 2 * kv.head_size * sizeof(float));
    store_key<T>(reinterpret_cast<T*>(block), key, slot, kv.head_size);
    T* values = reinterpret_cast<T*>(block + kv.value_offset);
    for (int i = 0; i < kv.head_size; i += kLanes) {
      const int count = kv.head_size - i;
      const F32x16 v = count < kLanes ? load_partial(value + i, count) : load(value + i);
      store_value_lanes(values, slot, columns, i, v);
    }
  }
}

inline void store_kv(const StoreTask& task) {
  task.kv.type == DType::kF32 ? store_kv_typed<float>(task) : store_kv_typed<uint16_t>(task);
}

/// What a tile of query rows keeps while it walks the blocks; T is the type of the cache.
template <typename T>
struct AttentionTile {
  int rows;
  int columns;       // K padded to 16
  T* queries;        // [rows, columns]
  float* scores;     // [rows, 32]
  T* probabilities;  // [rows, 32]
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
  T* probabilities = tile.probabilities + row * kBlock;
  const float* scores = tile.scores + row * kBlock;
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
    store_columns<T>(probabilities + half * kLanes, s[half], kLanes);
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

template <typename T>
inline void attention_tile(const AttentionTask& task, int first, int rows) {
  constexpr int kDepth = Step<T, T>::kDepth;
  AttentionTile<T> tile = make_tile<T>(task, rows);
  start_tile(task, first, tile);
  const int last_query = task.first_position + first + rows - 1;
  const int64_t head_bytes = task.kv.value_offset + tile.columns * kBlock * sizeof(T);
  for (int block = 0; block <= last_query / kBlock; ++block) {
    const std::byte* memory = block_of(task.kv, block * kBlock);
    if (first == 0 && block < last_query / kBlock) {
      fetch<false>(block_of(task.kv, (block + 1) * kBlock), head_bytes);
    }
    const int visible =
        last_query - block * kBlock + 1;  // to the last row; what none sees is left out
    for (int i = 0; i < rows * kBlock; i += kLanes) store(tile.scores + i, splat(0));
    multiply<T, T>(rows, visible > kLanes ? 2 : 1,
                   {.x = tile.queries,
                    .x_stride = tile.columns,
                    .w = reinterpret_cast<const T*>(memory),
                    .w_step = kBlock * kDepth,
                    .k = task.kv.head_size,
                    .sums = tile.scores,
                    .sums_stride = kBlock,
                    .ahead = memory,
                    .ahead_step = 0});
    for (int row = 0; row < rows; ++row) {
      soften_row(task, tile, row, task.first_position + first + row, block);
    }
    multiply<T, T>(rows, tile.columns / kLanes,
                   {.x = tile.probabilities,
                    .x_stride = kBlock,
                    .w = reinterpret_cast<const T*>(memory + task.kv.value_offset),
                    .w_step = tile.columns * kDepth,
                    .k = visible < kBlock ? visible : kBlock,
                    .sums = tile.sums,
                    .sums_stride = tile.columns,
                    .ahead = memory,
                    .ahead_step = 0});
  }
  finish_attention(task, first, tile);
}

inline void attention(const AttentionTask& task) {
  for (int first = 0; first < task.rows; first += kTileRows) {
    const int rows = task.rows - first < kTileRows ? task.rows - first : kTileRows;
    task.kv.type == DType::kF32 ? attention_tile<float>(task, first, rows)
                                : attention_tile<uint16_t>(task, first, rows);
  }
}

}  // namespace
}  // namespace seqgpt::cpu
