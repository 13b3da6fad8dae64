// SPDX-License-Identifier: Apache-2.0
// What cannot run is refused at once; what fails midway fails alone, and the others' bits do not
// notice.
#include <gtest/gtest.h>

#include "engine/fixture.h"
#include "support/poison_backend.h"

namespace seqgpt::testing_support {
namespace {

class Failures : public ::testing::Test {
 protected:
  static constexpr int32_t kPoison = 149;

  Failures() {
    auto backend = std::make_unique<PoisonBackend>(cpu());
    spy_ = backend.get();
    loaded_ = random_model(9, std::move(backend));
  }

  PoisonBackend* spy_ = nullptr;
  LoadedModel loaded_;
};

TEST_F(Failures, OnlyTheGuiltyFail) {
  const MixedRequests requests(5, 100, 60);
  const auto quiet = make_engine(*loaded_.model, 200);
  const auto expected = MixedAnswers::one_by_one(*quiet, requests);
  int32_t poison = 149;  // a token that the innocent never meet, in their prompts or their answers
  while (spy_->tokens_seen().count(poison) == 1) --poison;
  ASSERT_GE(poison, 0);
  spy_->set_poison(poison);
  const auto engine = make_engine(*loaded_.model, 200, {.chunk_tokens = 32});
  // Guilty from the start, in the middle of a chunked prompt, and in a continuation.
  Ids late(80, 1);
  late[70] = poison;
  const auto first = engine->submit(GenerateRequest{.prompt = {poison}, .max_new_tokens = 3});
  const auto second = engine->submit(GenerateRequest{.prompt = late, .max_new_tokens = 3});
  const auto third = engine->submit(ScoreRequest{{1, 2}, {{{3, 4, 5}, {}}, {{3, poison, 5}, {}}}});
  const auto got = MixedAnswers::together(*engine, requests);
  got.expect_equal(expected);
  for (const auto& result : {engine->take_generation(*first), engine->take_generation(*second)}) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kNonFinite);
  }
  EXPECT_EQ(engine->take_scores(*third).error().code, ErrorCode::kNonFinite);
  EXPECT_EQ(engine->counters().failed, 3U);
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  EXPECT_EQ(engine->counters().running, 0);
}

TEST_F(Failures, RowsOfAFailedPassAreNotCounted) {
  spy_->set_poison(kPoison);
  const auto engine = make_engine(*loaded_.model, 20);
  const auto bad = engine->submit(LogitsQuery{{kPoison, 1}, {1}});
  const auto good = engine->submit(LogitsQuery{{1, 2, 3}, {2}});
  EXPECT_TRUE(engine->step());
  EXPECT_EQ(engine->counters().steps, 3U);  // together, then each alone
  EXPECT_EQ(engine->counters().prompt_tokens, 3U);
  EXPECT_EQ(engine->counters().logits_rows, 150U);
  EXPECT_FALSE(engine->take_logits(*bad).ok());
  EXPECT_TRUE(engine->take_logits(*good).ok());
  EXPECT_FALSE(engine->step());
}

TEST_F(Failures, EverybodyGuiltyIsNoHang) {
  spy_->set_poison(kPoison);
  const auto engine = make_engine(*loaded_.model, 8);
  std::vector<RequestId> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(*engine->submit(GenerateRequest{.prompt = {1, kPoison}, .max_new_tokens = 9}));
  }
  while (engine->step()) {
  }
  for (const RequestId id : ids) {
    EXPECT_EQ(engine->take_generation(id).error().code, ErrorCode::kNonFinite);
  }
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
}

TEST(DamagedWeights, NeverGiveAnAnswer) {
  for (const char* name : {"w-nan", "w-nan-all", "w-inf"}) {
    const auto backend = cpu();
    const auto model = Model::load(kGolden / "corrupt" / name, *backend, {});
    if (!model.ok()) continue;  // refused at loading: as good
    const auto engine = make_engine(**model, 10);
    const auto got = engine->generate({.prompt = {7, 20, 133}, .max_new_tokens = 4});
    ASSERT_FALSE(got.ok()) << name;
    EXPECT_EQ(got.error().code, ErrorCode::kNonFinite);
    EXPECT_EQ(engine->counters().failed, 1U);
  }
}

