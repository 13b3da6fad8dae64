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
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& isa : supported_isa_names()) {
    all.push_back({isa, ComputeType::kF32});
    all.push_back({isa, ComputeType::kBf16});
  }
  return all;
}

class EngineBits : public ::testing::TestWithParam<Case> {
 protected:
  LoadedModel model(int threads) {
    return random_model(8, cpu(GetParam().isa, threads), small_config(), GetParam().compute);
  }
  MixedRequests requests_{21, 150, 100};
};

TEST_P(EngineBits, AloneTogetherInAnyChunksOnAnyThreads) {
  const LoadedModel one = model(1);
  const auto roomy = make_engine(*one.model, 200);
  const auto expected = MixedAnswers::one_by_one(*roomy, requests_);
  for (const int threads : {1, 2}) {
    const LoadedModel loaded = model(threads);
    for (const int chunk : {1, 7, 16, 64, 512}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, chunks of " + std::to_string(chunk));
      const auto engine = make_engine(*loaded.model, 200, {.chunk_tokens = chunk});
      MixedAnswers::together(*engine, requests_).expect_equal(expected);
      EXPECT_EQ(engine->counters().kv_blocks_used, 0);
    }
  }
}

TEST_P(EngineBits, MemoryAndPlacesForFewOnly) {
  const LoadedModel loaded = model(1);
  const auto roomy = make_engine(*loaded.model, 200);
  const auto expected = MixedAnswers::one_by_one(*roomy, requests_);
  const auto narrow = make_engine(*loaded.model, 14, {.chunk_tokens = 20, .max_running = 4});
  MixedAnswers::together(*narrow, requests_).expect_equal(expected);
  MixedAnswers::one_by_one(*narrow, requests_).expect_equal(expected);
}

INSTANTIATE_TEST_SUITE_P(All, EngineBits, ::testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.isa + (info.param.compute == ComputeType::kF32 ? "_f32" : "_bf16");
});

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
