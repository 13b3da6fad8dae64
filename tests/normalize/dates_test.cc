// SPDX-License-Identifier: Apache-2.0
// Dates, times and ranges; the reference is Monday, 2026-11-30 09:00.
#include <gtest/gtest.h>

#include "normalize/values.h"

namespace seqgpt {
namespace {

using testing_support::brief;
using testing_support::field;
using testing_support::read;

std::string date(const std::string& text) {
  return brief("date", text);
}
std::string undated(const std::string& text) {
  return brief(read("date", text, ReferenceTime()));
}

TEST(Dates, PrecisionIsKept) {
  EXPECT_EQ(date("2022年"), "2022");
  EXPECT_EQ(date("2022年3月"), "2022-03");
  EXPECT_EQ(date("2022年3月1日"), "2022-03-01");
  EXPECT_EQ(date("2022年3月1日上午9时"), "2022-03-01T09:00");
  EXPECT_EQ(field(read("date", "2022年3月"), "precision"), "month");
  EXPECT_EQ(read("date", "2022年3月").flat.first, "2022-03-01");
  EXPECT_EQ(read("date", "2022年3月1日9:30").flat.first, "2022-03-01T09:30");
}

TEST(Dates, NumbersAndSeparators) {
  EXPECT_EQ(date("2022-3-1"), "2022-03-01");
  EXPECT_EQ(date("20220301"), "2022-03-01");
  EXPECT_EQ(date("13.5.2015"), "2015-05-13");
  EXPECT_EQ(date("10/31/74"), "1974-10-31");
  EXPECT_EQ(date("2018-12-1209:03"), "2018-12-12T09:03");
  EXPECT_EQ(date("2022-03-01T09:30:15+08:00"), "2022-03-01T09:30:15");
  EXPECT_EQ(date("2 0 2 2 年 3 月"), "2022-03");
  EXPECT_EQ(date("２０２２年\n３月"), "2022-03");
}

TEST(Dates, WhatDoesNotExistHasNoValue) {
  EXPECT_EQ(date("2022年2月29日"), "!no_such_day");
  EXPECT_EQ(date("2024年2月29日"), "2024-02-29");
  EXPECT_EQ(date("2022年13月"), "!no_such_month");
  EXPECT_EQ(date("25:00"), "!no_such_time");
  EXPECT_EQ(date("移动4/5G"), "!not_a_date");
  EXPECT_EQ(date("最近"), "!not_a_date");
  EXPECT_EQ(date("2019年4月12-9日"), "!end_before_start");
  EXPECT_EQ(date("农历八月十五"), "!lunar_calendar");
}

TEST(Dates, RelativeToTheReference) {
  EXPECT_EQ(date("去年"), "2025");
  EXPECT_EQ(date("下周三"), "2026-12-09");
  EXPECT_EQ(date("周日"), "2026-12-06");
  EXPECT_EQ(date("上个月15号"), "2026-10-15");
  EXPECT_EQ(date("明晚8点"), "2026-12-01T20:00");
  EXPECT_EQ(date("3天后"), "2026-12-03");
  EXPECT_EQ(date("一个月后"), "2026-12");
  EXPECT_EQ(date("近三个月"), "2026-08-30..2026-11-30");
  EXPECT_EQ(date("上季度"), "2026-07..2026-09");
  EXPECT_EQ(date("本月最后一天"), "2026-11-30");
}

TEST(Dates, ZoneOfTheReferenceCounts) {
  const ReferenceTime west = *ReferenceTime::parse("2026-11-30T20:00:00-05:00");
  EXPECT_EQ(brief(read("date", "今天", west)), "2026-11-30");
  const ReferenceTime east = *ReferenceTime::parse("2026-11-30T20:00:00-05:00", TimeZone{480});
  EXPECT_EQ(brief(read("date", "今天", east)), "2026-12-01");
}

TEST(Dates, WithoutAReferenceRelativeWordsHaveAReason) {
  for (const char* text : {"去年", "3月1日", "下周三", "三天后", "近三年", "周末", "本月底", "7日"})
    EXPECT_EQ(undated(text), "!needs_reference_time") << text;
  EXPECT_EQ(undated("2022年3月"), "2022-03");
  EXPECT_EQ(undated("15:30"), "15:30");
  EXPECT_EQ(undated("2018年至今"), "2018..null");
}

TEST(Dates, RangesShareWhatIsLeftOut) {
  EXPECT_EQ(date("2018年1－9月份"), "2018-01..2018-09");
  EXPECT_EQ(date("2017年8月11日至22日"), "2017-08-11..2017-08-22");
  EXPECT_EQ(date("2019年11月至2月"), "2019-11..2020-02");
  EXPECT_EQ(date("5月至2021年3月"), "2020-05..2021-03");
  EXPECT_EQ(date("今晚7点到7点30"), "2026-11-30T19:00..2026-11-30T19:30");
  EXPECT_EQ(date("2016年12月15日晚上10点到2点"), "2016-12-15T22:00..2016-12-16T02:00");
  EXPECT_EQ(date("1998.9—2002.7"), "1998-09..2002-07");
  EXPECT_EQ(date("2022年3月1日起至2023年2月28日止"), "2022-03-01..2023-02-28");
}

TEST(Dates, EndsReferBackToTheirStart) {
  EXPECT_EQ(date("2016年9月至同年10月"), "2016-09..2016-10");
  EXPECT_EQ(date("2019年9月至次年3月"), "2019-09..2020-03");
  EXPECT_EQ(date("2016年9月5日22时至次日4时"), "2016-09-05T22:00..2016-09-06T04:00");
  EXPECT_EQ(date("2019年12月5日至次月5日"), "2019-12-05..2020-01-05");
  EXPECT_EQ(date("2022年3月5日至月底"), "2022-03-05..2022-03-31");
  EXPECT_EQ(date("2022年3月至年底"), "2022-03..2022-12");
}

TEST(Dates, ListsAreRangesOnlyWhenTheyFollowEachOther) {
  EXPECT_EQ(date("2014年8、9月份"), "2014-08..2014-09");
  EXPECT_EQ(date("2018年12月、2019年1月"), "2018-12..2019-01");
  EXPECT_EQ(date("2017年和2019年"), "!several_dates");
  EXPECT_EQ(date("三月和九月之间"), "2026-03..2026-09");
}

TEST(Dates, SaidTwice) {
  EXPECT_EQ(date("今日（8月9日）"), "2026-08-09");
  EXPECT_EQ(date("2022年1月1日至2024年12月31日（3年）"), "2022-01-01..2024-12-31");
  EXPECT_EQ(date("2022年3月1日（周二）上午9:30"), "2022-03-01T09:30");
  EXPECT_EQ(date("周日, 二月十号"), "2026-02-10");
  EXPECT_EQ(date("2月14日情人节"), "2026-02-14");
}

TEST(Dates, EnglishAndQuarters) {
  EXPECT_EQ(date("March 5, 2022"), "2022-03-05");
  EXPECT_EQ(date("5 Mar 2022 - 8 Apr 2022"), "2022-03-05..2022-04-08");
  EXPECT_EQ(date("Juny 2022"), "!not_a_date");
  EXPECT_EQ(date("2021Q3"), "2021-07..2021-09");
  EXPECT_EQ(date("2018年第一季度末"), "2018-03");
}

TEST(Dates, NthDaysAndWeeks) {
  EXPECT_EQ(date("6月第3个星期日"), "2026-06-21");
  EXPECT_EQ(date("四月的最后一个星期一"), "2026-04-27");
  EXPECT_EQ(date("2月第5个星期日"), "!no_such_day");
  EXPECT_EQ(date("2020年第53周"), "2020-W53");
  EXPECT_EQ(date("2021年第53周"), "!no_such_week");
  EXPECT_EQ(date("2021年3月第二周"), "2021-W10");
  EXPECT_EQ(date("母亲节"), "2026-05-10");
}

TEST(Dates, ADurationIsNoDate) {
  for (const char* text : {"26年间", "三年", "10天", "5年多"}) EXPECT_EQ(date(text), "!not_a_date");
}

TEST(Dates, WeekdaysOfARangeShareTheirWeek) {
  EXPECT_EQ(date("下周一到周五"), "2026-12-07..2026-12-11");
  EXPECT_EQ(date("周五到周一"), "2026-12-04..2026-12-07");
}

TEST(Dates, Midnight) {
  EXPECT_EQ(date("凌晨12点"), "00:00");
  EXPECT_EQ(date("今晚零点"), "2026-12-01T00:00");
  EXPECT_EQ(date("正午"), "12:00");
}

TEST(Dates, OpenEnds) {
  EXPECT_EQ(date("自2016年9月1日起"), "2016-09-01..null");
  EXPECT_EQ(date("截至2022年3月31日"), "null..2022-03-31");
  EXPECT_EQ(date("2014年9月14日之前"), "null..2014-09-14");
  EXPECT_EQ(date("2015年7月至今"), "2015-07..2026-11-30");
  EXPECT_EQ(date("2010.05.06-长期"), "2010-05-06..null");
}

TEST(Dates, Times) {
  EXPECT_EQ(read("date", "下午三点一刻").kind, "time");
  EXPECT_EQ(date("下午三点一刻"), "15:15");
  EXPECT_EQ(field(read("date", "下午三点一刻"), "anchored"), "2026-11-30T15:15");
  EXPECT_EQ(date("12:30am"), "00:30");
  EXPECT_EQ(date("差五分三点"), "02:55");
  EXPECT_EQ(date("12月9日24时"), "2026-12-10T00:00");
}

TEST(Dates, YearsOfTwoDigitsTurnAtFifty) {
  EXPECT_EQ(date("49年"), "2049");
  EXPECT_EQ(date("50年"), "1950");
  EXPECT_EQ(date("03年2月28日"), "2003-02-28");
}

TEST(Dates, FarAwayIsRefused) {
  EXPECT_EQ(date("99999999个月后"), "!out_of_range");
  EXPECT_EQ(date("近99999999年"), "!out_of_range");
}

}  // namespace
}  // namespace seqgpt
