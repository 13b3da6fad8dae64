// SPDX-License-Identifier: Apache-2.0
// The prefix cache: same bits on and off, rows saved, memory given back, order of eviction.
#include <gtest/gtest.h>

#include "engine/fixture.h"

namespace seqgpt::testing_support {
namespace {

Ids joined(Ids first, const Ids& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

GenerateRequest ask(Ids prompt, int tokens = 4) {
  return {.prompt = std::move(prompt), .max_new_tokens = tokens};
}

class PrefixCaching : public ::testing::Test {
 protected:
  std::unique_ptr<Engine> engine(int blocks, EngineOptions options = {}) {
    return make_engine(*loaded_.model, blocks, options);
  }
  Ids tokens(size_t count) { return random_ids(random_, count, 150); }
  Generation plain(const GenerateRequest& request) {
    const auto engine = make_engine(*loaded_.model, 100, {.prefix_cache_bytes = 0});
    return engine->generate(request).value();
  }

  LoadedModel loaded_ = random_model(9);
  std::mt19937 random_{17};
};

TEST_F(PrefixCaching, TheSecondQuestionReadsOnlyWhatIsNew) {
  const Ids text = tokens(500);
  const auto first = ask(joined(text, tokens(30)));
  const auto second = ask(joined(text, tokens(20)));
  const auto warm = engine(100);
  expect_same(warm->generate(first).value(), plain(first));
  EXPECT_EQ(warm->counters().prompt_tokens, 530U);
  EXPECT_EQ(warm->counters().prefix_hits, 0U);
  expect_same(warm->generate(second).value(), plain(second));
  EXPECT_EQ(warm->counters().prompt_tokens, 530U + 20);  // the partial block is shared, too
  EXPECT_EQ(warm->counters().prefix_hits, 1U);
  EXPECT_EQ(warm->counters().prefix_lookups, 2U);
  EXPECT_EQ(warm->counters().prefix_tokens, 500U);
  EXPECT_EQ(warm->counters().kv_blocks_used, 0);
  EXPECT_GT(warm->counters().kv_blocks_cached, 15);
  expect_same(warm->generate(first).value(), plain(first));  // the same once more: one row
  EXPECT_EQ(warm->counters().prompt_tokens, 530U + 20 + 1);
}

TEST_F(PrefixCaching, OwnersShareNothing) {
  const auto request = ask(tokens(110));
  const auto warm = engine(100);
  const auto rows_read_for = [&](const std::string& owner) {
    const uint64_t before = warm->counters().prompt_tokens;
    warm->set_owner(owner);
    expect_same(warm->generate(request).value(), plain(request));
    return warm->counters().prompt_tokens - before;
  };
  for (const char* owner : {"", "one", "two"}) EXPECT_EQ(rows_read_for(owner), 110U) << owner;
  EXPECT_EQ(warm->counters().prefix_hits, 0U);
  for (const char* owner : {"two", "", "one"}) EXPECT_EQ(rows_read_for(owner), 1U) << owner;
  EXPECT_EQ(warm->counters().prefix_hits, 3U);
}

/// Asked at once, too: to wait for another's reading would be told by the time.
TEST_F(PrefixCaching, OwnersDoNotWaitForEachOther) {
  const auto request = ask(tokens(210));
  const auto one = engine(100, {.chunk_tokens = 64});
  std::vector<RequestId> ids;
  for (const char* owner : {"one", "two", "two"}) {
    one->set_owner(owner);
    ids.push_back(one->submit(request).value());
  }
  while (one->step()) {
  }
  for (const RequestId id : ids) expect_same(one->take_generation(id).value(), plain(request));
  EXPECT_EQ(one->counters().prompt_tokens, 210U + 210 + 1);
}

TEST_F(PrefixCaching, OneOwnersBlocksMakeRoomForAnothers) {
  const auto tight = engine(4);
  for (int i = 0; i < 12; ++i) {
    tight->set_owner(std::to_string(i % 3));
    const auto request = ask(tokens(100));
    expect_same(tight->generate(request).value(), plain(request));
  }
  EXPECT_GT(tight->counters().prefix_evictions, 10U);
  EXPECT_EQ(tight->counters().kv_blocks_used, 0);
}

TEST_F(PrefixCaching, OffMeansOff) {
  const auto request = ask(tokens(100));
  const auto cold = engine(100, {.prefix_cache_bytes = 0});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(cold->generate(request).ok());
  EXPECT_EQ(cold->counters().prompt_tokens, 200U);
  EXPECT_EQ(cold->counters().prefix_lookups, 0U);
  EXPECT_EQ(cold->counters().kv_blocks_cached, 0);
}

TEST_F(PrefixCaching, AskedTogetherTheTextIsReadOnce) {
  const Ids text = tokens(200);
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(ask(joined(text, tokens(10)), 6));
  for (const int chunk : {16, 50, 512}) {
    SCOPED_TRACE(chunk);
    const auto one = engine(100, {.chunk_tokens = chunk});
    std::vector<RequestId> ids;
    for (const auto& request : requests) ids.push_back(one->submit(request).value());
    while (one->step()) {
    }
    for (size_t i = 0; i < ids.size(); ++i)
      expect_same(one->take_generation(ids[i]).value(), plain(requests[i]));
    EXPECT_EQ(one->counters().prompt_tokens, 210U + 3 * 10);
  }
}

TEST_F(PrefixCaching, WaitingEndsWhenTheLeaderIsGone) {
  const Ids text = tokens(200);
  const auto one = engine(100, {.chunk_tokens = 16});
  const auto leader = one->submit(ask(joined(text, tokens(10)))).value();
  const auto follower_request = ask(joined(text, tokens(12)));
  const auto follower = one->submit(follower_request).value();
  ASSERT_TRUE(one->step());
  ASSERT_TRUE(one->step());
  one->cancel(leader);
  while (one->step()) {
  }
  expect_same(one->take_generation(follower).value(), plain(follower_request));
  EXPECT_EQ(one->counters().prompt_tokens, 212U);  // 32 of them by the leader
}

TEST_F(PrefixCaching, StrangersDoNotWait) {
  const auto one = engine(100, {.chunk_tokens = 64});
  const Ids start = tokens(20);  // less than a block in common
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(one->submit(ask(joined(start, tokens(12)))).ok());
  ASSERT_TRUE(one->step());
  EXPECT_EQ(one->counters().prompt_tokens, 64U);
}

TEST_F(PrefixCaching, WhatIsKeptIsNeverInTheWay) {
  const auto tight = engine(4);  // 128 positions
  for (int i = 0; i < 30; ++i) {
    const auto request = ask(tokens(1 + random_() % 120), 1 + static_cast<int>(random_() % 8));
    expect_same(tight->generate(request).value(), plain(request));
  }
  EXPECT_GT(tight->counters().prefix_evictions, 10U);
  EXPECT_EQ(tight->counters().failed, 0U);
}

TEST_F(PrefixCaching, KeepsNoMoreThanItsShare) {
  const size_t block = kv_block_bytes(*loaded_.model);
  const auto small = engine(40, {.prefix_cache_bytes = 5 * block + block / 2});
  const Ids kept = tokens(64);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(small->generate(ask(joined(kept, tokens(2)))).ok());
    ASSERT_TRUE(small->generate(ask(tokens(90))).ok());
    EXPECT_LE(small->counters().kv_blocks_cached, 5);
  }
  // Blocks used again and again outlive those used once.
  EXPECT_EQ(small->counters().prefix_hits, 5U);
}

/// Forces forty tokens, then chooses twice.
class LongForced final : public Constraint {
 public:
  State start() const override { return {}; }
  bool finished(const State& state) const override { return state.word[0] == 42; }
  void forced(const State& state, Ids& ids) const override {
    if (state.word[0] == 0) ids.assign(40, 9);
  }
  void allowed(const State&, Ids& ids) const override { ids = {10, 20, 30, 40}; }
  State advance(const State& state, int32_t) const override {
    State next;
    next.word[0] = state.word[0] + 1;
    return next;
  }
};

/// Forced tokens are computed in the prompt's own pass, and may lie in blocks behind its last.
TEST_F(PrefixCaching, WhatIsForcedBehindAPromptIsNotKeptForIt) {
  for (const size_t length : {20, 50, 63}) {
    const auto warm = engine(100);
    GenerateRequest first = ask(tokens(length));
    first.constraint = std::make_shared<LongForced>();
    GenerateRequest second = ask(joined(first.prompt, tokens(10)), 12);
    expect_same(warm->generate(first).value(), plain(first));
    expect_same(warm->generate(second).value(), plain(second));
    EXPECT_EQ(warm->counters().prompt_tokens, length + 10);
  }
}

/// Prompts from a small alphabet share beginnings of every length, also inside blocks.
TEST_F(PrefixCaching, AnyMixGivesTheSameBits) {
  std::vector<Ids> stems;
  for (int i = 0; i < 4; ++i) {
    const Ids start = stems.empty() ? Ids{} : stems[random_() % stems.size()];
    const auto kept = start.begin() + static_cast<ptrdiff_t>(random_() % (start.size() + 1));
    stems.push_back(joined(Ids(start.begin(), kept), tokens(1 + random_() % 90)));
  }
  MixedRequests requests(23, 150, 60);
  const auto with_stem = [&](Ids& prompt) {
    const Ids& stem = stems[random_() % stems.size()];
    const auto end = stem.begin() + static_cast<ptrdiff_t>(random_() % (stem.size() + 1));
    prompt = joined(Ids(stem.begin(), end), prompt);
  };
  for (auto& one : requests.generations) with_stem(one.prompt);
  for (auto& one : requests.scores) with_stem(one.prompt);
  for (auto& one : requests.queries) with_stem(one.prompt);
  const auto cold = engine(200, {.prefix_cache_bytes = 0});
  const auto expected = MixedAnswers::one_by_one(*cold, requests);
  for (const int blocks : {200, 24}) {
    for (const int chunk : {7, 64, 512}) {
      SCOPED_TRACE(std::to_string(blocks) + " blocks, chunks of " + std::to_string(chunk));
      const auto warm = engine(blocks, {.chunk_tokens = chunk});
      for (int round = 0; round < 2; ++round) {
        MixedAnswers::together(*warm, requests).expect_equal(expected);
        EXPECT_EQ(warm->counters().kv_blocks_used, 0);
      }
      MixedAnswers::one_by_one(*warm, requests).expect_equal(expected);
      EXPECT_GT(warm->counters().prefix_hits, 0U);
    }
  }
}

}  // namespace
}  // namespace seqgpt::testing_support
