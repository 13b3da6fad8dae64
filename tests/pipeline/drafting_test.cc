// SPDX-License-Identifier: Apache-2.0
// Drafting under the bundled model: the same answers to the bit, in fewer passes.
#include <gtest/gtest.h>

#include "business_texts.h"
#include "fixture.h"
#include "same_answer.h"

namespace seqgpt {
namespace {

struct Answered {
  std::vector<Answer> answers;
  EngineCounters counters;
};

Answered run_all(int draft_tokens) {
  const TestPipeline open =
      open_test_pipeline(bundled_model(), 2, ComputeType::kF32, {.draft_tokens = draft_tokens});
  Answered run;
  for (const AskedText& asked : business_texts()) {
    auto answer = open.pipeline->run(extraction(asked.text, asked.labels));
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    if (answer.ok()) run.answers.push_back(std::move(answer).value());
  }
  run.counters = open.pipeline->engine().counters();
  return run;
}

TEST(Drafting, SavesPassesAndChangesNothing) {
  const Answered plain = run_all(0);
  EXPECT_EQ(plain.counters.drafted_tokens, 0U);
  for (const int draft_tokens : {1, 8}) {
    SCOPED_TRACE(draft_tokens);
    const Answered drafted = run_all(draft_tokens);
    ASSERT_EQ(drafted.answers.size(), plain.answers.size());
    for (size_t i = 0; i < plain.answers.size(); ++i) {
      SCOPED_TRACE(business_texts()[i].text);
      expect_same_answer(drafted.answers[i], plain.answers[i]);
    }
    EXPECT_EQ(drafted.counters.decoded_tokens, plain.counters.decoded_tokens);
    EXPECT_EQ(drafted.counters.forced_tokens, plain.counters.forced_tokens);
    EXPECT_EQ(drafted.counters.full_rows, 0U);
    EXPECT_GT(drafted.counters.accepted_tokens, drafted.counters.drafted_tokens / 4);
    EXPECT_EQ(drafted.counters.steps, plain.counters.steps - drafted.counters.accepted_tokens);
    RecordProperty(
        "passes_" + std::to_string(draft_tokens),
        std::to_string(drafted.counters.steps) + " for " + std::to_string(plain.counters.steps));
    RecordProperty("accepted_" + std::to_string(draft_tokens),
                   std::to_string(drafted.counters.accepted_tokens) + " of " +
                       std::to_string(drafted.counters.drafted_tokens));
  }
}

}  // namespace
}  // namespace seqgpt
