// SPDX-License-Identifier: Apache-2.0
// What the extraction constraint guesses: always something allowed; where the text tells, the
// value.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness.h"

namespace seqgpt::harness {
namespace {

/// The answer when every choice follows the guess; ends where there is none.
Answer follow_guesses(const Vocabulary& vocabulary, const std::string& text,
                      const std::vector<std::string>& labels) {
  const auto constraint = constraint_of(vocabulary, text, labels);
  Answer answer;
  auto state = constraint->start();
  const auto take = [&](int32_t id) {
    answer.tokens.push_back(id);
    answer.bytes += vocabulary.tokenizer.bytes(id);
    state = constraint->advance(state, id);
  };
  while (!constraint->finished(state)) {
    std::vector<int32_t> ids;
    constraint->forced(state, ids);
    for (const int32_t id : ids) take(id);
    if (constraint->finished(state)) break;
    const int32_t guess = constraint->guess(state);
    if (guess == Constraint::kNoGuess) break;
    constraint->allowed(state, ids);
    EXPECT_TRUE(std::ranges::binary_search(ids, guess)) << answer.bytes;
    if (!std::ranges::binary_search(ids, guess)) break;
    take(guess);
  }
  answer.values = constraint->values(state);
  return answer;
}

TEST(Guesses, TakeWhatStandsBehindTheLabelUpToPunctuationOrTheLinesEnd) {
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    // The wild ones hold tokens that cross every edge: their encoding need not be a legal answer.
    if (vocabulary->name.starts_with("wild") || vocabulary->name == "adversarial") continue;
    const Answer answer =
        follow_guesses(*vocabulary, "姓名：王琛，男\n公司: 云图公司\n住址：北京", {"姓名", "公司"});
    EXPECT_EQ(answer.bytes, "姓名: 王琛\n公司: 云图公司\n");
    ASSERT_EQ(answer.values.size(), 2U);
    EXPECT_EQ(answer.values[0].bytes, "王琛");
    EXPECT_EQ(answer.values[1].bytes, "云图公司");
  }
}

/// After any beginning of a value the guesses bring it to an end that the grammar allows.
TEST(Guesses, GoOnWithAnyValueThatWasBegun) {
  const std::string text = "王伟，现任上海云图数据科技有限公司CTO（2022年3月加入）。";
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    const auto constraint = constraint_of(*vocabulary, text, {"x"});
    std::mt19937 random(3);
    int guesses = 0;
    for (int i = 0; i < 30; ++i) {
      auto state = constraint->start();
      bool chance = true;
      while (!constraint->finished(state)) {
        std::vector<int32_t> ids;
        constraint->forced(state, ids);
        for (const int32_t id : ids) state = constraint->advance(state, id);
        if (constraint->finished(state)) break;
        constraint->allowed(state, ids);
        const int32_t guess = constraint->guess(state);
        const bool legal = std::ranges::binary_search(ids, guess);
        guesses += legal ? 1 : 0;
        if (!legal || chance) state = constraint->advance(state, ids[random() % ids.size()]);
        if (legal && !chance) state = constraint->advance(state, guess);
        chance = random() % 6 == 0;
      }
    }
    EXPECT_GT(guesses, 30);
  }
}

}  // namespace
}  // namespace seqgpt::harness
