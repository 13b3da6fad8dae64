// SPDX-License-Identifier: Apache-2.0
// The flat table against a std::map, and its defence against chosen collisions.
#include "tokenizer/merge_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace seqgpt {
namespace {

TEST(MergeTable, AgreesWithAMap) {
  std::mt19937_64 random(1);
  for (const size_t count : {0, 1, 2, 3, 1000, 50'000}) {
    MergeTable table(count);
    std::map<std::pair<int32_t, int32_t>, int32_t> ranks;
    for (size_t rank = 0; rank < count; ++rank) {
      const auto left = static_cast<int32_t>(random() % 300);
      const auto right = static_cast<int32_t>(random() % 300);
      ASSERT_TRUE(table.insert(left, right, left + right));
      ranks[{left, right}] = static_cast<int32_t>(rank);  // given twice: the later counts
    }
    for (int32_t left = 0; left < 300; ++left) {
      for (int32_t right = 0; right < 300; ++right) {
        const auto found = ranks.find({left, right});
        const Merge merge = table.find(left, right);
        ASSERT_EQ(merge.exists(), found != ranks.end());
        if (!merge.exists()) continue;
        ASSERT_EQ(merge.rank, found->second);
        ASSERT_EQ(merge.result, left + right);
      }
    }
  }
}

TEST(MergeTable, RefusesChosenCollisions) {
  MergeTable table(4096);
  const size_t place = table.home(0, 0);
  size_t inserted = 0;
  bool refused = false;
  for (int32_t left = 0; left < 10'000 && !refused; ++left) {
    for (int32_t right = 0; right < 2000 && !refused; ++right) {
      if (table.home(left, right) != place) continue;
      refused = !table.insert(left, right, 1);
      ++inserted;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_GT(inserted, 1000U);
  EXPECT_LT(inserted, 2000U);
}

}  // namespace
}  // namespace seqgpt
