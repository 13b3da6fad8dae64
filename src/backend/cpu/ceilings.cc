// SPDX-License-Identifier: Apache-2.0
// Measuring what the machine can do at best: the best of several short runs on the backend's
// threads.
#include <chrono>

#include "backend/cpu/backend_impl.h"
#include "backend/cpu/cpu_backend.h"

#include <unistd.h>

#include <algorithm>

namespace seqgpt {
namespace {

constexpr int kRuns = 8;
constexpr int64_t kMinBuffer = int64_t{256} << 20;
constexpr int64_t kMaxBuffer = int64_t{2} << 30;
constexpr int kCachesBeyond = 8;  // buffer: this many times the last-level cache

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Units a second at best: work(n) does n units; n grows until a run takes its share of the time.
double best_rate(double seconds, double units_of_one, const auto& work) {
  const double share = seconds / kRuns;
  int64_t n = 1;
  double taken = seconds_of([&] { work(n); });
  while (taken < share / 4 && n < int64_t{1} << 40) {
    n *= 4;
    taken = seconds_of([&] { work(n); });
  }
  double best = units_of_one * static_cast<double>(n) / taken;
  for (int run = 1; run < kRuns; ++run) {
    taken = seconds_of([&] { work(n); });
    best = std::max(best, units_of_one * static_cast<double>(n) / taken);
  }
  return best;
}

double spin_rate(cpu::CpuBackend& backend, double seconds, float (*spin)(int64_t),
                 int64_t multiply_adds) {
  std::atomic<float> sink{0};
  const double flops = 2.0 * static_cast<double>(multiply_adds) * backend.threads();
  return best_rate(seconds, flops,
                   [&](int64_t n) {
                     backend.pool().run(
                         [&](int) { sink.store(spin(n * 1000), std::memory_order_relaxed); });
                   }) *
         1000;
}

double read_rate(cpu::CpuBackend& backend, double seconds) {
  const int64_t cache = std::max<int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
  const int64_t bytes = std::clamp(cache * kCachesBeyond, kMinBuffer, kMaxBuffer);
  auto memory = cpu::AlignedMemory::allocate(bytes, "the bandwidth measurement");
  if (!memory.ok()) return 0;
  constexpr int64_t kGrain = 4096;
  backend.pool().split(bytes, kGrain, [&](int64_t begin, int64_t end) {
    std::fill(memory->data() + begin, memory->data() + end, std::byte{1});
  });
  std::atomic<float> sink{0};
  return best_rate(seconds, static_cast<double>(bytes), [&](int64_t n) {
    for (int64_t pass = 0; pass < n; ++pass) {
      backend.pool().split(bytes, kGrain, [&](int64_t begin, int64_t end) {
        sink.store(backend.kernels().read(memory->data() + begin, end - begin),
                   std::memory_order_relaxed);
      });
    }
  });
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
