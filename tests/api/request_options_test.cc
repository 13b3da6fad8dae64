// SPDX-License-Identifier: Apache-2.0
// The table of options: what JSON may say, what is refused and how it is named, and defaults.
#include "api/request_options.h"

#include <gtest/gtest.h>

#include <set>

#include "api/request_json.h"

namespace seqgpt {
namespace {

constexpr unsigned kAll = kForExtract | kForClassify | kForGenerate;

/// A value that JSON may hold and an option may not.
Json wrong_type(const RequestOption& option) {
  const bool number = std::holds_alternative<OptionSlot<int>>(option.slot) ||
                      std::holds_alternative<OptionSlot<double>>(option.slot);
  return number ? Json("5") : Json(5);
}

std::string param_of(const Result<RequestOptions>& read) {
  return read.ok() ? "no error" : read.error().param;
}

TEST(RequestOptionsTable, NamesEachOptionOnce) {
  std::set<std::string_view> names;
  for (const RequestOption& option : request_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_NE(option.tasks, 0U) << option.name;
    EXPECT_EQ(find_request_option(option.name), &option);
  }
  EXPECT_EQ(find_request_option("colour"), nullptr);
}

TEST(RequestOptionsTable, DefaultsLieInTheirRanges) {
  const RequestOptions defaults;
  for (const RequestOption& option : request_options()) {
    if (!std::holds_alternative<OptionSlot<int>>(option.slot) &&
        !std::holds_alternative<OptionSlot<double>>(option.slot))
      continue;
    const double value = std::stod(option_text(option, defaults));
    EXPECT_GE(value, option.least) << option.name;
    EXPECT_LE(value, option.most) << option.name;
  }
}

TEST(OptionsFromJson, WrongTypesAreNamed) {
  for (const RequestOption& option : request_options()) {
    const std::string name(option.name);
    EXPECT_EQ(param_of(options_from_json(Json{{name, wrong_type(option)}}, kAll, {})), name);
    EXPECT_EQ(param_of(options_from_json(Json{{name, Json::object()}}, kAll, {})), name);
    EXPECT_TRUE(options_from_json(Json{{name, nullptr}}, kAll, {}).ok()) << name;
  }
}

TEST(OptionsFromJson, RangesAreChecked) {
  for (const RequestOption& option : request_options()) {
    if (!std::holds_alternative<OptionSlot<int>>(option.slot) &&
        !std::holds_alternative<OptionSlot<double>>(option.slot))
      continue;
    const std::string name(option.name);
    for (const double value : {option.least - 1, option.most + 1}) {
      const Json said = std::holds_alternative<OptionSlot<int>>(option.slot)
                            ? Json(static_cast<int64_t>(value))
                            : Json(value);
      EXPECT_EQ(param_of(options_from_json(Json{{name, said}}, kAll, {})), name) << value;
    }
  }
  const Json huge = Json::parse(R"({"max_chars": 18446744073709551615})");
  EXPECT_EQ(param_of(options_from_json(huge, kAll, {})), "max_chars");
  const Json fraction = Json::parse(R"({"max_chars": 2.5})");
  EXPECT_EQ(param_of(options_from_json(fraction, kAll, {})), "max_chars");
}

TEST(OptionsFromJson, TakeWhatARequestSays) {
  RequestOptions defaults;
  defaults.rules.mentions = Mentions::kAll;
  const auto same = options_from_json(Json::object(), kAll, defaults);
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->rules.standard_only);
  EXPECT_EQ(same->rules.mentions, Mentions::kAll);

  const Json request = {{"labels_policy", "standard"},
                        {"mentions", "one"},
                        {"offsets", "utf16"},
                        {"values", "list"},
                        {"long_text", "reject"},
                        {"threshold", 0.25},
                        {"normalize", false},
                        {"degrade", "never"},
                        {"timeout_ms", 5},
                        {"stop", {"。", "\n"}},
                        {"beams", 4}};
  const auto said = options_from_json(request, kAll, defaults);
  ASSERT_TRUE(said.ok()) << said.error().message;
  EXPECT_TRUE(said->rules.standard_only);
  EXPECT_EQ(said->rules.mentions, Mentions::kOne);
  EXPECT_EQ(said->answer.offsets, OffsetUnit::kUtf16);
  EXPECT_EQ(said->answer.values, ValueShape::kList);
  EXPECT_EQ(said->task.long_text, LongText::kReject);
  EXPECT_EQ(said->task.threshold, 0.25);
  EXPECT_FALSE(said->task.normalize);
  EXPECT_TRUE(said->never_degrade);
  EXPECT_EQ(said->timeout_ms, 5);
  EXPECT_EQ(said->prompt.stop, (std::vector<std::string>{"。", "\n"}));
  EXPECT_EQ(said->task.beams, 4);
  EXPECT_EQ(prompt_of(*said).beams, 4);
}

TEST(OptionsFromJson, OptionsOfOtherTasksAreNotRead) {
  const auto read = options_from_json(Json{{"multi", "nonsense"}}, kForExtract, {});
  EXPECT_TRUE(read.ok());
}

TEST(OptionsFromJson, ChoicesAreListed) {
  const auto read = options_from_json(Json{{"offsets", "words"}}, kAll, {});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "offsets must be codepoint, utf16 or bytes, not \"words\"");
}

struct Times {
  const char* fallback;
  const char* said;
  const char* zone;
  const char* whole;
};

class ReferenceTimes : public testing::TestWithParam<Times> {};

TEST_P(ReferenceTimes, BecomeWhole) {
  RequestOptions options;
  options.task.reference_time = GetParam().fallback;
  options.reference_time = GetParam().said;
  options.timezone = GetParam().zone;
  ASSERT_TRUE(resolve_reference_time(options).ok());
  EXPECT_EQ(options.task.reference_time, GetParam().whole);
  EXPECT_EQ(options.reference_time + options.timezone, "");
  ASSERT_TRUE(resolve_reference_time(options).ok());  // a second time changes nothing
  EXPECT_EQ(options.task.reference_time, GetParam().whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReferenceTimes,
    testing::Values(
        Times{"", "", "", ""}, Times{"", "2024-05-08", "", "2024-05-08T00:00:00+08:00"},
        Times{"2024-01-01T00:00:00+09:00", "2024-05-08", "", "2024-05-08T00:00:00+09:00"},
        Times{"2024-01-01T00:00:00+09:00", "2024-05-08T01:00:00Z", "", "2024-05-08T01:00:00+00:00"},
        Times{"2024-01-01T00:00:00+08:00", "", "+09:00", "2024-01-01T01:00:00+09:00"},
        Times{"2024-01-01T00:00:00+08:00", "none", "", "none"}));

TEST(OptionsText, SaysEveryOptionOfATask) {
  RequestOptions options;
  options.task.min_confidence = 0.1;
  const std::string text = options_text(options, kForExtract);
  EXPECT_NE(text.find("long_text=window"), std::string::npos) << text;
  EXPECT_NE(text.find("min_confidence=0.1"), std::string::npos) << text;
  EXPECT_NE(text.find("normalize=true"), std::string::npos) << text;
  EXPECT_NE(text.find("beams=1"), std::string::npos) << text;
  EXPECT_EQ(text.find("max_new_tokens"), std::string::npos) << text;
  options.task.min_confidence = 0.2;
  EXPECT_NE(options_text(options, kForExtract), text);
}

}  // namespace
}  // namespace seqgpt
