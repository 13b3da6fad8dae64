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
