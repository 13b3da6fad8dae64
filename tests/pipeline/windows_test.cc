// SPDX-License-Identifier: Apache-2.0
// Windows: every byte is read, seams fall on sentence ends, windows hold what they may.
#include "pipeline/windows.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "pipeline/fixture.h"
#include "support/random_text.h"

namespace seqgpt {
namespace {

class Windows : public ::testing::Test {
 protected:
  std::vector<ByteSpan> all(std::string_view text, int tokens) const {
    std::vector<ByteSpan> spans;
    const auto next = windows_of(tokenizer_, text, tokens);
    while (const auto window = next()) spans.push_back(*window);
    return spans;
  }
  Tokenizer tokenizer_ =
      Tokenizer::load(golden_model("bloom-tiny") + std::string("/tokenizer.json")).value();
};

TEST_F(Windows, CoverRandomTextsAndOverlap) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    while (text.size() < 2000) text += "x" + random_text(random, 40);
    const std::vector<ByteSpan> windows = all(text, 64);
    ASSERT_GT(windows.size(), 1U);
    EXPECT_EQ(windows.front().begin, 0U);
    EXPECT_EQ(windows.back().end, text.size());
    for (size_t i = 0; i < windows.size(); ++i) {
      EXPECT_LT(windows[i].begin, windows[i].end);
      EXPECT_TRUE(utf8_boundary(text, windows[i].begin));
      EXPECT_TRUE(utf8_boundary(text, windows[i].end));
      if (i > 0) {
        EXPECT_LE(windows[i].begin, windows[i - 1].end) << "nothing is left out";
        EXPECT_GT(windows[i].begin, windows[i - 1].begin);
        EXPECT_GT(windows[i].end, windows[i - 1].end);
      }
      const std::string_view part =
          std::string_view(text).substr(windows[i].begin, windows[i].end - windows[i].begin);
      EXPECT_LE(tokenizer_.encode(part).size(), 64U + 3)
          << "a token may split where the window cuts it";
    }
  }
}

TEST_F(Windows, StandSideBySideWhenToldNotToOverlap) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    while (text.size() < 2000) text += "x" + random_text(random, 40);
    size_t end = 0;
    const auto next = windows_of(tokenizer_, text, 64, false);
    while (const auto window = next()) {
      EXPECT_EQ(window->begin, end);
      end = window->end;
    }
    EXPECT_EQ(end, text.size());
  }
}

TEST_F(Windows, EndWithSentencesAndBeginWithThem) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "第" + std::to_string(i) + "句话说的是金额3.14元，没有别的。";
  const std::vector<ByteSpan> windows = all(text, 128);
  ASSERT_GT(windows.size(), 3U);
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    EXPECT_TRUE(text.substr(0, windows[i].end).ends_with("。"));
    EXPECT_TRUE(text.substr(0, windows[i + 1].begin).ends_with("。"));
  }
}

TEST_F(Windows, AShortTextIsOneWindow) {
  const std::string text = "王伟任CTO。李娜任主管。";
  EXPECT_EQ(all(text, 32), (std::vector<ByteSpan>{{0, text.size()}}));
}

TEST_F(Windows, TextWithoutAnySeamIsCutHard) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "王";
  const std::vector<ByteSpan> windows = all(text, 64);
  EXPECT_GT(windows.size(), 1U);
  EXPECT_EQ(windows.back().end, text.size());
}

TEST(LeadingSentences, KeepWholeSentences) {
  EXPECT_EQ(leading_sentences("一二三。四五六。七八九。", 9),
            std::string("一二三。四五六。").size());
  EXPECT_EQ(leading_sentences("一二三。", 9), std::string("一二三。").size());
  EXPECT_EQ(leading_sentences("一二三四五六七八九十", 4), std::string("一二三四").size());
}

}  // namespace
}  // namespace seqgpt
