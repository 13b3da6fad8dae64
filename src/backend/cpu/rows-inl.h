// SPDX-License-Identifier: Apache-2.0
// Work on single rows: LayerNorm, lookup and dot products over the embedding, the finite check.
#pragma once

namespace seqgpt::cpu {
namespace {

/// Sum of function(vector) over a row, in four vectors taken in turn and one fixed tree.
template <typename Function>
SEQGPT_INLINE float sum_row(const float* x, int64_t columns, Function function) {
  F32x16 sums[4] = {splat(0), splat(0), splat(0), splat(0)};
  int64_t i = 0;
  for (; i + 4 * kLanes <= columns; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) sums[j] = add(sums[j], function(load(x + i + j * kLanes)));
  }
  for (int j = 0; i < columns; i += kLanes, ++j) {
    const int count = columns - i < kLanes ? static_cast<int>(columns - i) : kLanes;
    sums[j] = add(sums[j], first_lanes(function(load_columns(x + i, count)), count, splat(0)));
  }
  return reduce_add(add(add(sums[0], sums[2]), add(sums[1], sums[3])));
}

template <typename Out>
SEQGPT_INLINE void normalize_row(const NormTask& task, const float* x, Out* out) {
  const auto columns = static_cast<float>(task.columns);
  const float mean = sum_row(x, task.columns, [](F32x16 v) { return v; }) / columns;
  const float squares = sum_row(x, task.columns, [mean](F32x16 v) {
    const F32x16 centred = sub(v, splat(mean));
    return mul(centred, centred);
  });
  const float scale = 1.0F / __builtin_sqrtf(squares / columns + task.epsilon);
  for (int64_t i = 0; i < task.columns; i += kLanes) {
    const int count = task.columns - i < kLanes ? static_cast<int>(task.columns - i) : kLanes;
    const F32x16 v = mul(sub(load_columns(x + i, count), splat(mean)), splat(scale));
    const F32x16 gain = load_columns(task.gain + i, count);
    store_columns<Out>(out + i, mul_add(v, gain, load_columns(task.bias + i, count)), count);
  }
}

inline void layer_norm(const NormTask& task) {
  for (int64_t row = 0; row < task.rows; ++row) {
    const float* x = task.x + row * task.x_stride;
    const int64_t at = row * task.out_stride;
    if (task.out_type == DType::kF32) {
      normalize_row(task, x, static_cast<float*>(task.out) + at);
    } else {
      normalize_row(task, x, static_cast<uint16_t*>(task.out) + at);
    }
  }
}

SEQGPT_INLINE F32x16 load_wide(const float* from, int count) {
  return load_columns(from, count);
}
SEQGPT_INLINE F32x16 load_wide(const uint16_t* from, int count) {
  return count >= kLanes ? load_bf16(from) : load_bf16_partial(from, count);
}

constexpr int kInputBits = 14;
constexpr float kLeastInput = 0x1p-100F;  // a smaller largest input makes zeros

SEQGPT_INLINE float power_of_two(int exponent) {  // -126..127
  const uint32_t bits = static_cast<uint32_t>(exponent + 127) << 23;
  float power = 0;
  __builtin_memcpy(&power, &bits, sizeof power);
  return power;
}
/// The largest e with 2^e <= v, for normal v > 0.
SEQGPT_INLINE int exponent_of(float v) {
  uint32_t bits = 0;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return static_cast<int>(bits >> 23) - 127;
}

/// x rounded to multiples of a power of two that kScaleGroup of them share, so that the largest
/// has 14 bits. Infinity and NaN make the scale NaN.
template <typename X>
SEQGPT_INLINE float round_inputs(const X* x, int count, int16_t* to, int32_t* sums) {
  F32x16 largest = splat(0);
  F32x16 damage = splat(0);
  for (int i = 0; i < count; i += kLanes) {
    const F32x16 v = load_wide(x + i, count - i);
    largest = max(largest, max(v, sub(splat(0), v)));
    damage = mul_add(v, splat(0), damage);
  }
  const float peak = reduce_max(largest);
  const float damaged = reduce_add(damage);
  const bool counts = peak >= kLeastInput && damaged == 0;
  const int exponent = counts ? exponent_of(peak) : 0;
  const F32x16 inverse = splat(counts ? power_of_two(kInputBits - 1 - exponent) : 0.0F);
  for (int i = 0; i < kScaleGroup; i += kLanes) {
    const F32x16 v = i < count ? load_wide(x + i, count - i) : splat(0);
    store_integers(to + i, mul(v, inverse));
  }
  for (int i = 0; i < kSubgroups; ++i) {
    int32_t sum = 0;
    for (int j = 0; j < kSubgroup; ++j) sum += to[i * kSubgroup + j];
    sums[i] = -8 * sum;
  }
  return (counts ? power_of_two(exponent - kInputBits + 1) : 0.0F) + damaged;
}

template <typename X>
inline void round_rows(const RoundTask& task) {
  for (int64_t row = 0; row < task.rows; ++row) {
    const X* x = static_cast<const X*>(task.x) + row * task.x_stride;
    int16_t* out = task.out + row * scale_groups(task.columns) * kScaleGroup;
    float* scales = task.scales + row * scale_groups(task.columns);
    int32_t* sums = task.sums + row * scale_groups(task.columns) * kSubgroups;
    for (int64_t i = 0; i < task.columns; i += kScaleGroup) {
      const int64_t count = task.columns - i < kScaleGroup ? task.columns - i : kScaleGroup;
      *scales++ = round_inputs(x + i, static_cast<int>(count), out + i, sums);
      sums += kSubgroups;
    }
  }
}

inline void round_inputs_of(const RoundTask& task) {
  task.x_type == DType::kF32 ? round_rows<float>(task) : round_rows<uint16_t>(task);
}

/// One step of a dot product of two rows: kWidth values of each, the last step masked.
template <typename X, typename T>
struct DotStep {
  static constexpr int kWidth = kLanes;
  using Input = F32x16;
  template <typename Number>
  static SEQGPT_INLINE Input input(const Number* from, int count) {
    return load_wide(from, count);
  }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Input a, Input b) { return mul_add(a, b, sum); }
};

