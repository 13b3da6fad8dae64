// SPDX-License-Identifier: Apache-2.0
// Asking the processor; compiled without any wide flag.
#include "backend/cpu/isa.h"

namespace seqgpt::cpu {
namespace {

bool always() {
  return true;
}

#ifdef SEQGPT_ISA_X86_64
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512vnni() {
  return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

bool has_avx512bf16() {
  return has_avx512vnni() && __builtin_cpu_supports("avx512bf16");
}
#endif

}  // namespace

std::span<const Isa> known_isas() {
  static constexpr Isa kIsas[] = {
      {&portable_kernels, always},
#ifdef SEQGPT_ISA_X86_64
      {&avx2_kernels, has_avx2},
      {&avx512_kernels, has_avx512},
      {&avx512vnni_kernels, has_avx512vnni},
      {&avx512bf16_kernels, has_avx512bf16},
#endif
  };
  return kIsas;
}

}  // namespace seqgpt::cpu
