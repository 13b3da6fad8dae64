// SPDX-License-Identifier: Apache-2.0
// Tests of the field table: the published list, other words and scripts for it, no word twice.
#include "task/fields.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "task/fold.h"
#include "task/standard_fields.h"

namespace seqgpt {
namespace {

TEST(StandardFields, AreThePublishedOnes) {
  std::ifstream file(SEQGPT_GOLDEN_DIR "/standard-fields.json");
  const auto published = nlohmann::json::parse(file);
  size_t count = 0;
  for (const auto& [type, names] : published.items()) {
    for (const auto& name : names) {
      const Field* field = FieldTable::standard()->find(name.get<std::string>());
      ASSERT_NE(field, nullptr) << name;
      EXPECT_EQ(field->name, name.get<std::string>());
      EXPECT_EQ(field->type, type) << name;
      ++count;
    }
  }
  EXPECT_EQ(count, 87U);
  EXPECT_EQ(FieldTable::standard()->fields().size(), 87U);
}

TEST(StandardFields, ShareNoWordAndHaveKnownTypes) {
  std::set<std::string> words;
  for (const Field& field : FieldTable::standard()->fields()) {
    EXPECT_TRUE(is_field_type(field.type)) << field.name;
    EXPECT_TRUE(words.insert(fold_name(field.name)).second) << field.name;
    for (const std::string& word : field.synonyms) {
      EXPECT_FALSE(word.empty()) << field.name;
      EXPECT_TRUE(words.insert(fold_name(word)).second) << word;
    }
  }
  EXPECT_GT(words.size(), 400U);
}

struct Known {
  const char* word;
  const char* field;
};

class OtherWords : public testing::TestWithParam<Known> {};

TEST_P(OtherWords, AreKnown) {
  const Field* field = FieldTable::standard()->find(GetParam().word);
  ASSERT_NE(field, nullptr) << GetParam().word;
  EXPECT_EQ(field->name, GetParam().field) << GetParam().word;
}

INSTANTIATE_TEST_SUITE_P(
    All, OtherWords,
    testing::Values(Known{"金额", "合同金额"}, Known{"金額", "合同金额"}, Known{"日期", "时间"},
                    Known{"人名", "人物"}, Known{"条款编号", "合同编号"},
                    Known{"條款編號", "合同编号"}, Known{"聯絡電話", "联系电话"},
                    Known{"身份證號碼", "身份证号"}, Known{"統一社會信用代碼", "统一社会信用代码"},
                    Known{"電子郵箱", "邮箱"}, Known{"手機號碼", "手机号"}, Known{"Name", "姓名"},
                    Known{"ＮＡＭＥ", "姓名"}, Known{"full_name", "姓名"}, Known{"E-Mail", "邮箱"},
                    Known{"phone number", "联系电话"}, Known{"PhoneNumber", "联系电话"},
                    Known{"Invoice No", "发票号码"}, Known{" 公 司 ", "公司"},
                    Known{"發票號碼", "发票号码"}, Known{"開戶銀行", "开户行"},
                    Known{"車牌號碼", "车牌号"}, Known{"營業收入", "营业收入"}));

TEST(StandardFields, DoNotKnowEverything) {
  for (const char* word : {"", "编", "姓", "姓名 地址", "会议纪要", "name of the rose"}) {
    EXPECT_EQ(FieldTable::standard()->find(word), nullptr) << word;
  }
}

// Each character of a standard field that has a traditional form folds to it; a few, checked whole.
TEST(FoldName, FoldsWidthCaseSpacesAndTraditionalForms) {
  EXPECT_EQ(fold_name("Ｆull_ Na-me\u3000"), "fullname");
  EXPECT_EQ(fold_name("聯繫電話"), "联系电话");
  EXPECT_EQ(fold_name("姓\u200D名\uFE0F"), "姓名");
  EXPECT_EQ(fold_case("Éa\u0301"), fold_case("éá"));
  EXPECT_NE(fold_case("金額"), fold_case("金额"));
}

}  // namespace
}  // namespace seqgpt