template <>
struct DotStep<uint16_t, uint16_t> {
  static constexpr int kWidth = 2 * kLanes;
  using Input = Pairs;
  static SEQGPT_INLINE Input input(const uint16_t* from, int count) {
    return count >= kWidth ? load_pairs(from) : load_pairs_partial(from, count);
  }
  static SEQGPT_INLINE F32x16 multiply(F32x16 sum, Input a, Input b) {
#ifdef __AVX512BF16__
    return dot_pairs(sum, a, b);
#else
    return mul_add(odd(a), odd(b), mul_add(even(a), even(b), sum));
#endif
  }
};

constexpr int kDotChains = 2;  // vectors that a dot product's steps take in turn

template <typename X, typename T, int kInputs>
SEQGPT_INLINE void dot_step(const X* const* x, const T* row, int64_t at, int count, int chain,
                            F32x16 (&sums)[kInputs][kDotChains]) {
  using S = DotStep<X, T>;
  const typename S::Input numbers = S::input(row + at, count);
#pragma GCC unroll 8
  for (int i = 0; i < kInputs; ++i) {
    sums[i][chain] = S::multiply(sums[i][chain], S::input(x[i] + at, count), numbers);
  }
}

/// kInputs rows of x times one row of the table: out[i][at_out]. Each product runs through the same
/// steps whatever kInputs: step s goes to vector s mod 2, then one fixed tree. A scattered next row
/// is fetched meanwhile; rows in order are the hardware's business, which our fetches would only
/// disturb.
template <typename X, typename T, int kInputs, bool kScattered>
inline void dot_row(const X* const* x, const T* row, const T* next, int64_t columns,
                    float* const* out, int64_t at_out) {
  constexpr int kWidth = DotStep<X, T>::kWidth;
  F32x16 sums[kInputs][kDotChains];
#pragma GCC unroll 8
  for (int i = 0; i < kInputs; ++i) sums[i][0] = sums[i][1] = splat(0);
  int64_t at = 0;
  for (; at + 2 * kWidth <= columns; at += 2 * kWidth) {
    if constexpr (kScattered) {
      __builtin_prefetch(next + at);
      __builtin_prefetch(next + at + kWidth);
    }
    dot_step<X, T, kInputs>(x, row, at, kWidth, 0, sums);
    dot_step<X, T, kInputs>(x, row, at + kWidth, kWidth, 1, sums);
  }
  int rest = static_cast<int>(columns - at);
  if (rest > 0) dot_step<X, T, kInputs>(x, row, at, rest < kWidth ? rest : kWidth, 0, sums);
  rest -= kWidth;
  if (rest > 0) dot_step<X, T, kInputs>(x, row, at + kWidth, rest, 1, sums);
#pragma GCC unroll 8
  for (int i = 0; i < kInputs; ++i) out[i][at_out] = reduce_add(add(sums[i][0], sums[i][1]));
}

