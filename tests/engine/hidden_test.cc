// SPDX-License-Identifier: Apache-2.0
// Hidden states asked of a prompt: as wide as the network, the same bits however they are read.
#include <gtest/gtest.h>

#include "engine/fixture.h"

namespace seqgpt::testing_support {
namespace {

TEST(HiddenStates, AreTheSameHoweverThePromptIsRead) {
  const LoadedModel loaded = random_model(6);
  std::mt19937 random(6);
  const LogitsQuery query{random_ids(random, 70, 150), {0, 31, 32, 69}, true};
  const auto whole = make_engine(*loaded.model, 20, {.prefix_cache_bytes = 0});
  const auto states = whole->logits(query);
  ASSERT_TRUE(states.ok()) << states.error().message;
  ASSERT_EQ(states->values.size(), 4U);
  for (const auto& row : states->values)
    EXPECT_EQ(row.size(), static_cast<size_t>(loaded.model->config().hidden));
  EXPECT_NE(states->values[1], states->values[2]);
  EXPECT_EQ(whole->counters().full_rows, 0U);
  EXPECT_EQ(whole->counters().logits_rows, 0U);
  EXPECT_EQ(whole->counters().kv_blocks_used, 0);
  const auto chunked = make_engine(*loaded.model, 20, {.chunk_tokens = 7});
  EXPECT_EQ(chunked->logits(query)->values, states->values);
  EXPECT_EQ(chunked->logits(query)->values, states->values);  // its beginning from the cache
  // Among outputs over the vocabulary in one step.
  const auto mixed = make_engine(*loaded.model, 20);
  const auto other = mixed->submit(LogitsQuery{query.prompt, {5, 69}});
  const auto asked = mixed->submit(query);
  while (mixed->step()) {
  }
  EXPECT_EQ(mixed->take_logits(*asked)->values, states->values);
  EXPECT_EQ(mixed->take_logits(*other)->values[1], last_logits(*whole, query.prompt));
}

}  // namespace
}  // namespace seqgpt::testing_support
