// SPDX-License-Identifier: Apache-2.0
// Promise 2 at the engine: an answer's bits do not know what else runs, in what pieces, on how many
// threads.
#include <gtest/gtest.h>

#include "engine/fixture.h"

namespace seqgpt::testing_support {
namespace {

struct Case {
  std::string isa;
  ComputeType compute;
  std::optional<DType> kv = {};
  std::optional<DType> long_kv = {};
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& isa : supported_isa_names()) {
    all.push_back({isa, ComputeType::kF32});
    all.push_back({isa, ComputeType::kBf16});
    all.push_back({isa, ComputeType::kBf16, DType::kI8});
    all.push_back({isa, ComputeType::kBf16, DType::kI4});
    all.push_back({isa, ComputeType::kBf16, DType::kBf16, DType::kI8});
  }
  return all;
}

class EngineBits : public ::testing::TestWithParam<Case> {
 protected:
  LoadedModel model(int threads) {
    return random_model(8, cpu(GetParam().isa, threads), small_config(), GetParam().compute,
                        GetParam().kv, GetParam().long_kv);
  }
  /// Under two KV types half of the prompts are long.
  std::unique_ptr<Engine> engine(const LoadedModel& loaded, int blocks,
                                 EngineOptions options = {}) {
    options.long_prompt_tokens = 50;
    if (!GetParam().long_kv) return make_engine(*loaded.model, blocks, options);
    const size_t both = kv_block_bytes(*loaded.model) * 2;
    options.kv_bytes = both * static_cast<size_t>(blocks);
    return Engine::create(*loaded.model, options).value();
  }
  MixedRequests requests_{21, 150, 100};
};

TEST_P(EngineBits, AloneTogetherInAnyChunksOnAnyThreads) {
  const LoadedModel one = model(1);
  const auto roomy = engine(one, 200);
  const auto expected = MixedAnswers::one_by_one(*roomy, requests_);
  for (const int threads : {1, 2}) {
    const LoadedModel loaded = model(threads);
    for (const int chunk : {1, 7, 16, 64, 512}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, chunks of " + std::to_string(chunk));
      const auto engine = this->engine(loaded, 200, {.chunk_tokens = chunk});
      MixedAnswers::together(*engine, requests_).expect_equal(expected);
      EXPECT_EQ(engine->counters().kv_blocks_used, 0);
    }
  }
}

TEST_P(EngineBits, MemoryAndPlacesForFewOnly) {
  const LoadedModel loaded = model(1);
  const auto roomy = engine(loaded, 200);
  const auto expected = MixedAnswers::one_by_one(*roomy, requests_);
  const auto narrow = engine(loaded, 14, {.chunk_tokens = 20, .max_running = 4});
  MixedAnswers::together(*narrow, requests_).expect_equal(expected);
  MixedAnswers::one_by_one(*narrow, requests_).expect_equal(expected);
}

INSTANTIATE_TEST_SUITE_P(All, EngineBits, ::testing::ValuesIn(cases()), [](const auto& info) {
  const Case& one = info.param;
  return one.isa + (one.compute == ComputeType::kF32 ? "_f32" : "_bf16") +
         (one.kv ? "_" + std::string(dtype_name(*one.kv)) : "") + (one.long_kv ? "_auto" : "");
});

/// A prompt's type follows from its own length, whatever runs beside it: the same numbers as in an
/// engine that knows one type only.
TEST(KvTypes, FollowFromThePromptsOwnLength) {
  const LoadedModel both =
      random_model(8, cpu(), small_config(), ComputeType::kF32, {}, DType::kI8);
  const LoadedModel full = random_model(8);
  const LoadedModel int8 = random_model(8, cpu(), small_config(), ComputeType::kF32, DType::kI8);
  EXPECT_EQ(both.model->kv_name(), "f32/int8");
  const auto mixed = Engine::create(*both.model, {.long_prompt_tokens = 40}).value();
  const auto exact = make_engine(*full.model, 100);
  const auto small = make_engine(*int8.model, 100);
  EXPECT_GT(kv_block_bytes(*full.model), 2 * kv_block_bytes(*int8.model));
  std::mt19937 random(3);
  const Ids longest = random_ids(random, 41, 150);
  const Ids shorter(longest.begin(), longest.end() - 1);
  const std::vector<float> long_logits = last_logits(*mixed, longest);
  EXPECT_EQ(long_logits, last_logits(*small, longest));
  EXPECT_NE(long_logits, last_logits(*exact, longest));
  // What the cache keeps of the one type never serves the other.
  EXPECT_EQ(last_logits(*mixed, shorter), last_logits(*exact, shorter));
  EXPECT_EQ(mixed->counters().prefix_hits, 0U);
  EXPECT_EQ(last_logits(*mixed, longest), long_logits);
  EXPECT_EQ(mixed->counters().prefix_hits, 1U);
}

TEST(KvTypes, SmallerBlocksMakeRoomForMore) {
  EngineCounters counters[3];
  const std::optional<DType> types[] = {DType::kBf16, DType::kI8, DType::kI4};
  ModelConfig config = small_config();
  config.heads = 1;
  config.hidden = 64;
  for (int i = 0; i < 3; ++i) {
    const LoadedModel loaded = random_model(8, cpu(), config, ComputeType::kBf16, types[i]);
    const auto engine = Engine::create(*loaded.model, {.kv_bytes = 1 << 20}).value();
    const auto id = engine->submit(GenerateRequest{.prompt = Ids(100, 7), .max_new_tokens = 9});
    ASSERT_TRUE(id.ok() && engine->step());
    counters[i] = engine->counters();
    EXPECT_EQ(counters[i].kv_blocks_used, 4);
    EXPECT_LE(counters[i].kv_bytes_total, size_t{1} << 20);
  }
  EXPECT_GT(counters[1].kv_blocks_total, counters[0].kv_blocks_total * 19 / 10);
  EXPECT_GT(counters[2].kv_blocks_total, counters[0].kv_blocks_total * 35 / 10);
  EXPECT_LT(counters[1].kv_bytes_used * 19 / 10, counters[0].kv_bytes_used);
  EXPECT_LT(counters[2].kv_bytes_used * 35 / 10, counters[0].kv_bytes_used);
}

TEST(TwoEngines, StepInTurnsInOneProcess) {
  const LoadedModel first = random_model(1);
  const LoadedModel second = random_model(2);
  const auto a = make_engine(*first.model, 60);
  const auto b = make_engine(*second.model, 60, {.chunk_tokens = 9});
  const auto c = make_engine(*first.model, 60, {.chunk_tokens = 5});  // a second one on one model
  const GenerateRequest request{.prompt = {3, 1, 4, 1, 5}, .max_new_tokens = 30};
  const auto expected_first = a->generate(request);
  const auto expected_second = b->generate(request);
  ASSERT_TRUE(expected_first.ok() && expected_second.ok());
  const auto id_a = a->submit(request);
  const auto id_b = b->submit(request);
  const auto id_c = c->submit(request);
  while (a->step() | b->step() | c->step()) {
  }
  expect_same(*a->take_generation(*id_a), *expected_first);
  expect_same(*b->take_generation(*id_b), *expected_second);
  expect_same(*c->take_generation(*id_c), *expected_first);
}

}  // namespace
}  // namespace seqgpt::testing_support
