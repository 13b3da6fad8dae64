// SPDX-License-Identifier: Apache-2.0
// What the rules make of values that end too early, too late, or just right.
#include "pipeline/boundary.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/utf8.h"
#include "pipeline/canonical.h"
#include "support/random_text.h"

namespace seqgpt {
namespace {

/// What `rule` makes of the value that `marked` has between | and |.
template <typename Rule>
std::string ruled(std::string marked, const Rule& rule) {
  const size_t begin = marked.find('|');
  marked.erase(begin, 1);
  const size_t end = marked.find('|');
  marked.erase(end, 1);
  const ByteSpan span = rule(marked, ByteSpan{begin, end});
  return marked.substr(span.begin, span.end - span.begin);
}
std::string tidied(const std::string& marked) {
  return ruled(marked, tidy_boundary);
}
std::string alone(const std::string& marked, std::string_view type) {
  return ruled(marked, [&](std::string_view text, ByteSpan span) {
    return without_company(text, span, type);
  });
}
std::string whole(const std::string& marked, ValueKind kind) {
  return ruled(marked, [&](std::string_view text, ByteSpan span) {
    return whole_value(text, span, kind, {});
  });
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

TEST(Boundary, AValueStandsAlone) {
  EXPECT_EQ(alone("由|张强分别|任职", "person"), "张强");
  EXPECT_EQ(alone("|分别|", "person"), "分别");
  EXPECT_EQ(alone("|张强分别|", "text"), "张强分别");
  EXPECT_EQ(alone("借|人民币大写：叁万元|整", "amount"), "叁万元");
  EXPECT_EQ(alone("|总价（小写）: ¥5,000|", "amount"), " ¥5,000") << "tidying takes the space";
  EXPECT_EQ(alone("|人民币：小写:5000|", "amount"), "5000");
  EXPECT_EQ(alone("|人民币大写：叁万元：|", "amount"), "叁万元：") << "tidying takes the end";
  EXPECT_EQ(alone("|人民币：|叁万", "amount"), "人民币：") << "nothing would be left";
  for (const char* kept :
       {"9:30", "1:2", "5000元（其中：定金1000元）", "5000元（大写：）", ":", "："})
    EXPECT_EQ(alone("|" + std::string(kept) + "|", "amount"), kept);
  EXPECT_EQ(alone("|9:30|", "date"), "9:30");
}

TEST(Boundary, AUnitIsNotCut) {
  EXPECT_EQ(whole("工期|150日|历天", ValueKind::kDuration), "150日历天");
  EXPECT_EQ(whole("工期|150|日历天", ValueKind::kDuration), "150日历天");
  EXPECT_EQ(whole("共|1,204|万元整", ValueKind::kAmount), "1,204万元整");
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
