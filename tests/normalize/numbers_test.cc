// SPDX-License-Identifier: Apache-2.0
// Numerals, numbers, percentages.
#include <gtest/gtest.h>

#include "normalize/values.h"

namespace seqgpt {
namespace {

using testing_support::brief;
using testing_support::field;
using testing_support::read;

/// A number in Chinese numerals, written here independently of the reader: 零..九 with 十百千万亿.
std::string chinese(int64_t value) {
  static const char* const kDigits[] = {"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
  if (value >= 100'000'000) {
    const int64_t rest = value % 100'000'000;
    return chinese(value / 100'000'000) + "亿" +
           (rest == 0 ? "" : (rest < 10'000'000 ? "零" : "") + chinese(rest));
  }
  if (value >= 10'000) {
    const int64_t rest = value % 10'000;
    return chinese(value / 10'000) + "万" +
           (rest == 0 ? "" : (rest < 1'000 ? "零" : "") + chinese(rest));
  }
  std::string out;
  bool gap = false;
  for (const auto& [unit, name] : {std::pair{1000, "千"}, {100, "百"}, {10, "十"}, {1, ""}}) {
    const int64_t digit = value / unit % 10;
    if (digit == 0) {
      gap = !out.empty();
      continue;
    }
    out += (gap ? "零" : "") + std::string(kDigits[digit]) + name;
    gap = false;
  }
  return out.empty() ? "零" : out;
}

TEST(Numbers, ChineseNumeralsComeBack) {
  for (int64_t value = 0; value < 3'000'000'000; value = value * 17 / 16 + 1) {
    EXPECT_EQ(brief("number", chinese(value)), std::to_string(value)) << chinese(value);
  }
}

TEST(Numbers, MixedAndColloquial) {
  EXPECT_EQ(brief("number", "3万2"), "32000");
  EXPECT_EQ(brief("number", "1,100万"), "11000000");
  EXPECT_EQ(brief("number", "二十一"), "21");
  EXPECT_EQ(brief("number", "两万二零三"), "22003");
  EXPECT_EQ(brief("number", "１２．５万"), "125000");
  EXPECT_EQ(brief("number", "2e5"), "200000");
  EXPECT_EQ(brief("number", "二〇二二"), "2022");
}

TEST(Numbers, Intervals) {
  EXPECT_EQ(brief("number", "三五百"), "300..500");
  EXPECT_EQ(brief("number", "十几"), "10..20");
  EXPECT_EQ(brief("number", "两三个"), "2..3");
  EXPECT_EQ(brief("number", "一千多万"), "10000000..20000000");
  EXPECT_EQ(brief("number", "十到二十万"), "100000..200000");
  EXPECT_EQ(brief("number", "大于10并且小于20"), "10..20");
  EXPECT_EQ(field(read("number", "不少于5"), "low_inclusive"), "true");
  EXPECT_EQ(field(read("number", "超过5"), "low_inclusive"), "false");
}

TEST(Numbers, ComparisonsBeforeAndBehind) {
  EXPECT_EQ(brief("number", "18岁以上60岁以下"), "18..60");
  EXPECT_EQ(brief("number", "不大于50不小于20"), "20..50");
  EXPECT_EQ(brief("number", "比三十大"), "30..null");
  EXPECT_EQ(brief("number", "≤100"), "null..100");
  EXPECT_EQ(brief("number", "10或更多"), "10..null");
}

TEST(Numbers, Fractions) {
  EXPECT_EQ(brief("number", "三分之一"), "0.333333333");
  EXPECT_EQ(field(read("number", "一又二分之一"), "fraction"), "1 1/2");
  EXPECT_EQ(brief("number", "1/8"), "0.125");
  EXPECT_EQ(brief("number", "1/0"), "!not_a_number");
}

TEST(Numbers, WhatIsNoNumberHasNoValue) {
  for (const char* text : {"十七十八", "一百你三", "10..1万", "10.1万零100", "零点", "元整", "1,00",
                           "abc", "12,345,67", "一千零百", "3万25"})
    EXPECT_EQ(brief("number", text), "!not_a_number") << text;
  EXPECT_EQ(brief("number", std::string(60, '9')), "!too_many_digits");
}

TEST(Numbers, UnitsAndOrdinals) {
  EXPECT_EQ(field(read("number", "300人"), "unit"), "人");
  EXPECT_EQ(read("number", "第三百零五条").kind, "ordinal");
  EXPECT_EQ(brief("number", "第三百零五条"), "305");
}

TEST(Percent, AllWordings) {
  EXPECT_EQ(brief("percent", "13%"), "13");
  EXPECT_EQ(brief("percent", "百分之三十到四十一"), "30..41");
  EXPECT_EQ(brief("percent", "5-20%"), "5..20");
  EXPECT_EQ(brief("percent", "千分之一"), "0.1");
  EXPECT_EQ(brief("percent", "七八成"), "70..80");
  EXPECT_EQ(brief("percent", "九五折"), "95");
  EXPECT_EQ(brief("percent", "25个基点"), "0.25");
  EXPECT_EQ(brief("percent", "负百分之十三"), "-13");
  EXPECT_EQ(brief("percent", "百分之十以上百分之三十以下"), "10..30");
  EXPECT_EQ(brief("percent", "13"), "!not_a_percent");
  EXPECT_EQ(brief("percent", "20%-5%"), "!low_above_high");
}

}  // namespace
}  // namespace seqgpt
