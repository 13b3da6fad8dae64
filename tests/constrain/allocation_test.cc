// SPDX-License-Identifier: Apache-2.0
// An answer under way costs no allocation: not in its guesses, nor where a value is decided, nor
// where what was already given is looked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness.h"
#include "support/count_allocations.h"

namespace seqgpt::harness {
namespace {

using testing_support::allocations;
using testing_support::kCountsAllocations;

const std::string kText =
    "合同编号：HT-2024-"
    "001，甲方：上海云图数据科技有限公司，乙方：北京星河网络技术有限公司，签订日期：2024年3月"
    "15日，金额：1200000元。联系人：王伟、李娜、张三，电话：138 0013 8000，None "
    "备注：无\n甲方：上海云图";

struct Walk {
  long allocations = 0;
  int guesses = 0;
  size_t values = 0;
};

/// Answers as the engine does. A choice is the guess when there is one, else (and each fifth time)
/// another that differs from walk to walk.
Walk walk(const ExtractionConstraint& constraint, uint32_t seed) {
  std::vector<int32_t> ids;
  ids.reserve(1 << 16);
  Walk walk;
  Constraint::State state = constraint.start();
  const long before = allocations;
  for (uint32_t turn = seed; !constraint.finished(state); ++turn) {
    ids.clear();
    constraint.forced(state, ids);
    if (!ids.empty()) {
      for (const int32_t id : ids) state = constraint.advance(state, id);
      continue;
    }
    constraint.allowed(state, ids);
    const int32_t guess = constraint.guess(state);
    const bool follows = turn % 5 != 0 && std::ranges::binary_search(ids, guess);
    if (follows) ++walk.guesses;
    state = constraint.advance(state, follows ? guess : ids[turn * 2654435761U % ids.size()]);
  }
  walk.allocations = allocations - before;
  walk.values = constraint.values(state).size();
  return walk;
}

TEST(Allocations, NoneForATokenOfAnExtraction) {
  if (!kCountsAllocations) GTEST_SKIP();
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    int guesses = 0;
    size_t values = 0;
    for (uint32_t seed = 0; seed < 20; ++seed) {
      const auto constraint =
          constraint_of(*vocabulary, kText, {"甲方", "乙方", "签订日期", "金额", "联系人"});
      const Walk one = walk(*constraint, seed);
      EXPECT_EQ(one.allocations, 0) << "in walk " << seed << " with " << one.values << " values";
      guesses += one.guesses;
      values += one.values;
    }
    EXPECT_GT(guesses, 20);
    EXPECT_GT(values, 20U);
  }
}

TEST(Allocations, StatesMayOutliveTheirConstraint) {
  std::vector<Constraint::State> kept;
  for (int i = 0; i < 3; ++i) {
    const auto constraint = constraint_of(byte_vocabulary(), "ab cd ef gh", {"a", "b"});
    Constraint::State state = constraint->start();
    std::vector<int32_t> ids;
    while (!constraint->finished(state)) {
      ids.clear();
      constraint->forced(state, ids);
      if (ids.empty()) constraint->allowed(state, ids);
      kept.push_back(state);
      state = constraint->advance(state, ids.front());
    }
    kept.push_back(state);
  }
  kept.clear();  // an address sanitizer sees what this reads
}

TEST(Allocations, ManyValuesAreStillInOrder) {
  std::mt19937 random(7);
  const Vocabulary& bytes = byte_vocabulary();
  std::string text;
  for (char c = 'a'; c <= 'z'; ++c) text += std::string(1, c) + " ";
  const auto constraint = constraint_of(bytes, text, {"x", "y"});
  const Answer answer = generate(*constraint, bytes, many_values(bytes, random));
  ASSERT_GT(answer.values.size(), 32U);  // more than memory is reserved for
  const std::vector<Parsed> parsed = parse(answer.bytes, {"x", "y"});
  ASSERT_EQ(answer.values.size(), parsed.size());
  for (size_t i = 0; i < parsed.size(); ++i) {
    EXPECT_EQ(answer.values[i].bytes, parsed[i].value);
    EXPECT_EQ(answer.values[i].label, parsed[i].label);
  }
}

}  // namespace
}  // namespace seqgpt::harness
