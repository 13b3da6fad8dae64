// SPDX-License-Identifier: Apache-2.0
// A small fixed pool for data-parallel loops: spins at most 50 us between loops, then sleeps.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace seqgpt {

/// Thread contract: one thread at a time calls run(); it takes part as thread 0 and returns when
/// all parts are done. A body must not throw, block on another body, or call run() again.
class ThreadPool {
 public:
  /// threads >= 1, the calling thread included; threads - 1 workers are started.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(thread) once for each thread 0..size()-1, in parallel. Allocates nothing.
  template <typename Body>
  void run(const Body& body) {
    run_erased(
        [](const void* context, int thread) { (*static_cast<const Body*>(context))(thread); },
        &body);
  }

  /// Splits [0, count) into size() contiguous parts, each a multiple of `grain` but the last, and
  /// calls body(begin, end) for each non-empty part. The split depends on count and size() only.
  template <typename Body>
  void split(int64_t count, int64_t grain, const Body& body) {
    const int64_t grains = (count + grain - 1) / grain;
    run([&](int thread) {
      const int64_t begin = grains * thread / size() * grain;
      const int64_t end = std::min(count, grains * (thread + 1) / size() * grain);
      if (begin < end) body(begin, end);
    });
  }

 private:
  using Erased = void (*)(const void*, int);

  void run_erased(Erased body, const void* context);
  void work(int thread);

  Erased body_ = nullptr;
  const void* context_ = nullptr;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> pending_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

/// Threads that this process may use well: min(affinity, ceil(cgroup CPU quota), physical cores),
/// >= 1.
int usable_threads();

}  // namespace seqgpt
