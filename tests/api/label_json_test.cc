// SPDX-License-Identifier: Apache-2.0
// Tests of labels, rules and fields files as JSON: what is taken, and what is named when it is not.
#include "api/label_json.h"

#include <gtest/gtest.h>

#include "api/label_options.h"

namespace seqgpt {
namespace {

Result<std::vector<Label>> labels(const char* json) {
  return labels_from_json(Json::parse(json));
}

TEST(LabelsFromJson, AreNamesOrObjects) {
  const auto parsed = labels(R"(["姓名:date=x", {"name": "级别", "type": "text", "alias": "level",
    "description": "评级", "pattern": "[A-C]", "one_of": ["A", "B"], "mentions": "all"}])");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ((*parsed)[0].name, "姓名:date=x");  // a string is always a literal name
  EXPECT_EQ((*parsed)[0].type, "");
  const Label& full = (*parsed)[1];
  EXPECT_EQ(full.key, "level");
  EXPECT_EQ(full.description, "评级");
  EXPECT_EQ(full.pattern, "[A-C]");
  EXPECT_EQ(full.one_of, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(full.mentions, Mentions::kAll);
}

struct Bad {
  const char* json;
  const char* param;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

class BadLabels : public testing::TestWithParam<Bad> {};

TEST_P(BadLabels, AreNamed) {
  const auto parsed = labels(GetParam().json);
  ASSERT_FALSE(parsed.ok()) << GetParam().json;
  EXPECT_EQ(parsed.error().param, GetParam().param);
  EXPECT_EQ(parsed.error().code, GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLabels,
    testing::Values(
        Bad{R"("姓名")", "labels"}, Bad{R"([5])", "labels[0]"},
        Bad{R"(["a", {}])", "labels[1].name"},
        Bad{R"([{"name": "a", "colour": 1}])", "labels[0].colour"},
        Bad{R"([{"name": 5}])", "labels[0].name"},
        Bad{R"([{"name": "a", "type": "money"}])", "labels[0].type"},
        Bad{R"([{"name": "a", "description": []}])", "labels[0].description"},
        Bad{R"([{"name": "a", "one_of": "A"}])", "labels[0].one_of"},
        Bad{R"([{"name": "a", "one_of": ["A", 1]}])", "labels[0].one_of"},
        Bad{R"([{"name": "a", "one_of": []}])", "labels[0].one_of", ErrorCode::kUnbuildable},
        Bad{R"([{"name": "a", "pattern": ""}])", "labels[0].pattern", ErrorCode::kUnbuildable},
        Bad{R"([{"name": "a", "mentions": "two"}])", "labels[0].mentions"}));

TEST(FieldsFromJson, AddAFirmsOwnFields) {
  const auto table =
      fields_from_json(R"({"amount": ["报价"], "text": [], "id": [{"name": "客户编码",
    "synonyms": ["客户代码"], "kind": "plate", "pattern": "KH[0-9]{6}", "description": "建档号",
    "mentions": "all"}]})",
                       "own.json");
  ASSERT_TRUE(table.ok()) << table.error().message;
  const Field* field = (*table)->find("客户代码");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->name, "客户编码");
  EXPECT_EQ(field->kind, "plate");
  EXPECT_EQ(field->pattern, "KH[0-9]{6}");
  EXPECT_EQ(field->mentions, Mentions::kAll);
  EXPECT_EQ((*table)->find("报价")->type, "amount");
  EXPECT_EQ((*table)->find("姓名")->type, "person");
  EXPECT_EQ(FieldTable::standard()->find("报价"), nullptr);
}

TEST(FieldsFromJson, TakesThePublishedFile) {
  std::string standard = "{";
  for (const std::string_view type : kFieldTypes) {
    standard += (standard.size() > 1 ? ", \"" : "\"") + std::string(type) + "\": [";
    bool first = true;
    for (const Field& field : FieldTable::standard()->fields()) {
      if (field.type != type) continue;
      standard += (first ? "\"" : ", \"") + field.name + "\"";
      first = false;
    }
    standard += "]";
  }
  EXPECT_TRUE(fields_from_json(standard + "}", "standard.json").ok());
}

struct BadFile {
  const char* json;
  const char* word;  // of the message
};

class BadFields : public testing::TestWithParam<BadFile> {};

TEST_P(BadFields, NameFileAndField) {
  const auto table = fields_from_json(GetParam().json, "own.json");
  ASSERT_FALSE(table.ok()) << GetParam().json;
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(table.error().param, "fields");
  EXPECT_TRUE(table.error().message.starts_with("own.json: ")) << table.error().message;
  EXPECT_NE(table.error().message.find(GetParam().word), std::string::npos)
      << table.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFields,
    testing::Values(BadFile{"{", "JSON"}, BadFile{"[]", "object"},
                    BadFile{R"({"money": []})", "money"},
                    BadFile{R"({"id": "x"})", "id must be a list"},
                    BadFile{R"({"id": [5]})", "id[0] must be a name"},
                    BadFile{R"({"id": ["a", {"synonyms": ["b"]}]})", "id[1] is empty"},
                    BadFile{R"({"id": [{"name": "a", "patern": "b"}]})", "id[0].patern"},
                    BadFile{R"({"id": [{"name": "a", "pattern": "b*"}]})", "id[0].pattern matches"},
                    BadFile{R"({"id": [{"name": "a", "one_of": ["x", "x"]}]})", "id[0].one_of[1]"},
                    BadFile{R"({"id": [{"name": "a", "kind": "passport"}]})", "id[0].kind"},
                    BadFile{R"({"text": [{"name": "a", "kind": "plate"}]})", "text[0].kind"},
                    BadFile{R"({"text": ["a", "A"]})", "text[1]: \"A\" names \"a\" already"},
                    BadFile{R"({"text": ["输出:"]})", "text[0] holds"},
                    BadFile{R"({"text": [{"name": "a", "synonyms": ["输出:"]}]})", "text[0] holds"},
                    BadFile{R"({"text": [{"name": "a", "description": "x\ny"}]})",
                            "text[0].description"}));

TEST(FieldsFromJson, StateTheirLimits) {
  std::string many = R"({"text": ["0")";
  for (size_t i = 1; i <= kMaxOwnFields; ++i) many += ", \"" + std::to_string(i) + "\"";
  EXPECT_NE(fields_from_json(many + "]}", "f").error().message.find("1000"), std::string::npos);
  std::string words = R"({"text": [{"name": "a", "synonyms": ["0")";
  for (size_t i = 1; i <= kMaxSynonyms; ++i) words += ", \"" + std::to_string(i) + "\"";
  EXPECT_NE(fields_from_json(words + "]}]}", "f").error().message.find("50"), std::string::npos);
  const auto large = fields_from_json(std::string(kMaxFieldsFileBytes + 1, ' '), "f");
  EXPECT_EQ(large.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace seqgpt
