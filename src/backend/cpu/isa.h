// SPDX-License-Identifier: Apache-2.0
// The instruction sets of this build: their kernel tables, and which of them the processor can run.
#pragma once

#include <span>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {

extern const Kernels portable_kernels;
#ifdef SEQGPT_ISA_X86_64
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
extern const Kernels avx512vnni_kernels;
extern const Kernels avx512bf16_kernels;
#endif

struct Isa {
  const Kernels* kernels;
  bool (*supported)();
};

/// Best last.
std::span<const Isa> known_isas();

}  // namespace seqgpt::cpu
