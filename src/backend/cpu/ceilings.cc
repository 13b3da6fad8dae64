// SPDX-License-Identifier: Apache-2.0
// Measuring what the machine can do at best: the best of many short runs on the backend's threads.
//
// Runs are shorter than a scheduler's time slice, so that on a busy machine some of them are
// undisturbed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/cpu/backend_impl.h"
#include "backend/cpu/cpu_backend.h"

namespace seqgpt {
namespace {

constexpr double kRunSeconds = 0.002;  // of a run of multiply-adds
constexpr int kMinRuns = 5;
constexpr int64_t kMinBuffer = int64_t{256} << 20;
constexpr int64_t kMaxBuffer = int64_t{2} << 30;
constexpr int kCachesBeyond = 8;  // buffer: this many times the last-level cache
constexpr int64_t kReadBytes = int64_t{32}
                               << 20;  // of a run of reads; the next run reads on from there

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest time of `run` within about `seconds`.
double shortest(double seconds, const auto& run) {
  double best = seconds_of(run);
  double spent = best;
  for (int runs = 1; runs < kMinRuns || spent < seconds; ++runs) {
    const double taken = seconds_of(run);
    best = std::min(best, taken);
    spent += taken;
  }
  return best;
}

double spin_rate(cpu::CpuBackend& backend, double seconds, float (*spin)(int64_t),
                 int64_t multiply_adds) {
  std::atomic<float> sink{0};
  int64_t iterations = 1000;
  const auto run = [&] {
    backend.pool().run([&](int) { sink.store(spin(iterations), std::memory_order_relaxed); });
  };
  while (seconds_of(run) < kRunSeconds) iterations *= 2;
  const double taken = shortest(seconds, run);
  return 2.0 * static_cast<double>(multiply_adds * iterations) * backend.threads() / taken;
}

double read_rate(cpu::CpuBackend& backend, double seconds) {
  const int64_t cache = std::max<int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
  const int64_t bytes =
      std::clamp(cache * kCachesBeyond, kMinBuffer, kMaxBuffer) / kReadBytes * kReadBytes;
  auto memory = cpu::AlignedMemory::allocate(bytes, "the bandwidth measurement");
  if (!memory.ok()) return 0;
  constexpr int64_t kGrain = 4096;
  backend.pool().split(bytes, kGrain, [&](int64_t begin, int64_t end) {
    std::fill(memory->data() + begin, memory->data() + end, std::byte{1});
  });
  std::atomic<float> sink{0};
  int64_t at = 0;
  double taken = INFINITY;
  for (const int streams : {1, 2, 4}) {  // which reads fastest differs from machine to machine
    const double best = shortest(seconds / 3, [&] {
      backend.pool().split(kReadBytes, kGrain, [&](int64_t begin, int64_t end) {
        const float sum = backend.kernels().read(memory->data() + at + begin, end - begin, streams);
        sink.store(sum, std::memory_order_relaxed);
      });
      at = (at + kReadBytes) % bytes;
    });
    taken = std::min(taken, best);
  }
  return static_cast<double>(kReadBytes) / taken;
}

}  // namespace

Ceilings measure_ceilings(Backend& backend, double seconds) {
  auto& cpu_backend = static_cast<cpu::CpuBackend&>(backend);
  const cpu::Kernels& kernels = cpu_backend.kernels();
  Ceilings ceilings;
  ceilings.f32_gflops =
      spin_rate(cpu_backend, seconds, kernels.spin_f32, kernels.spin_multiply_adds_f32) / 1e9;
  ceilings.bf16_gflops = ceilings.f32_gflops;
  if (kernels.native_bf16) {
    ceilings.bf16_gflops =
        spin_rate(cpu_backend, seconds, kernels.spin_bf16, kernels.spin_multiply_adds_bf16) / 1e9;
  }
  ceilings.read_gbps = read_rate(cpu_backend, seconds) / 1e9;
  return ceilings;
}

}  // namespace seqgpt
