// SPDX-License-Identifier: Apache-2.0
// What the rules make of values that end too early, too late, or just right.
#include "pipeline/boundary.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/utf8.h"
#include "support/random_text.h"

namespace seqgpt {
namespace {

/// `marked` has the value between | and |.
std::string tidied(std::string marked) {
  const size_t begin = marked.find('|');
  marked.erase(begin, 1);
  const size_t end = marked.find('|');
  marked.erase(end, 1);
  const ByteSpan span = tidy_boundary(marked, {begin, end});
  return marked.substr(span.begin, span.end - span.begin);
}

TEST(Boundary, PunctuationAtTheEndsGoes) {
  EXPECT_EQ(tidied("他叫|王伟，|来自上海"), "王伟");
  EXPECT_EQ(tidied("他叫|：王伟。|来自上海"), "王伟");
  EXPECT_EQ(tidied("|王伟|"), "王伟");
  EXPECT_EQ(tidied("|Acme Ltd.| is"), "Acme Ltd.");
  EXPECT_EQ(tidied("共|120.|"), "120");
  EXPECT_EQ(tidied("负数|-5|度"), "-5") << "a sign is no punctuation";
}

TEST(Boundary, BracketsAreClosedOrGo) {
  EXPECT_EQ(tidied("任|云图（上海|）有限公司"), "云图（上海）");
  EXPECT_EQ(tidied("|云图(上海|）有限公司"), "云图(上海）");
  EXPECT_EQ(tidied("|云图（|上海）有限公司"), "云图（上海）");
  EXPECT_EQ(tidied("|云图（|上海。）"), "云图");
  EXPECT_EQ(tidied("（|王伟）|说"), "王伟");
  EXPECT_EQ(tidied("|（王伟|，李娜"), "王伟");
  EXPECT_EQ(tidied("读|《红楼梦》|"), "《红楼梦》");
  EXPECT_EQ(tidied("读|《红楼梦|》"), "《红楼梦》");
}

TEST(Boundary, QuotesAroundTheWholeGo) {
  EXPECT_EQ(tidied("他说|“可以”|。"), "可以");
  EXPECT_EQ(tidied("|“双十一”活动|"), "“双十一”活动");
}

TEST(Boundary, NothingButPunctuationStays) {
  EXPECT_EQ(tidied("符号|。。|"), "。。");
}

TEST(Boundary, IsASpanOfAnyTextAndStable) {
  std::mt19937 random(17);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = "x" + random_text(random, 12) + "（。”";
    std::vector<size_t> places;
    for (size_t at = 0; at <= text.size(); ++at) {
      if (utf8_boundary(text, at)) places.push_back(at);
    }
    const size_t a = random() % (places.size() - 1);
    const size_t b = a + 1 + random() % (places.size() - 1 - a);
    const ByteSpan tidy = tidy_boundary(text, {places[a], places[b]});
    ASSERT_LT(tidy.begin, tidy.end);
    ASSERT_LE(tidy.end, text.size());
    EXPECT_TRUE(utf8_boundary(text, tidy.begin) && utf8_boundary(text, tidy.end));
    EXPECT_EQ(tidy_boundary(text, tidy), tidy);
  }
}

}  // namespace
}  // namespace seqgpt
