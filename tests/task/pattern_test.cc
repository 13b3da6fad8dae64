// SPDX-License-Identifier: Apache-2.0
// Tests of patterns: what is bounded and by how much, what is refused, what matches.
#include "task/pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "task/pattern_bound.h"

namespace seqgpt {
namespace {

struct Bounded {
  const char* pattern;
  size_t characters;
};

class PatternBoundTest : public testing::TestWithParam<Bounded> {};

TEST_P(PatternBoundTest, CountsCharacters) {
  const auto pattern = Pattern::compile(GetParam().pattern, "pattern");
  ASSERT_TRUE(pattern.ok()) << pattern.error().message;
  EXPECT_EQ(pattern->max_characters(), GetParam().characters) << GetParam().pattern;
}

INSTANTIATE_TEST_SUITE_P(
    All, PatternBoundTest,
    testing::Values(Bounded{"abc", 3}, Bounded{"王伟", 2}, Bounded{"a?", 1},
                    Bounded{"1[3-9]\\d{9}", 11}, Bounded{"[0-9]{17}[0-9Xx]|[0-9]{15}", 18},
                    Bounded{"(ab|c){2,3}", 6}, Bounded{"^a$", 1}, Bounded{"\\*\\+", 2},
                    Bounded{"[*+]", 1}, Bounded{"[]*]{2}", 2}, Bounded{"[^]*]", 1},
                    Bounded{"[[:alpha:]+*]{2}", 2}, Bounded{"[\\]*]", 1}, Bounded{"\\Qa*b+\\E", 4},
                    Bounded{"\\p{Han}{2,4}", 4}, Bounded{"\\pN{2}", 2}, Bounded{"\\x{4e00}{3}", 3},
                    Bounded{"\\x41{2}", 2}, Bounded{"(?i)ab", 2}, Bounded{"(?i:ab){2}", 4},
                    Bounded{"(?P<year>\\d{4})年", 5}, Bounded{"a{,5}", 5}, Bounded{"a{x}", 4},
                    Bounded{"{", 1}, Bounded{"\\bA\\b", 1}, Bounded{"a{2}?", 2}, Bounded{"a??", 1},
                    Bounded{"(?:a|bcd|)x", 4}, Bounded{".{256}", 256}, Bounded{"[a-z&&[^b]]", 2}));

TEST(Pattern, RefusesWhatHasNoBoundOrIsNone) {
  for (const char* bad :
       {"a*", "a+", "a{3,}", "(ab)*", "[0-9]+", ".*", "a+?", "(?:)*", "x\\*y*", "[*]+", "\\Qa\\E*",
        "(a{0,10}){0,30}", "\\d{300}", "(a|b*)", "\\p{Han}+", "a{0,}", "\\C"}) {
    const auto pattern = Pattern::compile(bad, "labels[3].pattern");
    ASSERT_FALSE(pattern.ok()) << bad;
    EXPECT_EQ(pattern.error().code, ErrorCode::kUnbuildable) << bad;
    EXPECT_EQ(pattern.error().param, "labels[3].pattern");
    EXPECT_TRUE(pattern.error().message.starts_with("labels[3].pattern ")) << bad;
  }
  for (const char* broken : {"", "(", "a{2,1}", "[z-a]", "\\", "(?<a", "a**", "*a", "\\1",
                             "a{1001}", "[[:no:]]", "\xFF"}) {
    EXPECT_FALSE(Pattern::compile(broken, "p").ok()) << broken;
  }
  const auto place = Pattern::compile("ab[0-9]+", "p");
  EXPECT_NE(place.error().message.find("+ at byte 7"), std::string::npos) << place.error().message;
  EXPECT_NE(Pattern::compile(std::string(501, 'a'), "p").error().message.find("500"),
            std::string::npos);
  EXPECT_FALSE(Pattern::compile("(\\pL{16}){16}", "p").ok());  // thousands of ranges, 256 times
}

TEST(Pattern, MatchesWholeValuesAndFindsTheLongestBeginning) {
  const Pattern phone = Pattern::compile("1[3-9]\\d{9}(转\\d{1,4})?", "p").value();
  EXPECT_TRUE(phone.matches("13800138000"));
  EXPECT_TRUE(phone.matches("13800138000转12"));
  EXPECT_FALSE(phone.matches("138001380001"));
  EXPECT_FALSE(phone.matches(""));
  EXPECT_EQ(phone.longest("13800138000转12x"), 16U);
  EXPECT_EQ(phone.longest("x13800138000"), 0U);
  const Pattern lazy = Pattern::compile("a??b{0,3}?", "p").value();
  EXPECT_EQ(lazy.longest("abbbb"), 4U);
  EXPECT_EQ(lazy.longest("x"), 0U);
}

// A random pattern that is taken never matches more characters than its bound says.
TEST(Pattern, BoundsHoldForRandomPatterns) {
  static const char* kPieces[] = {"a", "b",   "王",    ".",   "[ab]", "[^a]", "(", ")",    "|",
                                  "?", "{2}", "{1,3}", "\\d", "\\Q",  "\\E",  "*", "(?:",  "[]",
                                  "]", "\\",  "{",     "+",   "\\pL", "^",    "$", "{0,2}"};
  std::mt19937 random(3);
  size_t taken = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string written;
    for (size_t k = 1 + random() % 7; k > 0; --k) written += kPieces[random() % std::size(kPieces)];
    const auto pattern = Pattern::compile(written, "p");
    if (!pattern.ok()) continue;
    ++taken;
    for (int round = 0; round < 8; ++round) {
      std::string text;
      for (size_t k = random() % 40; k > 0; --k) {
        static const char* kLetters[] = {"a", "a", "b", "王", "1", "*", "+"};
        text += kLetters[random() % std::size(kLetters)];
      }
      const size_t longest = pattern->longest(text);
      EXPECT_LE(utf8_count(std::string_view(text).substr(0, longest)), pattern->max_characters())
          << written << " " << text;
    }
  }
  EXPECT_GT(taken, 3000U);
}

}  // namespace
}  // namespace seqgpt
