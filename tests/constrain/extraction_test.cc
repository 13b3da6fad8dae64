// SPDX-License-Identifier: Apache-2.0
// Tests of the extraction constraint on chosen texts: training's answers, None, caps, refusals.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "harness.h"

namespace seqgpt::harness {
namespace {

// Writes the answer with the tokenizer's own tokens where the constraint leaves a choice.
Answer write(const Vocabulary& vocabulary, std::string_view text,
             const std::vector<std::string>& labels, const std::string& wanted) {
  const auto tokens = vocabulary.tokenizer.encode(wanted);
  const auto constraint = constraint_of(vocabulary, text, labels);
  size_t at = 0;
  Answer answer;
  auto state = constraint->start();
  while (!constraint->finished(state) && at < tokens.size()) {
    std::vector<int32_t> ids;
    constraint->forced(state, ids);
    if (ids.empty()) constraint->allowed(state, ids);
    if (!std::ranges::count(ids, tokens[at])) {
      ADD_FAILURE() << "token " << at << " of " << wanted << " is not allowed";
      break;
    }
    answer.tokens.push_back(tokens[at]);
    state = constraint->advance(state, tokens[at++]);
  }
  EXPECT_TRUE(constraint->finished(state) && at == tokens.size());
  answer.values = constraint->values(state);
  return answer;
}

TEST(ExtractionConstraint, ForcesLabelsAsTheTokenizerWritesThem) {
  const Vocabulary& main = main_vocabulary();
  const auto constraint = constraint_of(main, "王伟去了北京", {"组织机构", "人物[GEN]</s>"});
  std::vector<int32_t> forced;
  constraint->forced(constraint->start(), forced);
  EXPECT_EQ(forced, main.tokenizer.encode("组织机构:"));
  const Answer answer = generate(*constraint, main, by_score(1));
  EXPECT_NE(answer.bytes.find("\n人物[GEN]</s>: "), std::string::npos);
  for (const int32_t id : answer.tokens) EXPECT_FALSE(main.tokenizer.is_added(id));
}

TEST(ExtractionConstraint, TakesTheAnswersThatTrainingWrites) {
  const std::string text = "王伟（CTO），Acme Ltd. 2022年3月加入。电话：138\n0013。(注)";
  for (const auto& vocabulary : vocabularies()) {
    if (vocabulary->name.starts_with("wild") || vocabulary->name == "adversarial") continue;
    SCOPED_TRACE(vocabulary->name);
    const Answer answer = write(*vocabulary, text, {"姓名", "公司", "电话", "注"},
                                "姓名: 王伟\tCTO\n公司: None\n电话: 138 0013。\n注: (注)\n");
    ASSERT_EQ(answer.values.size(), 4U);
    EXPECT_EQ(answer.values[0].bytes, "王伟");
    EXPECT_EQ(answer.values[1].bytes, "CTO");
    EXPECT_EQ(answer.values[2].bytes, "138 0013。");
    EXPECT_EQ(answer.values[2].label, 2);
    EXPECT_EQ(text.substr(answer.values[2].source.begin, 11), "138\n0013。");
    EXPECT_EQ(answer.values[3].bytes, "(注)");
  }
}

TEST(ExtractionConstraint, NoneIsAbsenceAndNeverAValue) {
  const Vocabulary& bytes = byte_vocabulary();
  EXPECT_TRUE(write(bytes, "x None y", {"a"}, "a: None\n").values.empty());
  const Answer longer = write(bytes, "None more None", {"a"}, "a: None more\tNone m\n");
  ASSERT_EQ(longer.values.size(), 2U);
  EXPECT_EQ(longer.values[0].bytes, "None more");
  std::mt19937 random(14);
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::string> labels = {"a", "b"};
    const auto answer = generate(*constraint_of(bytes, "None", labels), bytes, at_random(random));
    for (const ExtractedValue& value : answer.values) EXPECT_NE(value.bytes, "None");
  }
}

TEST(ExtractionConstraint, SaysNoneOfATextWithoutValues) {
  std::mt19937 random(15);
  for (const auto& vocabulary : vocabularies()) {
    for (const char* text : {"", " \n\u3000", "\u0301", "\u200D\uFE0F"}) {
      const auto answer =
          generate(*constraint_of(*vocabulary, text, {"甲", "乙"}), *vocabulary, at_random(random));
      EXPECT_EQ(answer.bytes, "甲: None\n乙: None\n");
    }
  }
}

TEST(ExtractionConstraint, GivesEachValueOnceUntilNoneIsLeft) {
  std::mt19937 random(16);
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    const std::string text = "王王伟";  // six substrings, one of them twice
    const auto answer = generate(*constraint_of(*vocabulary, text, {"a"}), *vocabulary,
                                 many_values(*vocabulary, random));
    EXPECT_EQ(answer.values.size(), 5U);
    for (const ExtractedValue& value : answer.values) EXPECT_FALSE(value.capped);
  }
}

