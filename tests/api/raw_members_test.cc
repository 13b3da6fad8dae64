// SPDX-License-Identifier: Apache-2.0
// Members of an object as they are written, and what a batch line passes on.
#include "api/raw_members.h"

#include <gtest/gtest.h>

#include <string>

#include "api/batch_line.h"

namespace seqgpt {
namespace {

std::vector<std::string> written(std::string_view object) {
  std::vector<std::string> parts;
  for (const RawMember& member : raw_members(object))
    parts.push_back(std::string(member.key) + "=" + std::string(member.value));
  return parts;
}

TEST(RawMembers, AreSlicesOfTheText) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(written("{}"), Parts{});
  EXPECT_EQ(written(" { } "), Parts{});
  EXPECT_EQ(written(R"({"a":1})"), Parts{R"("a"=1)"});
  EXPECT_EQ(written("\t{ \"a\" : 1.50 , \"b\":[1, {\"c\":\"},]\"}] ,\"d\\\"}\" :\"x\\\\\" } \r\n"),
            (Parts{R"("a"=1.50)", R"("b"=[1, {"c":"},]"}])", R"("d\"}"="x\\")"}));
}

TEST(RawMembers, EndOnAnyBytes) {
  for (const std::string_view text : {"", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":\"\\",
                                      "{\"a\":[", "x", "{\"a\":1,", "\"", "   "})
    written(text);
}

std::string passed(std::string_view line) {
  BatchDefaults defaults;
  const BatchLine item = BatchLine::from_json(line, 7, defaults);
  Answer answer;
  return item.output(answer, defaults);
}

TEST(BatchLinePassesThrough, NumbersWithAllTheirDigits) {
  const std::string out = passed(
      R"({"id": 123456789012345678901234567890, "text": "a", "labels": ["b"], "n": 0.10, "x": {"y": 0.30000000000000000001, "z": [18446744073709551617]}})");
  EXPECT_TRUE(out.starts_with(R"({"id":123456789012345678901234567890,"n":0.10,"x":)")) << out;
  EXPECT_NE(out.find(R"("x":{"y": 0.30000000000000000001, "z": [18446744073709551617]})"),
            std::string::npos)
      << out;
}

TEST(BatchLinePassesThrough, NeverOverTheAnswer) {
  const std::string out = passed(R"({"text": "a", "labels": ["b"], "n": 1, "success": "no"})");
  EXPECT_TRUE(out.starts_with(R"({"id":"7","n":1,"success":true)")) << out;
}

}  // namespace
}  // namespace seqgpt
