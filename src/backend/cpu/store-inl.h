// SPDX-License-Identifier: Apache-2.0
// Keys and values into KV blocks: as they are, or as integers with scales of their position's own.
#pragma once

namespace seqgpt::cpu {
namespace {

constexpr int kBlock = kKvPositions;

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

/// 2^-100: a scale below it stands for zeros; its inverse might not be finite.
constexpr float kLeastScale = 0x1p-100F;

template <typename W>
constexpr float kMostInteger = 127;
template <>
constexpr float kMostInteger<KvInt4x8> = 7;

/// Stores the scale of `count` numbers and gives its inverse. NaN and infinities make it a NaN, so
/// that they are found where they would be without quantisation.
template <typename W>
SEQGPT_INLINE float set_scale(const float* from, int count, uint16_t* scale) {
  F32x16 most = splat(0);
  F32x16 wrong = splat(0);
  for (int i = 0; i < count; i += kLanes) {
    const F32x16 v = load_columns(from + i, count - i);
    most = max(most, max(v, sub(splat(0), v)));
    wrong = add(wrong, sub(v, v));
  }
  const float exact = reduce_max(most) / kMostInteger<W> + reduce_add(wrong);
  store_bf16_partial(scale, splat(exact), 1);
  const float stored = widen_one(*scale);
  return stored > kLeastScale ? 1 / stored : 0;
}

/// The nearest integers, which fit in 8 bits.
SEQGPT_INLINE void to_integers(F32x16 v, int8_t* numbers) {
  constexpr float kShift = 12582912;  // 1.5 * 2^23: the low bits of a sum with it are the integer
  float shifted[kLanes];
  store(shifted, add(v, splat(kShift)));
  for (int i = 0; i < kLanes; ++i) {
    uint32_t bits = 0;
    __builtin_memcpy(&bits, shifted + i, sizeof bits);
    numbers[i] = static_cast<int8_t>(bits);
  }
}

/// Number k of an KvInt4x8.
SEQGPT_INLINE uint32_t nibble_bits(int k, int number) {
  return (static_cast<uint32_t>(number) & 15U) << (16 * (k % 2) + 4 * (k / 2));
}

/// Numbers first ... of a position's key: a column of the packed integers.
SEQGPT_INLINE void put_key(int8_t* keys, int slot, int first, const int8_t* numbers, int count) {
  keys += slot / kLanes * 2 * kLanes + slot % kLanes;
  for (int i = 0; i < count; ++i)
    keys[(first + i) / 2 * 2 * kBlock + (first + i) % 2 * kLanes] = numbers[i];
}
SEQGPT_INLINE void put_key(KvInt4x8* keys, int slot, int first, const int8_t* numbers, int count) {
  for (int i = 0; i < count; i += 8) {
    uint32_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= nibble_bits(k, numbers[i + k]);
    keys[(first + i) / 8 * kBlock + slot].bits = bits;
  }
}

/// Numbers first ... first + 15 of a position's value: a row of the packed integers.
SEQGPT_INLINE void put_value(int8_t* values, int slot, int columns, int first,
                             const int8_t* numbers) {
  values += slot / 2 * 2 * columns + 2 * first + slot % 2 * kLanes;
  __builtin_memcpy(values, numbers, kLanes);
}
SEQGPT_INLINE void put_value(KvInt4x8* values, int slot, int columns, int first,
                             const int8_t* numbers) {
  values += slot / 8 * columns + first;
  const uint32_t others = ~nibble_bits(slot % 8, 15);
  for (int i = 0; i < kLanes; ++i)
    values[i].bits = (values[i].bits & others) | nibble_bits(slot % 8, numbers[i]);
}

/// One position's numbers as integers: scales[i * kBlock] for scale group i, and
/// put(first, numbers, count) for each 16 of them.
template <typename W, typename Put>
SEQGPT_INLINE void quantise_position(const HeadKv& kv, const float* from, uint16_t* scales,
                                     const Put& put) {
  const int size = kv.head_size;
  const int group = kv.scale_group;
  for (int first = 0; first < size; first += group, scales += kBlock) {
    const int end = size - first < group ? size : first + group;
    const float inverse = set_scale<W>(from + first, end - first, scales);
    for (int i = first; i < end; i += kLanes) {
      const int count = end - i < kLanes ? end - i : kLanes;
      int8_t numbers[kLanes];
      to_integers(mul(load_columns(from + i, count), splat(inverse)), numbers);
      put(i, numbers, count);
    }
  }
}

/// One position of one head: `key`, behind which its value stands, to `slot` of a block.
template <typename W>
SEQGPT_INLINE void store_position(const HeadKv& kv, std::byte* block, int slot, const float* key) {
  const int size = kv.head_size;
  const int columns = round_up(size, kLanes);
  const float* value = key + size;
  std::byte* value_memory = block + kv.value_offset;
  if constexpr (kQuantised<W>) {
    auto* keys = reinterpret_cast<W*>(block + kv.scale_bytes);
    auto* values = reinterpret_cast<W*>(value_memory + kv.scale_bytes);
    quantise_position<W>(kv, key, reinterpret_cast<uint16_t*>(block) + slot,
                         [&](int first, const int8_t* numbers, int count) {
                           put_key(keys, slot, first, numbers, count);
                         });
    quantise_position<W>(kv, value, reinterpret_cast<uint16_t*>(value_memory) + slot,
                         [&](int first, const int8_t* numbers, int) {
                           put_value(values, slot, columns, first, numbers);
                         });
  } else {
    store_key<W>(reinterpret_cast<W*>(block), key, slot, size);
    for (int i = 0; i < size; i += kLanes) {
      store_value_lanes(reinterpret_cast<W*>(value_memory), slot, columns, i,
                        load_columns(value + i, size - i));
    }
  }
}

template <typename W>
inline void store_kv_typed(const StoreTask& task) {
  const HeadKv& kv = task.kv;
  for (int row = 0; row < task.rows; ++row) {
    const int position = task.first_position + row;
    const int slot = position % kBlock;
    const float* key = task.keys + row * task.stride;
    const int next_block = row + kBlock - slot;
    if ((row == 0 || slot == 0) && next_block < task.rows) {
      fetch<true>(block_of(kv, position + kBlock - slot), kv.bytes);
    }
    if (row + kRowsAhead < task.rows)
      fetch<false>(key + kRowsAhead * task.stride, 2 * kv.head_size * sizeof(float));
    store_position<W>(kv, block_of(kv, position), slot, key);
  }
}

inline void store_kv(const StoreTask& task) {
  if (task.kv.type == DType::kF32) return store_kv_typed<float>(task);
  if (task.kv.type == DType::kBf16) return store_kv_typed<uint16_t>(task);
  if (task.kv.type == DType::kI8) return store_kv_typed<int8_t>(task);
  store_kv_typed<KvInt4x8>(task);
}

}  // namespace
}  // namespace seqgpt::cpu
