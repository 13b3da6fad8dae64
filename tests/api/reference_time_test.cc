// SPDX-License-Identifier: Apache-2.0
// Moments written whole, read whole, and refused when they are none.
#include "api/reference_time.h"

#include <gtest/gtest.h>

namespace seqgpt {
namespace {

std::string whole(const std::string& written, const std::string& zone = "Asia/Shanghai") {
  const Result<std::string> parsed = parse_reference_time(written, zone);
  return parsed.ok() ? *parsed : parsed.error().message;
}

TEST(ReferenceTime, IsMadeWhole) {
  EXPECT_EQ(whole("2026-11-30"), "2026-11-30T00:00:00+08:00");
  EXPECT_EQ(whole("2026-11-30T09:05"), "2026-11-30T09:05:00+08:00");
  EXPECT_EQ(whole("2026-11-30 09:05:07", "UTC"), "2026-11-30T09:05:07+00:00");
  EXPECT_EQ(whole("2026-11-30T09:05:07.250Z"), "2026-11-30T09:05:07+00:00");
  EXPECT_EQ(whole("2026-11-30T09:05:07-03:30"), "2026-11-30T09:05:07-03:30");
  EXPECT_EQ(whole("2024-02-29", "+05:30"), "2024-02-29T00:00:00+05:30");
  EXPECT_EQ(whole("none"), "none");
  EXPECT_EQ(whole(whole("2026-11-30T09:05")), whole("2026-11-30T09:05"));
}

TEST(ReferenceTime, RefusesWhatIsNoMoment) {
  for (const char* bad : {"",
                          "now",
                          "2026",
                          "2026-11",
                          "2026-11-3",
                          "2026-13-01",
                          "2023-02-29",
                          "2026-11-30T",
                          "2026-11-30T24:00",
                          "2026-11-30T09",
                          "2026-11-30T09:60",
                          "2026-11-30T09:00:60",
                          "2026-11-30T09:00:00.",
                          "2026-11-30T09:00+8",
                          "2026-11-30T09:00+15:00",
                          "2026/11/30",
                          "2026-11-30x",
                          "0000-01-01",
                          "+2026-11-30",
                          "2026-11-30T09:00:00+08:00 "})
    EXPECT_FALSE(parse_reference_time(bad, "UTC").ok()) << bad;
  EXPECT_FALSE(parse_reference_time("2026-11-30", "Mars/Olympus").ok());
  EXPECT_TRUE(parse_reference_time("2026-11-30T00:00Z", "Mars/Olympus").ok());
}

TEST(ReferenceTime, FormatsMomentsInAZone) {
  EXPECT_EQ(format_reference_time(0, 480), "1970-01-01T08:00:00+08:00");
  EXPECT_EQ(format_reference_time(1709164800, 0), "2024-02-29T00:00:00+00:00");
  EXPECT_EQ(format_reference_time(1709164799, -210), "2024-02-28T20:29:59-03:30");
}

}  // namespace
}  // namespace seqgpt
