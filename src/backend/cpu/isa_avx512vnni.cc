// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX-512 with VNNI, without BF16; compiled with those flags.
#include "backend/cpu/isa.h"
#include "backend/cpu/vec_avx512-inl.h"
//
#include "backend/cpu/kernels-inl.h"

namespace seqgpt::cpu {

constinit const Kernels avx512vnni_kernels = make_kernels();

}  // namespace seqgpt::cpu
