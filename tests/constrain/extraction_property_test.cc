// SPDX-License-Identifier: Apache-2.0
// Property tests of the extraction constraint: random texts, vocabularies and choices.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness.h"

namespace seqgpt::harness {
namespace {

const std::vector<std::string> kLabels = {"姓名", "None", "a b(c):"};

using Values = std::map<std::string, std::vector<reference::Occurrence>>;

void expect_sound(const Answer& answer, const Vocabulary& vocabulary,
                  const std::vector<std::string>& labels, const Values& values) {
  EXPECT_EQ(vocabulary.tokenizer.decode(answer.tokens, false), answer.bytes);
  const std::vector<Parsed> parsed = parse(answer.bytes, labels);
  ASSERT_EQ(answer.values.size(), parsed.size());
  std::set<std::pair<int, std::string>> distinct;
  for (size_t i = 0; i < parsed.size(); ++i) {
    const ExtractedValue& value = answer.values[i];
    EXPECT_EQ(value.label, parsed[i].label);
    EXPECT_EQ(value.bytes, parsed[i].value);
    EXPECT_EQ(value.first_token, token_at(answer, vocabulary, parsed[i].place));
    EXPECT_EQ(value.end_token,
              token_at(answer, vocabulary, parsed[i].place + value.bytes.size() - 1) + 1);
    EXPECT_EQ(value.stop_token, token_at(answer, vocabulary, parsed[i].place + value.bytes.size()));
    EXPECT_TRUE(distinct.emplace(value.label, value.bytes).second) << value.bytes;
    EXPECT_NE(value.bytes, "None");
    const auto found = values.find(value.bytes);
    ASSERT_NE(found, values.end()) << value.bytes;
    EXPECT_EQ(value.source, reference::place_of(found->second));
  }
}

TEST(ExtractionConstraint, EveryAnswerIsSound) {
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    std::mt19937 random(11);
    for (int i = 0; i < 2500 / kShare && !testing::Test::HasFailure(); ++i) {
      const std::string text = reference::random_text(random, static_cast<int>(random() % 14));
      SCOPED_TRACE(testing::PrintToString(text));
      const auto constraint = constraint_of(*vocabulary, text, kLabels);
      const Choose choices[] = {at_random(random), by_score(random()),
                                with_tabs(*vocabulary, random), without_ends(*vocabulary, random)};
      expect_sound(generate(*constraint, *vocabulary, choices[random() % 4]), *vocabulary, kLabels,
                   reference::all_values(text));
    }
  }
}

// For every token of the vocabulary: it is allowed exactly when a legal line begins with what was
// said and it.
TEST(ExtractionConstraint, AllowsExactlyWhatCanBeCompleted) {
  const std::vector<std::string> labels = {"姓名", "x"};
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    std::mt19937 random(12);
    const int texts = (vocabulary->usable.size() > 2000 ? 50 : 500) / kShare;
    for (int i = 0; i < texts && !testing::Test::HasFailure(); ++i) {
      const std::string text = reference::random_text(random, static_cast<int>(random() % 8));
      SCOPED_TRACE(testing::PrintToString(text));
      const reference::Line line(reference::all_values(text));
      const Look look = [&](const Constraint::State&, const std::string& answer,
                            const std::vector<int32_t>& ids) {
        if (random() % 4 != 0) return;  // the reference is slow
        const size_t line_begin =
            answer.rfind('\n') == std::string::npos ? 0 : answer.rfind('\n') + 1;
        const std::string said = answer.substr(answer.find(':', line_begin) + 1);
        std::vector<int32_t> expected;
        for (const int32_t id : vocabulary->usable) {
          if (line.can_be_completed(said + std::string(vocabulary->tokenizer.bytes(id))))
            expected.push_back(id);
        }
        EXPECT_EQ(ids, expected) << testing::PrintToString(said);
      };
      const Choose choices[] = {at_random(random), with_tabs(*vocabulary, random),
                                without_ends(*vocabulary, random)};
      generate(*constraint_of(*vocabulary, text, labels), *vocabulary, choices[random() % 3], look);
    }
  }
}

// Forced tokens are all that must come: one by one, each is the only one, and after them there is a
// choice.
TEST(ExtractionConstraint, ForcesWhatHasNoChoiceAndNothingElse) {
  for (const auto& vocabulary : vocabularies()) {
    std::mt19937 random(13);
    for (int i = 0; i < 300 / kShare; ++i) {
      const std::string text = reference::random_text(random, static_cast<int>(random() % 5));
      const auto constraint = constraint_of(*vocabulary, text, kLabels);
      auto state = constraint->start();
      std::vector<int32_t> allowed;
      while (!constraint->finished(state)) {
        std::vector<int32_t> forced;
        constraint->forced(state, forced);
        for (const int32_t id : forced) {
          constraint->allowed(state, allowed);
          ASSERT_EQ(allowed, std::vector<int32_t>{id});
          state = constraint->advance(state, id);
        }
        if (constraint->finished(state)) break;
        constraint->allowed(state, allowed);
        ASSERT_GE(allowed.size(), 2U);
        state = constraint->advance(state, allowed[random() % allowed.size()]);
      }
    }
  }
}

TEST(ExtractionConstraint, ForksAreIndependent) {
  const Vocabulary& main = main_vocabulary();
  std::mt19937 random(19);
  const std::string text = "王伟和李娜在北京的云图公司工作";
  const auto constraint = constraint_of(main, text, kLabels);
  const Look look = [&](const Constraint::State& state, const std::string&,
                        const std::vector<int32_t>& ids) {
    const auto before = constraint->values(state).size();
    std::vector<int32_t> again;
    auto fork = constraint->advance(state, ids[random() % ids.size()]);
    for (int i = 0; i < 10 && !constraint->finished(fork); ++i) {
      again.clear();
      constraint->forced(fork, again);
      if (again.empty()) constraint->allowed(fork, again);
      fork = constraint->advance(fork, again.front());
    }
    constraint->allowed(state, again);
    EXPECT_EQ(again, ids);
    EXPECT_EQ(constraint->values(state).size(), before);
  };
  generate(*constraint, main, at_random(random), look);
}

}  // namespace
}  // namespace seqgpt::harness
