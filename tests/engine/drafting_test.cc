// SPDX-License-Identifier: Apache-2.0
// Drafting: whatever a constraint guesses, the answer is that of plain greedy decoding to the bit.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "engine/fixture.h"
#include "support/poison_backend.h"

namespace seqgpt::testing_support {
namespace {

/// A random automaton that guesses from a given answer, right in `right` of 8 cases; else another
/// token that is allowed, one that is not, or none.
class Guessing final : public Constraint {
 public:
  Guessing(std::shared_ptr<const Constraint> grammar, Ids answer, uint32_t right, uint32_t seed)
      : grammar_(std::move(grammar)), answer_(std::move(answer)), right_(right), seed_(seed) {}

  State start() const override { return grammar_->start(); }
  bool finished(const State& state) const override { return grammar_->finished(state); }
  void forced(const State& state, Ids& ids) const override { grammar_->forced(state, ids); }
  void allowed(const State& state, Ids& ids) const override { grammar_->allowed(state, ids); }
  State advance(const State& state, int32_t id) const override {
    return grammar_->advance(state, id);
  }
  int32_t guess(const State& state) const override {
    const uint32_t at = state.word[1];
    std::mt19937 random(seed_ + at * 7919);
    if (random() % 8 < right_ && at < answer_.size()) return answer_[at];
    Ids ids;
    allowed(state, ids);
    const uint32_t kind = random() % 4;
    if (kind < 2) return ids[random() % ids.size()];
    return kind == 2 ? 149 : kNoGuess;
  }