TEST(ExtractionConstraint, StopsAtTheCapOfValuesAndMarksTheLast) {
  std::mt19937 random(17);
  std::string text;
  for (int i = 0; i < 200; ++i) utf8_append(text, 0x4E00 + static_cast<char32_t>(i));
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    const std::vector<std::string> labels = {"a", "b"};
    const auto answer = generate(*constraint_of(*vocabulary, text, labels), *vocabulary,
                                 many_values(*vocabulary, random));
    ASSERT_EQ(answer.values.size(), 2U * kMaxValuesPerLabel);
    for (size_t i = 0; i < answer.values.size(); ++i) {
      EXPECT_EQ(answer.values[i].capped, i % kMaxValuesPerLabel == kMaxValuesPerLabel - 1) << i;
    }
  }
}

TEST(ExtractionConstraint, StopsAtTheCapOfCharacters) {
  std::mt19937 random(18);
  for (const auto& vocabulary : vocabularies()) {
    SCOPED_TRACE(vocabulary->name);
    for (int round = 0; round < 4; ++round) {
      std::string text;
      while (utf8_count(text) < 700) text += reference::random_text(random, 20) + "甲乙";
      const auto answer = generate(*constraint_of(*vocabulary, text, {"a", "b"}), *vocabulary,
                                   without_ends(*vocabulary, random));
      for (size_t i = 0; i < answer.values.size(); ++i) {
        const ExtractedValue& value = answer.values[i];
        EXPECT_LE(utf8_count(value.bytes), static_cast<size_t>(kMaxValueCharacters));
        const bool first = i == 0 || answer.values[i - 1].label != value.label;
        EXPECT_TRUE(!first || value.capped || value.source.end == text.size()) << value.bytes;
      }
    }
  }
}

TEST(ExtractionConstraint, TakesALargeText) {
  const Vocabulary& main = main_vocabulary();
  std::mt19937 random(20);
  std::string text;
  while (text.size() < 200'000) text += reference::random_text(random, 50);
  const auto answer =
      generate(*constraint_of(main, text, {"姓名", "None", "公司"}), main, at_random(random));
  for (const ExtractedValue& value : answer.values) EXPECT_LE(value.source.end, text.size());
}

TEST(ExtractionConstraint, RefusesWhatItCannotBuild) {
  const Vocabulary& bytes = byte_vocabulary();
  const auto expect = [&](const std::vector<std::string>& labels, const char* param) {
    const auto made =
        ExtractionConstraint::build(index_of("x"), bytes.trie, bytes.tokenizer, labels);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kUnbuildable);
    EXPECT_EQ(made.error().param, param);
  };
  expect({}, "labels");
  expect({"a", ""}, "labels[1]");
  expect({"a", "b", "c\td"}, "labels[2]");
  expect({"a\nb"}, "labels[0]");
  // A tokenizer with more tokens than the model has rows.
  const Vocabulary& main = main_vocabulary();
  const auto few = VocabularyTrie::build(main.tokenizer, 300);
  ASSERT_TRUE(few.ok());
  const auto made =
      ExtractionConstraint::build(index_of("x"), *few, main.tokenizer, {"a", "组织机构"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().param, "labels[1]");
}

}  // namespace
}  // namespace seqgpt::harness
