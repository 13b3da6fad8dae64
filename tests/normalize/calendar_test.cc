// SPDX-License-Identifier: Apache-2.0
// The calendar and the reference time.
#include <gtest/gtest.h>

#include "normalize/civil.h"
#include "normalize/reference_time.h"

namespace seqgpt {
namespace {

TEST(Civil, EveryDayOfNineCenturiesComesBack) {
  int64_t day = days_of(1600, 1, 1);
  for (int year = 1600; year < 2500; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int date = 1; date <= days_in_month(year, month); ++date, ++day) {
        ASSERT_EQ(days_of(year, month, date), day);
        const CivilTime back = civil_of_days(day);
        ASSERT_TRUE(back.year == year && back.month == month && back.day == date);
      }
    }
  }
}

TEST(Civil, WeekdaysAndWeeks) {
  EXPECT_EQ(weekday_of(days_of(1970, 1, 1)), 3);
  EXPECT_EQ(weekday_of(days_of(2026, 11, 30)), 0);
  EXPECT_EQ(iso_week_of(days_of(2021, 1, 3)).year, 2020);
  EXPECT_EQ(iso_week_of(days_of(2021, 1, 3)).week, 53);
  EXPECT_EQ(iso_week_of(days_of(2024, 12, 30)).year, 2025);
  EXPECT_EQ(weeks_in_year(2020), 53);
  EXPECT_EQ(weeks_in_year(2021), 52);
  for (int week = 1; week <= 53; ++week) {
    const IsoWeek back = iso_week_of(monday_of({2020, week}));
    EXPECT_TRUE(back.year == 2020 && back.week == week);
  }
}

TEST(Civil, MonthsKeepTheDayOrTheLast) {
  const CivilTime end = add_months({2024, 1, 31, 8, 30, 0}, 1);
  EXPECT_TRUE(end.month == 2 && end.day == 29 && end.hour == 8);
  const CivilTime back = add_months({2024, 3, 31, 0, 0, 0}, -13);
  EXPECT_TRUE(back.year == 2023 && back.month == 2 && back.day == 28);
}

TEST(ReferenceTime, KeepsTheWrittenOffsetUnlessAZoneIsGiven) {
  EXPECT_EQ(ReferenceTime::parse("2026-11-30T09:00:00-05:00")->text(), "2026-11-30T09:00:00-05:00");
  EXPECT_EQ(ReferenceTime::parse("2026-11-30T09:00:00")->text(), "2026-11-30T09:00:00+08:00");
  EXPECT_EQ(ReferenceTime::parse("2026-11-30")->text(), "2026-11-30T00:00:00+08:00");
  EXPECT_EQ(ReferenceTime::parse("2026-11-30T20:00Z", TimeZone{480})->text(),
            "2026-12-01T04:00:00+08:00");
  EXPECT_EQ(ReferenceTime::parse("none")->text(), "none");
  EXPECT_EQ(ReferenceTime::at(0).text(), "1970-01-01T08:00:00+08:00");
  for (const char* bad : {"", "now", "2026-13-01", "2026-11-30T25:00", "2026-11-30T09:00:00+8",
                          "2026-11-30T09:00:00Zx", "30.11.2026", "2026-02-29"})
    EXPECT_FALSE(ReferenceTime::parse(bad).ok()) << bad;
}

TEST(ReferenceTime, TextComesBack) {
  for (const char* text : {"2026-11-30T09:00:00+08:00", "1999-12-31T23:59:59-03:30", "none"})
    EXPECT_EQ(ReferenceTime::parse(text)->text(), text);
}

TEST(TimeZone, KnowsNamesAndOffsets) {
  EXPECT_EQ(TimeZone::parse("Asia/Shanghai")->offset_minutes, 480);
  EXPECT_EQ(TimeZone::parse("UTC")->offset_minutes, 0);
  EXPECT_EQ(TimeZone::parse("+05:30")->offset_minutes, 330);
  EXPECT_EQ(TimeZone::parse("-0800")->offset_minutes, -480);
  const auto summer = TimeZone::parse("Europe/Berlin");
  ASSERT_FALSE(summer.ok());
  EXPECT_EQ(summer.error().param, "timezone");
}

}  // namespace
}  // namespace seqgpt