 private:
  std::shared_ptr<const Constraint> grammar_;
  Ids answer_;
  uint32_t right_;
  uint32_t seed_;
};

struct Case {
  GenerateRequest request;
  Generation expected;
};

/// Requests with their answers by plain greedy decoding.
std::vector<Case> cases(Model& model, uint32_t seed) {
  const auto plain = make_engine(model, 100, {.prefix_cache_bytes = 0, .draft_tokens = 0});
  std::mt19937 random(seed);
  std::vector<Case> all;
  for (uint32_t i = 0; i < 8; ++i) {
    const auto grammar = std::make_shared<ToyConstraint>(seed + i, 60, 150);
    GenerateRequest request{.prompt = random_ids(random, 1 + random() % 70, 150)};
    request.max_new_tokens = i % 3 == 0 ? static_cast<int>(1 + random() % 20) : 200;
    request.constraint = grammar;
    const auto answer = plain->generate(request);
    if (!answer.ok()) throw std::runtime_error(answer.error().message);
    request.constraint = std::make_shared<Guessing>(grammar, answer->sequences[0].tokens,
                                                    i % 2 == 0 ? 8 : 5, seed * 31 + i);
    all.push_back({std::move(request), *answer});
  }
  EXPECT_EQ(plain->counters().drafted_tokens, 0U);
  return all;
}

void expect_same_records(const Generation& got, const Generation& expected) {
  expect_same(got, expected);
  EXPECT_EQ(got.final_state.word, expected.final_state.word);
}

class Drafting : public ::testing::TestWithParam<int> {};

TEST_P(Drafting, ChangesNoBit) {
  const LoadedModel loaded = random_model(5);
  const auto all = cases(*loaded.model, static_cast<uint32_t>(GetParam()));
  for (const int draft_tokens : {0, 1, 3, 16}) {
    for (const int chunk : {1, 5, 512}) {
      SCOPED_TRACE(std::to_string(draft_tokens) + " drafted, chunks of " + std::to_string(chunk));
      const auto engine =
          make_engine(*loaded.model, 100, {.chunk_tokens = chunk, .draft_tokens = draft_tokens});
      std::vector<RequestId> ids;
      for (const Case& one : all) ids.push_back(engine->submit(one.request).value());
      while (engine->step()) {
      }
      for (size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(i);
        const auto got = engine->take_generation(ids[i]);
        ASSERT_TRUE(got.ok()) << got.error().message;
        expect_same_records(*got, all[i].expected);
      }
      EXPECT_EQ(engine->counters().kv_blocks_used, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Automata, Drafting, ::testing::Range(0, 6));

TEST(DraftingSteps, RightGuessesTakeNoPass) {
  const LoadedModel loaded = random_model(5);
  uint64_t saved = 0;
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const auto all = cases(*loaded.model, seed);
    for (const size_t i : {0, 2, 4, 6}) {  // those that always guess right
      const auto engine =
          make_engine(*loaded.model, 100, {.draft_tokens = 1000, .draft_rows = 1000});
      ASSERT_TRUE(engine->generate(all[i].request).ok());
      const EngineCounters& counters = engine->counters();
      EXPECT_EQ(counters.accepted_tokens, counters.drafted_tokens);
      EXPECT_EQ(counters.steps, counters.decoded_tokens > 0 ? 1U : 0U);
      EXPECT_EQ(counters.decoded_tokens,
                counters.accepted_tokens + (counters.decoded_tokens > 0 ? 1U : 0U));
      saved += counters.accepted_tokens;
    }
  }
  EXPECT_GT(saved, 50U);
}

TEST(DraftingSteps, CountersDoNotKnowOfDrafts) {
  const LoadedModel loaded = random_model(5);
  for (const Case& one : cases(*loaded.model, 3)) {
    const auto plain = make_engine(*loaded.model, 100, {.draft_tokens = 0});
    const auto drafting = make_engine(*loaded.model, 100, {.draft_tokens = 4});
    ASSERT_TRUE(plain->generate(one.request).ok() && drafting->generate(one.request).ok());
    EXPECT_EQ(plain->counters().decoded_tokens, drafting->counters().decoded_tokens);
    EXPECT_EQ(plain->counters().forced_tokens, drafting->counters().forced_tokens);
    EXPECT_EQ(drafting->counters().steps,
              plain->counters().steps - drafting->counters().accepted_tokens);
    EXPECT_EQ(drafting->counters().full_rows, 0U);
  }
}

/// Chooses twice; guesses the token that a step cannot bear.
class PoisonGuess final : public Constraint {
 public:
  State start() const override { return {}; }
  bool finished(const State& state) const override { return state.word[0] == 6; }
  void forced(const State&, Ids&) const override {}
  void allowed(const State&, Ids& ids) const override { ids = {3, 77}; }
  State advance(const State& state, int32_t) const override {
    State next;
    next.word[0] = state.word[0] + 1;
    return next;
  }
  int32_t guess(const State&) const override { return guess_; }
  int32_t guess_ = kNoGuess;
};

/// A guess whose row is no number must not fail an answer that has no such token.
TEST(DraftingFailures, OnlySureTokensFailARequest) {
  auto backend = std::make_unique<PoisonBackend>(cpu());
  PoisonBackend* spy = backend.get();
  const LoadedModel loaded = random_model(4, std::move(backend));
  int failures = 0;
  int answers = 0;
  std::mt19937 random(2);
  for (int i = 0; i < 12; ++i) {
    const Ids prompt = random_ids(random, 30 + random() % 10, 60);
    const auto guessing = std::make_shared<PoisonGuess>();
    const auto plain = make_engine(*loaded.model, 8, {.draft_tokens = 0});
    const auto drafting = make_engine(*loaded.model, 8, {.draft_tokens = 3});
    spy->set_poison(77);
    guessing->guess_ = 77;
    const auto expected =
        plain->generate({.prompt = prompt, .max_new_tokens = 20, .constraint = guessing});
    const auto got =
        drafting->generate({.prompt = prompt, .max_new_tokens = 20, .constraint = guessing});
    ASSERT_EQ(got.ok(), expected.ok());
    if (!got.ok()) {
      EXPECT_EQ(got.error().code, ErrorCode::kNonFinite);
      ++failures;
      continue;
    }
    ++answers;
    expect_same(*got, *expected);
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(answers, 0);
}

/// Wrong guesses cost rows in a full batch: of 24 sequences none drafts far, alone each does.
TEST(DraftingUnderLoad, ComputesFewerRowsAndChangesNoBit) {
  const LoadedModel loaded = random_model(5);
  std::vector<Case> all;
  for (uint32_t seed = 0; seed < 3; ++seed) {
    for (Case& one : cases(*loaded.model, seed)) all.push_back(std::move(one));
  }
  ASSERT_EQ(all.size(), 24U);
  std::map<int, EngineCounters> counters;
  for (const int draft_rows : {32, 8 * 24}) {
    const auto engine =
        make_engine(*loaded.model, 400, {.prefix_cache_bytes = 0, .draft_rows = draft_rows});
    std::vector<RequestId> ids;
    for (const Case& one : all) ids.push_back(engine->submit(one.request).value());
    while (engine->step()) {
    }
    for (size_t i = 0; i < all.size(); ++i)
      expect_same_records(engine->take_generation(ids[i]).value(), all[i].expected);
    counters[draft_rows] = engine->counters();
  }
  EXPECT_LT(counters[32].rows, counters[8 * 24].rows);
  EXPECT_LT(counters[32].drafted_tokens, counters[8 * 24].drafted_tokens);
  EXPECT_GT(counters[32].accepted_tokens, 0U);
  EXPECT_EQ(counters[32].decoded_tokens, counters[8 * 24].decoded_tokens);
  std::printf("  rows: %llu, at 8 guesses each %llu\n",
              static_cast<unsigned long long>(counters[32].rows),
              static_cast<unsigned long long>(counters[8 * 24].rows));
}

TEST(DraftingOptions, NegativeIsRefused) {
  const LoadedModel loaded = random_model(1);
  EXPECT_EQ(Engine::create(*loaded.model, {.draft_rows = -1}).error().param, "draft_rows");
  const auto engine = Engine::create(*loaded.model, {.draft_tokens = -1});
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.error().param, "draft_tokens");
}

}  // namespace
}  // namespace seqgpt::testing_support
