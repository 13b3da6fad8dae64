// SPDX-License-Identifier: Apache-2.0
// Tests of the label trie: competitors at every place, prefixes, labels that read the same.
#include "constrain/classification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "reference.h"

namespace seqgpt {
namespace {

constexpr int32_t kEnd = 2;

std::vector<ScoreRequest::Continuation> continuations(const Tokenizer& tokenizer,
                                                      const std::vector<std::string>& labels) {
  auto made = label_continuations(tokenizer, labels, kEnd);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? *made : std::vector<ScoreRequest::Continuation>{};
}

// The competitors, by comparing every label with every other.
std::vector<int32_t> competitors(const std::vector<ScoreRequest::Continuation>& all,
                                 const std::vector<int32_t>& tokens, size_t place) {
  std::set<int32_t> ids;
  for (const auto& other : all) {
    if (other.tokens.size() > place &&
        std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(place),
                   other.tokens.begin())) {
      ids.insert(other.tokens[place]);
    }
  }
  return {ids.begin(), ids.end()};
}

double weight(const std::vector<int32_t>& before, size_t place, int32_t id) {
  uint32_t hash = 17;
  for (size_t i = 0; i < place; ++i) hash = hash * 31 + static_cast<uint32_t>(before[i]);
  return 0.1 + (hash * 31 + static_cast<uint32_t>(id)) % 97;
}

TEST(LabelContinuations, HaveTheCompetitorsOfTheTrieAndSumToOne) {
  const Tokenizer tokenizer = reference::golden_tokenizer("tokenizer/main");
  const std::vector<std::string> labels = {"科技", "科技股", "科技股票", "体育", "财经",
                                           "A",    "AB",     "体",       "</s>", "科学"};
  const auto all = continuations(tokenizer, labels);
  ASSERT_EQ(all.size(), labels.size());
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    auto expected = tokenizer.encode(labels[i]);
    expected.push_back(kEnd);
    EXPECT_EQ(all[i].tokens, expected);
    ASSERT_EQ(all[i].ids_allowed.size(), expected.size());
    double probability = 1;
    for (size_t place = 0; place < expected.size(); ++place) {
      EXPECT_EQ(all[i].ids_allowed[place], competitors(all, expected, place));
      double total = 0;
      for (const int32_t id : all[i].ids_allowed[place]) total += weight(expected, place, id);
      probability *= weight(expected, place, expected[place]) / total;
    }
    sum += probability;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(LabelContinuations, ALoneLabelHasNoCompetitor) {
  const auto all = continuations(reference::byte_tokenizer(), {"科技"});
  ASSERT_EQ(all.size(), 1U);
  for (size_t i = 0; i < all[0].tokens.size(); ++i) {
    EXPECT_EQ(all[0].ids_allowed[i], std::vector<int32_t>{all[0].tokens[i]});
  }
}

TEST(LabelContinuations, RefuseWhatCannotBeToldApart) {
  const Tokenizer tokenizer = reference::byte_tokenizer();
  const auto expect = [&](const std::vector<std::string>& labels, const char* param) {
    const auto made = label_continuations(tokenizer, labels, kEnd);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kUnbuildable);
    EXPECT_EQ(made.error().param, param);
  };
  expect({"a", "b", "a"}, "labels[2]");
  expect({"a", ""}, "labels[1]");
  expect({}, "labels");
}

}  // namespace
}  // namespace seqgpt
