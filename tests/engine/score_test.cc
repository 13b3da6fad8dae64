// SPDX-License-Identifier: Apache-2.0
// Scoring of continuations against one logits query a token, and the passes that it takes.
#include <gtest/gtest.h>

#include "engine/fixture.h"
#include "support/poison_backend.h"

namespace seqgpt::testing_support {
namespace {

std::vector<double> naive(Engine& engine, const ScoreRequest& request, size_t index) {
  const auto& continuation = request.continuations[index];
  Ids all = request.prompt;
  std::vector<double> logprobs;
  for (size_t i = 0; i < continuation.tokens.size(); ++i) {
    auto values = last_logits(engine, all);
    auto token = static_cast<size_t>(continuation.tokens[i]);
    if (!continuation.ids_allowed.empty()) {
      const Ids& allowed = continuation.ids_allowed[i];
      std::vector<float> competing;
      for (const int32_t id : allowed) competing.push_back(values[static_cast<size_t>(id)]);
      token = static_cast<size_t>(
          std::find(allowed.begin(), allowed.end(), continuation.tokens[i]) - allowed.begin());
      values = competing;
    }
    logprobs.push_back(log_softmax(values)[token]);
    all.push_back(continuation.tokens[i]);
  }
  return logprobs;
}

class Scoring : public ::testing::Test {
 protected:
  Scoring() {
    auto backend = std::make_unique<PoisonBackend>(cpu());
    spy_ = backend.get();
    loaded_ = random_model(6, std::move(backend));
  }
  void expect_naive(const Scores& got, const ScoreRequest& request) {
    const auto engine = make_engine(*loaded_.model, 40);
    ASSERT_EQ(got.logprobs.size(), request.continuations.size());
    for (size_t i = 0; i < request.continuations.size(); ++i) {
      const auto expected = naive(*engine, request, i);
      ASSERT_EQ(got.logprobs[i].size(), expected.size());
      for (size_t t = 0; t < expected.size(); ++t) {
        EXPECT_NEAR(got.logprobs[i][t], expected[t], 1e-5)
            << "continuation " << i << " token " << t;
      }
    }
  }

  PoisonBackend* spy_ = nullptr;
  LoadedModel loaded_;
};

TEST_F(Scoring, MixedContinuationsInOneFurtherPass) {
  const auto engine = make_engine(*loaded_.model, 40);
  const MixedRequests mixed(9, 150, 70);
  for (const ScoreRequest& request : mixed.scores) {
    const size_t before = spy_->rows_of_steps().size();
    const auto got = engine->score(request);
    ASSERT_TRUE(got.ok()) << got.error().message;
    const auto& rows = spy_->rows_of_steps();
    EXPECT_LE(rows.size() - before, 2U);
    EXPECT_EQ(rows[before], request.prompt.size());
    EXPECT_EQ(engine->counters().kv_blocks_used, 0);
    expect_naive(*got, request);
  }
}

TEST_F(Scoring, OnlyRowsThatAreNeededAreComputed) {
  const auto engine = make_engine(*loaded_.model, 10);
  // First tokens come from the prompt's last row; a single competitor costs nothing at all.
  const ScoreRequest request{{1, 2, 3},
                             {{{7}, {{7, 8}}},
                              {{8, 5, 6}, {{7, 8}, {5}, {6}}},
                              {{9, 5, 6, 4}, {{7, 9}, {5}, {6, 10}, {4}}},
                              {{}, {}}}};
  const auto got = engine->score(request);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(spy_->rows_of_steps(), (std::vector<size_t>{3, 2}));
  EXPECT_EQ(engine->counters().steps, 2U);
  EXPECT_EQ(engine->counters().prompt_tokens, 3U);
  EXPECT_EQ(engine->counters().scored_tokens, 2U);
  EXPECT_EQ(engine->counters().logits_rows, 3U + 2U);  // 7, 8 and 9 once; then 6 and 10
  EXPECT_EQ(got->logprobs[1][1], 0);
  EXPECT_EQ(got->logprobs[2][3], 0);
  expect_naive(*got, request);
}

TEST_F(Scoring, WavesWhenMemoryOrSequencesAreFew) {
  std::mt19937 random(2);
  ScoreRequest request{random_ids(random, 40, 150), {}};
  for (int i = 0; i < 10; ++i) request.continuations.push_back({random_ids(random, 30, 150), {}});
  const auto roomy = make_engine(*loaded_.model, 100);
  const auto expected = roomy->score(request);
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(roomy->counters().steps, 2U);
  expect_naive(*expected, request);
  const auto least = make_engine(*loaded_.model, 2 + 2);  // the prompt and one continuation
  const auto few = make_engine(*loaded_.model, 100, {.chunk_tokens = 11, .max_running = 3});
  for (Engine* engine : {least.get(), few.get()}) {
    const auto got = engine->score(request);
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_EQ(got->logprobs, expected->logprobs);
    EXPECT_EQ(engine->counters().scored_tokens, 290U);
    EXPECT_EQ(engine->counters().prompt_tokens, 40U);
    EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  }
  const auto got = make_engine(*loaded_.model, 3)->score(request);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::kTooLarge);
}

/// Full rows of a huge vocabulary: a step puts out 2^24 numbers at most, five rows of this one.
TEST(ScoringMemory, OutputsOfAStepAreBounded) {
  ModelConfig config;
  config.layers = config.heads = 1;
  config.hidden = 4;
  config.vocabulary = 3'000'000;
  const LoadedModel loaded = random_model(1, cpu(), config);
  const auto engine = make_engine(*loaded.model, 10);
  const auto got = engine->score({{1, 2}, {{Ids(13, 5), {}}}});
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(engine->counters().logits_rows, 13U * 3'000'000);
  EXPECT_EQ(engine->counters().steps, 1U + 3);  // twelve rows after the prompt's
}

}  // namespace
}  // namespace seqgpt::testing_support
