// SPDX-License-Identifier: Apache-2.0
// Amounts and durations.
#include <gtest/gtest.h>

#include "normalize/values.h"

namespace seqgpt {
namespace {

using testing_support::brief;
using testing_support::field;
using testing_support::read;

TEST(Amounts, FiguresAreExact) {
  EXPECT_EQ(brief("amount", "12345678901234567890.12元"), "12345678901234567890.12");
  EXPECT_EQ(brief("amount", "0.1元"), "0.10");
  EXPECT_EQ(brief("amount", "47.264287亿元"), "4726428700.00");
  EXPECT_EQ(brief("amount", "壹拾贰万肆仟壹佰贰拾肆亿壹仟贰佰肆拾壹万贰仟肆佰贰拾壹元壹角贰分"),
            "12412412412421.12");
}

TEST(Amounts, CapitalsAndColloquial) {
  EXPECT_EQ(brief("amount", "人民币（大写）：壹拾万零伍佰元整"), "100500.00");
  EXPECT_EQ(brief("amount", "三块零四"), "3.04");
  EXPECT_EQ(brief("amount", "五块七毛八"), "5.78");
  EXPECT_EQ(brief("amount", "伍佰万元\n整"), "5000000.00");
}

TEST(Amounts, SeparatorsOfThreeAndOfFour) {
  EXPECT_EQ(brief("amount", "198，5604元"), "1985604.00");
  EXPECT_EQ(brief("amount", "1,045,612.10元"), "1045612.10");
  EXPECT_EQ(brief("amount", "1,045,6121元"), "!not_an_amount");
}

TEST(Amounts, SaidTwiceMustAgree) {
  EXPECT_EQ(brief("amount", "¥1,000.00（大写：壹仟元整）"), "1000.00");
  EXPECT_EQ(brief("amount", "¥1,000.00（大写：壹佰元整）"), "!amounts_differ");
}

TEST(Amounts, Currencies) {
  EXPECT_EQ(field(read("amount", "HK$100"), "currency"), "HKD");
  EXPECT_EQ(field(read("amount", "新台币 177.1 亿元"), "currency"), "TWD");
  EXPECT_EQ(field(read("amount", "500 cad"), "currency"), "CAD");
  EXPECT_EQ(field(read("amount", "三百万"), "currency"), "null");
  EXPECT_EQ(field(read("amount", "三百万元"), "currency"), "CNY");
}

TEST(Amounts, CurrenciesThatDisagreeHaveNoValue) {
  EXPECT_EQ(brief("amount", "¥100美元"), "!not_an_amount");
  EXPECT_EQ(brief("amount", "950欧元（约7335元人民币）"), "950.00");
  EXPECT_EQ(field(read("amount", "950欧元（约7335元人民币）"), "currency"), "EUR");
  EXPECT_EQ(field(read("amount", "10美分"), "currency"), "USD");
}

TEST(Amounts, PricesAndEnglishUnits) {
  EXPECT_EQ(brief("amount", "最高成交价格为人民币17.35元"), "17.35");
  EXPECT_EQ(brief("amount", "7.24元/股-9.13元/股"), "7.24..9.13");
  EXPECT_EQ(brief("amount", "US$1.2 million"), "1200000.00");
}

TEST(Amounts, RangesShareUnits) {
  EXPECT_EQ(brief("amount", "十八至三十万日元"), "180000.00..300000.00");
  EXPECT_EQ(brief("amount", "8000-1万元"), "8000.00..10000.00");
  EXPECT_EQ(brief("amount", "两~3百日元"), "200.00..300.00");
  EXPECT_EQ(brief("amount", "100元-2万元"), "100.00..20000.00");
  EXPECT_EQ(brief("amount", "5万元-3万元"), "!low_above_high");
  EXPECT_EQ(brief("amount", "五万元以上五十万元以下"), "50000.00..500000.00");
  EXPECT_EQ(brief("amount", "五万元以上五十万元以上"), "!not_an_amount");
  EXPECT_EQ(brief("amount", "5美元-8欧元"), "!not_an_amount");
}

TEST(Amounts, PayAndBounds) {
  EXPECT_EQ(field(read("amount", "年薪120万元"), "period"), "year");
  EXPECT_EQ(field(read("amount", "200-300元/天"), "period"), "day");
  EXPECT_EQ(field(read("amount", "不低于5000万元"), "bound"), "above");
  EXPECT_EQ(field(read("amount", "100元/平方米"), "per"), "平方米");
  EXPECT_EQ(read("amount", "120万元").flat.first, "1200000");
}

TEST(Amounts, WhatIsNoAmountHasNoValue) {
  for (const char* text : {"面议", "若干元", "(500.00)", "元", "1,00元", "三元五元"})
    EXPECT_EQ(brief("amount", text), "!not_an_amount") << text;
}

TEST(Durations, Wordings) {
  EXPECT_EQ(brief("duration", "三年六个月"), "P3Y6M");
  EXPECT_EQ(brief("duration", "一个半小时"), "PT1H30M");
  EXPECT_EQ(brief("duration", "半个月"), "P15D");
  EXPECT_EQ(brief("duration", "五个季度"), "P15M");
  EXPECT_EQ(brief("duration", "3~6个月"), "P3M..P6M");
  EXPECT_EQ(brief("duration", "十五年以上，30年以下"), "P15Y..P30Y");
  EXPECT_EQ(brief("duration", "六个月以下"), "P0D..P6M");
  EXPECT_EQ(brief("duration", "三十年以上"), "P30Y..null");
  EXPECT_EQ(brief("duration", "6天5晚"), "P6D");
  EXPECT_EQ(brief("duration", "自合同签订之日起12个月内"), "P12M");
  EXPECT_EQ(brief("duration", "3年（2022年1月1日至2024年12月31日）"), "P3Y");
  EXPECT_EQ(field(read("duration", "10个工作日内"), "business_days"), "true");
  EXPECT_EQ(field(read("duration", "四个多星期"), "approx"), "true");
  EXPECT_EQ(brief("duration", "无固定期限"), "!not_a_duration");
  EXPECT_EQ(brief("duration", "两月三年"), "!not_a_duration");
}

}  // namespace
}  // namespace seqgpt
