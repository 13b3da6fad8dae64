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

template <typename X, typename T, int kInputs, int kRows>
SEQGPT_INLINE void dot_step(const X* const* x, const T* const* rows, int64_t at, int count,
                            int chain, F32x16 (&sums)[kInputs][kRows][kDotChains]) {
  using S = DotStep<X, T>;
  typename S::Input inputs[kInputs];
#pragma GCC unroll 4
  for (int i = 0; i < kInputs; ++i) inputs[i] = S::input(x[i] + at, count);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const typename S::Input row = S::input(rows[r] + at, count);
#pragma GCC unroll 4
    for (int i = 0; i < kInputs; ++i) {
      sums[i][r][chain] = S::multiply(sums[i][r][chain], inputs[i], row);
    }
  }
}

/// kInputs rows of x times kRows rows of the table: out[i][j]. Each product runs through the same
/// steps whatever the tile: step s goes to vector s mod 2, then one fixed tree.
template <typename X, typename T, int kInputs, int kRows>
inline void dot_tile(const X* const* x, const T* const* rows, int64_t columns, float* const* out,
                     int64_t at_out) {
  constexpr int kWidth = DotStep<X, T>::kWidth;
  F32x16 sums[kInputs][kRows][kDotChains];
#pragma GCC unroll 4
  for (int i = 0; i < kInputs; ++i) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) sums[i][r][0] = sums[i][r][1] = splat(0);
  }
  int64_t at = 0;
  for (; at + 2 * kWidth <= columns; at += 2 * kWidth) {
    dot_step<X, T, kInputs, kRows>(x, rows, at, kWidth, 0, sums);
    dot_step<X, T, kInputs, kRows>(x, rows, at + kWidth, kWidth, 1, sums);
  }
  if (at + kWidth <= columns) {
    dot_step<X, T, kInputs, kRows>(x, rows, at, kWidth, 0, sums);
    at += kWidth;
    const auto rest = static_cast<int>(columns - at);
    if (rest > 0) dot_step<X, T, kInputs, kRows>(x, rows, at, rest, 1, sums);
  } else if (at < columns) {
    dot_step<X, T, kInputs, kRows>(x, rows, at, static_cast<int>(columns - at), 0, sums);
  }
  for (int i = 0; i < kInputs; ++i) {
    for (int r = 0; r < kRows; ++r) {
      out[i][at_out + r] = reduce_add(add(sums[i][r][0], sums[i][r][1]));
    }
  }
}

template <typename T>
SEQGPT_INLINE const T* table_row(const DotTask& task, int64_t index) {
  const int64_t row = task.ids != nullptr ? task.ids[index] : task.first + index;
  return reinterpret_cast<const T*>(task.table) + row * task.columns;
}

/// kInputs rows of x against all rows of the task.
template <typename X, typename T, int kInputs>
inline void dot_inputs(const DotTask& task, int first_input) {
  constexpr int kRows = kInputs == 1 ? 4 : 2;
  const auto* x = reinterpret_cast<const X* const*>(task.x + first_input);
  float* const* out = task.out + first_input;
  const T* rows[kRows];
  int64_t index = 0;
  for (; index + kRows <= task.count; index += kRows) {
    for (int r = 0; r < kRows; ++r) rows[r] = table_row<T>(task, index + r);
    dot_tile<X, T, kInputs, kRows>(x, rows, task.columns, out, task.first + index);
  }
  for (; index < task.count; ++index) {
    rows[0] = table_row<T>(task, index);
    dot_tile<X, T, kInputs, 1>(x, rows, task.columns, out, task.first + index);
  }
}

template <typename X, typename T>
inline void dot_typed(const DotTask& task) {
  int input = 0;
  for (; input + 4 <= task.x_count; input += 4) dot_inputs<X, T, 4>(task, input);
  if (input + 2 <= task.x_count) {
    dot_inputs<X, T, 2>(task, input);
    input += 2;
  }
  if (input < task.x_count) dot_inputs<X, T, 1>(task, input);
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