TEST_F(Failures, WhatCannotRunIsRefusedAtOnce) {
  const auto engine = make_engine(*loaded_.model, 4);
  const auto constraint = std::make_shared<ToyConstraint>(1, 5, 150);
  const auto stop = [](std::span<const int32_t>) { return false; };
  using Wrong = std::pair<std::string, GenerateRequest>;
  const std::vector<Wrong> generations = {
      {"prompt", {}},
      {"prompt", {.prompt = {1, 150}}},
      {"prompt", {.prompt = {-1}}},
      {"eos", {.prompt = {1}, .eos = {150}}},
      {"max_new_tokens", {.prompt = {1}, .max_new_tokens = 0}},
      {"max_new_tokens", {.prompt = {1}, .max_new_tokens = -5}},
      {"max_new_tokens", {.prompt = {1}, .max_new_tokens = INT32_MAX}},
      {"beams", {.prompt = {1}, .max_new_tokens = 2, .beams = 0}},
      {"beams", {.prompt = {1}, .max_new_tokens = 2, .beams = 65}},
      {"beams", {.prompt = {1}, .max_new_tokens = 2, .beams = 51, .eos = {1, 2}}},
      {"beams", {.prompt = {1}, .max_new_tokens = 2, .beams = 65, .constraint = constraint}},
      {"repetition_penalty",
       {.prompt = {1},
        .max_new_tokens = 2,
        .beams = 2,
        .repetition_penalty = 2,
        .constraint = constraint}},
      {"stop", {.prompt = {1}, .max_new_tokens = 2, .beams = 2, .stop = stop}},
      {"stop", {.prompt = {1}, .max_new_tokens = 2, .constraint = constraint, .stop = stop}},
      {"repetition_penalty", {.prompt = {1}, .max_new_tokens = 2, .repetition_penalty = 0}},
      {"repetition_penalty", {.prompt = {1}, .max_new_tokens = 2, .repetition_penalty = NAN}},
      {"repetition_penalty",
       {.prompt = {1}, .max_new_tokens = 2, .repetition_penalty = 2, .constraint = constraint}},
  };
  for (const auto& [param, request] : generations) {
    const auto id = engine->submit(request);
    ASSERT_FALSE(id.ok()) << param;
    EXPECT_EQ(id.error().param, param) << id.error().message;
  }
  const std::vector<ScoreRequest> scores = {
      {{1}, {}},
      {{}, {{{1}, {}}}},
      {{1}, {{{150}, {}}}},
      {{1}, {{{2}, {{1, 3}}}}},
      {{1}, {{{2}, {{3, 2}}}}},
      {{1}, {{{2}, {{2, 2}}}}},
      {{1}, {{{2}, {{}}}}},
      {{1}, {{{2, 3}, {{2}}}}},
      {{1}, {{{2}, {{2, 150}}}}},
  };
  for (const auto& request : scores) EXPECT_FALSE(engine->submit(request).ok());
  const std::vector<LogitsQuery> queries = {
      {{}, {0}}, {{1}, {}}, {{1}, {1}}, {{1, 2}, {1, 0}}, {{1}, {0, 0}}, {{1}, {-1}}, {{150}, {0}}};
  for (const auto& request : queries) EXPECT_FALSE(engine->submit(request).ok());
  EXPECT_EQ(engine->counters().waiting, 0);
  EXPECT_FALSE(engine->step());
}

TEST_F(Failures, RequestsLargerThanTheMemoryAreRefused) {
  const auto engine = make_engine(*loaded_.model, 4);  // 128 positions
  EXPECT_TRUE(engine->submit(GenerateRequest{.prompt = Ids(100, 1), .max_new_tokens = 29}).ok());
  const auto generation =
      engine->submit(GenerateRequest{.prompt = Ids(100, 1), .max_new_tokens = 30});
  ASSERT_FALSE(generation.ok());
  EXPECT_EQ(generation.error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(engine->submit(LogitsQuery{Ids(128, 1), {127}}).ok());
  EXPECT_TRUE(engine->submit(LogitsQuery{Ids(200, 1), {127}}).ok());
  EXPECT_EQ(engine->submit(LogitsQuery{Ids(129, 1), {128}}).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(engine->submit(ScoreRequest{Ids(96, 1), {{Ids(33, 1), {}}}}).ok());
  EXPECT_FALSE(engine->submit(ScoreRequest{Ids(96, 1), {{Ids(34, 1), {}}}}).ok());
  while (engine->step()) {
  }
  EXPECT_EQ(engine->counters().finished, 4U);
}

TEST_F(Failures, OptionsOfTheEngineItself) {
  EXPECT_EQ(Engine::create(*loaded_.model, {.kv_bytes = 100}).error().param, "kv_bytes");
  EXPECT_EQ(Engine::create(*loaded_.model, {.chunk_tokens = 0}).error().param, "chunk_tokens");
  EXPECT_EQ(Engine::create(*loaded_.model, {.max_running = 0}).error().param, "max_running");
}

TEST(Classifiers, AnswerQueriesAndRefuseToGenerate) {
  const LoadedModel loaded = golden_model("bloom-seqcls");
  const auto engine = make_engine(*loaded.model, 10, {.chunk_tokens = 5});
  const Json expected = expected_of("bloom-seqcls");
  for (const Json& prompt : expected["prompts"]) {
    const auto got = last_logits(*engine, prompt["ids"].get<Ids>());
    EXPECT_LE(relative_difference(got, prompt["logits"].get<std::vector<double>>()), kF32Logits);
  }
  EXPECT_EQ(engine->submit(GenerateRequest{.prompt = {1}}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(engine->submit(ScoreRequest{{1}, {{{1}, {}}}}).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace seqgpt::testing_support
