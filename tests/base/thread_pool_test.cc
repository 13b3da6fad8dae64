// SPDX-License-Identifier: Apache-2.0
// Every index once, the same split every time, many loops in a row.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace seqgpt {
namespace {

using Parts = std::vector<std::pair<int64_t, int64_t>>;

Parts parts_of(ThreadPool& pool, int64_t count, int64_t grain) {
  Parts parts;
  std::mutex mutex;
  pool.split(count, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::sort(parts.begin(), parts.end());
  return parts;
}

TEST(ThreadPool, SplitCoversEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    for (const int64_t count : {0, 1, 2, 3, 7, 15, 16, 17, 31, 64, 100, 1001}) {
      for (const int64_t grain : {1, 2, 3, 16, 64}) {
        const Parts parts = parts_of(pool, count, grain);
        EXPECT_LE(parts.size(), static_cast<size_t>(threads));
        int64_t at = 0;
        for (const auto& [begin, end] : parts) {
          EXPECT_EQ(begin, at);
          EXPECT_LT(begin, end);
          EXPECT_EQ(begin % grain, 0);
          EXPECT_TRUE(end % grain == 0 || end == count);
          at = end;
        }
        EXPECT_EQ(at, count) << threads << " threads, grain " << grain;
      }
    }
  }
}

TEST(ThreadPool, SplitDependsOnCountAndSizeOnly) {
  ThreadPool first(3);
  ThreadPool second(3);
  const Parts expected = parts_of(first, 1000, 8);
  EXPECT_EQ(expected, (Parts{{0, 328}, {328, 664}, {664, 1000}}));
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(parts_of(first, 1000, 8), expected);
    ASSERT_EQ(parts_of(second, 1000, 8), expected);
  }
}

TEST(ThreadPool, RunCallsEachThreadOnce) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> calls(4, 0);  // each thread writes its own
    pool.run([&](int thread) { ++calls[static_cast<size_t>(thread)]; });
    ASSERT_EQ(calls, (std::vector<int>{1, 1, 1, 1}));
  }
}

TEST(ThreadPool, WorkersWakeAfterSleep) {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than they spin
    pool.run([&](int thread) { sum += thread + 1; });
  }
  EXPECT_EQ(sum, 5 * 6);
}

TEST(ThreadPool, StartsAndStopsWithoutWork) {
  for (int round = 0; round < 20; ++round) ThreadPool pool(3);
}

TEST(ThreadPool, UsableThreadsAreWithinReason) {
  EXPECT_GE(usable_threads(), 1);
  EXPECT_LE(usable_threads(), std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace seqgpt