/// The next kInputs rows of x against all rows of the task: one row of the table after another,
/// since memory is read fastest in order.
template <typename X, typename T, int kInputs>
inline void dot_inputs(const DotTask& task, int& input) {
  for (; task.x_count - input >= kInputs; input += kInputs) {
    const auto* x = reinterpret_cast<const X* const*>(task.x + input);
    const auto* table = reinterpret_cast<const T*>(task.table);
    float* const* out = task.out + input;
    for (int64_t i = 0; i < task.count; ++i) {
      if (task.ids == nullptr) {
        const T* row = table + (task.first + i) * task.columns;
        dot_row<X, T, kInputs, false>(x, row, row, task.columns, out, task.first + i);
      } else {
        const T* row = table + task.ids[i] * task.columns;
        const T* next = table + task.ids[i + 1 < task.count ? i + 1 : i] * task.columns;
        dot_row<X, T, kInputs, true>(x, row, next, task.columns, out, task.first + i);
      }
    }
  }
}

template <typename X, typename T>
inline void dot_typed(const DotTask& task) {
  int input = 0;

  dot_inputs<X, T, 4>(task, input);
  dot_inputs<X, T, 2>(task, input);
  dot_inputs<X, T, 1>(task, input);
}

inline void dot_rows(const DotTask& task) {
  if (task.table_type == DType::kF32) {
    return task.x_type == DType::kF32 ? dot_typed<float, float>(task)
                                      : dot_typed<uint16_t, float>(task);
  }
  return task.x_type == DType::kF32 ? dot_typed<float, uint16_t>(task)
                                    : dot_typed<uint16_t, uint16_t>(task);
}

template <typename T>
inline void embed_typed(const EmbedTask& task) {
  for (int64_t row = 0; row < task.count; ++row) {
    const T* from = reinterpret_cast<const T*>(task.table) + task.ids[row] * task.columns;
    float* out = task.out + row * task.out_stride;
    for (int64_t i = 0; i < task.columns; i += kLanes) {
      const int count = task.columns - i < kLanes ? static_cast<int>(task.columns - i) : kLanes;
      store_columns<float>(out + i, load_wide(from + i, count), count);
    }
  }
}

inline void embed(const EmbedTask& task) {
  task.table_type == DType::kF32 ? embed_typed<float>(task) : embed_typed<uint16_t>(task);
}

/// x * 0 is 0, or NaN for what is not finite; NaN then stays in the sum.
template <typename X>
inline bool finite_typed(const X* x, int64_t count) {
  F32x16 sum = splat(0);
  for (int64_t i = 0; i < count; i += kLanes) {
    const int lanes = count - i < kLanes ? static_cast<int>(count - i) : kLanes;
    sum = mul_add(load_wide(x + i, lanes), splat(0), sum);
  }
  return reduce_add(sum) == 0;
}

inline bool all_finite(const void* x, DType type, int64_t count) {
  return type == DType::kF32 ? finite_typed(static_cast<const float*>(x), count)
                             : finite_typed(static_cast<const uint16_t*>(x), count);
}

}  // namespace
}  // namespace seqgpt::cpu
