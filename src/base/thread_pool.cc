// SPDX-License-Identifier: Apache-2.0
// The pool's hand-over: a generation counter that workers watch, first spinning, then asleep.
#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace seqgpt {
namespace {

constexpr std::chrono::microseconds kSpin{
    50};  // longer spinning steals the core from its neighbours

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `ready` or kSpin has passed; tells which.
template <typename Ready>
bool spin_until(const Ready& ready) {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return ready();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int thread = 1; thread < threads; ++thread)
    workers_.emplace_back([this, thread] { work(thread); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    generation_.fetch_add(1);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(Erased body, const void* context) {
  if (!workers_.empty()) {
    const std::lock_guard lock(mutex_);
    body_ = body;
    context_ = context;
    pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  body(context, 0);
  const auto done = [this] { return pending_.load(std::memory_order_acquire) == 0; };
  while (!spin_until(done)) std::this_thread::yield();
}

void ThreadPool::work(int thread) {
  uint64_t seen = 0;
  while (true) {
    const auto changed = [&] { return generation_.load(std::memory_order_acquire) != seen; };
    if (!spin_until(changed)) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, changed);
    }
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) return;
    body_(context_, thread);
    pending_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

namespace {

int affinity_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

/// ceil(quota / period) of cgroup v2 or v1, or a large number when there is no quota.
int quota_threads() {
  constexpr int kNoQuota = 1 << 20;
  double quota = 0;
  double period = 0;
  std::string first;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> first >> period) {
    if (first == "max") return kNoQuota;
    std::istringstream(first) >> quota;
  } else {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return kNoQuota;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

/// Distinct (package, core) pairs among the processors of our affinity; 0 when the kernel does not
/// say.
int physical_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  std::set<std::pair<int, int>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const std::string base = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    int package = 0;
    int core = 0;
    if (!(std::ifstream(base + "physical_package_id") >> package)) return 0;
    if (!(std::ifstream(base + "core_id") >> core)) return 0;
    cores.emplace(package, core);
  }
  return static_cast<int>(cores.size());
}

}  // namespace

int usable_threads() {
  const int threads = std::min(affinity_threads(), quota_threads());
  const int cores = physical_cores();
  return cores > 0 ? std::min(threads, cores) : threads;
}

}  // namespace seqgpt
