// SPDX-License-Identifier: Apache-2.0
// The kernels for any processor.
#include "backend/cpu/isa.h"
#include "backend/cpu/vec_portable-inl.h"
//
#include "backend/cpu/kernels-inl.h"

namespace seqgpt::cpu {

constinit const Kernels portable_kernels = make_kernels();

}  // namespace seqgpt::cpu
