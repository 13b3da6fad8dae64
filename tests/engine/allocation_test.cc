// SPDX-License-Identifier: Apache-2.0
// In the steady state a token costs no allocation: decoding uses the memory of the steps before.
#include <gtest/gtest.h>

#include "engine/fixture.h"
#include "support/count_allocations.h"

namespace seqgpt::testing_support {
namespace {

/// Chooses among ten tokens for ever; always guesses the first.
class Endless final : public Constraint {
 public:
  State start() const override { return {}; }
  bool finished(const State&) const override { return false; }
  void forced(const State& state, Ids& ids) const override {
    if (state.word[0] % 3 == 2) ids.push_back(7);
  }
  void allowed(const State&, Ids& ids) const override {
    ids.clear();
    for (int32_t id = 10; id < 20; ++id) ids.push_back(id);
  }
  State advance(const State& state, int32_t) const override {
    State next;
    next.word[0] = state.word[0] + 1;
    return next;
  }
  int32_t guess(const State&) const override { return 10; }
};

/// Allocations while the engine runs `steps` passes, after it has run `before`.
long counted_steps(Engine& engine, int before, int steps) {
  for (int i = 0; i < before; ++i) EXPECT_TRUE(engine.step());
  const long start = allocations;
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(engine.step());
  return allocations - start;
}

class Allocations : public ::testing::TestWithParam<ComputeType> {
 protected:
  LoadedModel loaded_ = random_model(3, cpu("auto", 2), small_config(), GetParam());
};

TEST_P(Allocations, NoneForAFreeToken) {
  if (!kCountsAllocations) GTEST_SKIP();
  const auto engine = make_engine(*loaded_.model, 60);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(
        engine->submit(GenerateRequest{.prompt = {1, 2, 3 + i}, .max_new_tokens = 400}).ok());
  }
  EXPECT_EQ(counted_steps(*engine, 20, 200), 0);
}

TEST_P(Allocations, NoneUnderAConstraintWithDraftsAndWithout) {
  if (!kCountsAllocations) GTEST_SKIP();
  for (const int draft_tokens : {0, 6}) {
    const auto engine = make_engine(*loaded_.model, 60, {.draft_tokens = draft_tokens});
    ASSERT_TRUE(engine
                    ->submit(GenerateRequest{.prompt = {1, 2, 3},
                                             .max_new_tokens = 1500,
                                             .constraint = std::make_shared<Endless>()})
                    .ok());
    EXPECT_EQ(counted_steps(*engine, 40, 100), 0) << draft_tokens;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Allocations,
                         ::testing::Values(ComputeType::kF32, ComputeType::kBf16));

}  // namespace
}  // namespace seqgpt::testing_support
