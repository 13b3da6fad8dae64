// SPDX-License-Identifier: Apache-2.0
// The graded suites: at least 97 % of each kind; misses are printed.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "normalize/grading.h"
#include "normalize/normalize.h"
#include "support/golden.h"

namespace seqgpt {
namespace {

using testing_support::Json;

struct Tally {
  int right = 0;
  int total = 0;
};

ReferenceTime reference_of(const Json& item) {
  if (!item["reference_time"].is_string()) return {};
  const auto parsed = ReferenceTime::parse(item["reference_time"].get<std::string>());
  EXPECT_TRUE(parsed.ok()) << item["id"];
  return parsed.ok() ? *parsed : ReferenceTime();
}

void grade(const std::string& file, std::map<std::string, Tally>& tallies) {
  for (const Json& item :
       testing_support::read_json(testing_support::kGolden / "normalize" / file)) {
    const std::string kind = item["kind"];
    const std::string input = item["input"];
    const auto value_kind = seqgpt::value_kind(kind);
    ASSERT_TRUE(value_kind.has_value()) << kind;
    const Normalized got = normalize(*value_kind, input, reference_of(item));
    Tally& tally = tallies[kind];
    ++tally.total;
    if (testing_support::graded_right(kind, testing_support::as_json(got), item["expected"])) {
      ++tally.right;
      continue;
    }
    std::cout << "miss " << item["id"].dump() << " " << kind << " " << input << "\n  expected "
              << item["expected"].dump() << "\n  got      " << testing_support::as_json(got).dump()
              << " " << got.reason << "\n";
  }
}

TEST(Grading, TellsRightFromWrong) {
  using testing_support::graded_right;
  const auto value = [](const char* text) { return Json{{"value", text}}; };
  EXPECT_TRUE(
      graded_right("range", {{"start", "2021-06-01"}, {"end", "2021-06-30"}}, value("2021-06")));
  EXPECT_FALSE(
      graded_right("range", {{"start", "2021-06-01"}, {"end", "2021-06-29"}}, value("2021-06")));
  EXPECT_TRUE(
      graded_right("date", value("2021-W23"), {{"start", "2021-06-07"}, {"end", "2021-06-13"}}));
  EXPECT_FALSE(graded_right("date", value("2021-06-07"), value("2021-06")));
  EXPECT_FALSE(graded_right("datetime", value("2021-06-07T09:00"), value("2021-06-07T09:00:00")));
  EXPECT_FALSE(graded_right("range", {{"start", "2018"}, {"end", nullptr}}, value("2018")));
  EXPECT_TRUE(graded_right("duration", value("P14D"), value("P2W")));
  EXPECT_FALSE(graded_right("duration", value("P30D"), value("P1M")));
  const Json yuan{{"value", "5.50"}, {"currency", "CNY"}};
  EXPECT_TRUE(graded_right("amount", {{"value", "5.5"}, {"currency", "CNY"}}, yuan));
  EXPECT_FALSE(graded_right("amount", {{"value", "5.5"}, {"currency", nullptr}}, yuan));
  EXPECT_FALSE(graded_right("amount", {{"value", "5.51"}, {"currency", "CNY"}}, yuan));
  EXPECT_FALSE(graded_right("number", value("1"), {{"valid", false}}));
  EXPECT_TRUE(graded_right("number", nullptr, {{"valid", false}}));
  EXPECT_FALSE(graded_right("number", nullptr, value("1")));
  EXPECT_FALSE(graded_right("number", {{"low", "1"}, {"high", "2"}}, value("1")));
}

TEST(Suites, EveryKindIsRightInAtLeast97Percent) {
  std::map<std::string, Tally> tallies;
  for (const char* file : {"amount.json", "contact.json", "datetime.json", "duration.json",
                           "identifiers.json", "number.json", "phone.json"})
    grade(file, tallies);
  EXPECT_EQ(tallies.size(), 16U);
  for (const auto& [kind, tally] : tallies) {
    std::cout << kind << " " << tally.right << "/" << tally.total << "\n";
    EXPECT_GE(tally.right * 100, tally.total * 97) << kind;
  }
}

}  // namespace
}  // namespace seqgpt
