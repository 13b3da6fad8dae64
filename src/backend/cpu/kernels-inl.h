// SPDX-License-Identifier: Apache-2.0
// The generic kernel set over F32x16, included once by each isa_*.cc after its vec_*-inl.h.
//
// Everything here and in the files below lies in an unnamed namespace and calls no inline function
// or template of anybody else: code compiled for a wide instruction set must never be what the
// linker picks for the rest of the program.
#pragma once

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {
namespace {

template <int value>
struct Constant {
  static constexpr int kValue = value;
};

}  // namespace
}  // namespace seqgpt::cpu

// clang-format off: in order of use
#include "backend/cpu/math-inl.h"
#include "backend/cpu/multiply-inl.h"
#include "backend/cpu/quantised-inl.h"
#include "backend/cpu/linear-inl.h"
#include "backend/cpu/kv_integers-inl.h"
#include "backend/cpu/store-inl.h"
#include "backend/cpu/attention-inl.h"
#include "backend/cpu/rows-inl.h"
#include "backend/cpu/ceilings-inl.h"
// clang-format on

namespace seqgpt::cpu {
namespace {

constexpr Kernels make_kernels() {
  return {.name = kIsaName,
          .native_bf16 = kNativeBf16,
          .group_columns = kGroupColumns,
          .round_inputs = round_inputs_of,
          .linear = linear,
          .layer_norm = layer_norm,
          .store_kv = store_kv,
          .attention = attention,
          .dot_rows = dot_rows,
          .embed = embed,
          .all_finite = all_finite,
          .exp = exp_array,
          .gelu = gelu_array,
          .spin_f32 = spin_f32,
          .spin_bf16 = spin_bf16,
          .spin_multiply_adds_f32 = kSpinChains * kLanes,
          .spin_multiply_adds_bf16 = kSpinBf16,
          .read = read_memory};
}

}  // namespace
}  // namespace seqgpt::cpu
