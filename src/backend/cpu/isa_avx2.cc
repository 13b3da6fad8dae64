// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX2 with FMA; compiled with those flags.
#include "backend/cpu/isa.h"
#include "backend/cpu/vec_avx2-inl.h"
//
#include "backend/cpu/kernels-inl.h"

namespace seqgpt::cpu {

constinit const Kernels avx2_kernels = make_kernels();

}  // namespace seqgpt::cpu
