// SPDX-License-Identifier: Apache-2.0
// The CPU backend's door: which instruction sets there are, how one is chosen, and the machine's
// ceilings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace seqgpt {

struct CpuOptions {
  std::string isa = "auto";  // "auto" or a name from isa_names()
  int threads = 0;           // 0: usable_threads()
};

/// Every name known to this build, best last: "portable", "avx2", "avx512", "avx512bf16" (x86-64).
std::vector<std::string> isa_names();
/// Names that this processor can run, best last.
std::vector<std::string> supported_isa_names();

/// Errors: kInvalidArgument with param "isa" for an unknown name or one this processor cannot run
/// (the message lists those it can), "threads" for a number outside 1..1024.
Result<std::unique_ptr<Backend>> make_cpu_backend(const CpuOptions& options);

/// True when `isa` multiplies bf16 pairs natively: bf16 compute is then faster than f32.
bool isa_has_bf16(std::string_view isa);

/// What the machine can do at best, measured now on the backend's own threads and instruction set.
struct Ceilings {
  double f32_gflops = 0;   // multiply-adds count two
  double bf16_gflops = 0;  // equals f32_gflops where there is no bf16 dot product
  double read_gbps = 0;    // reading memory far larger than the caches, 1e9 bytes a second
};

/// `backend` must come from make_cpu_backend. Takes about `seconds` for each figure.
Ceilings measure_ceilings(Backend& backend, double seconds);

}  // namespace seqgpt
