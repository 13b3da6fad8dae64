// SPDX-License-Identifier: Apache-2.0
// The body of an answer: the contract's table of types, nulls with their reasons, records, classes.
#include "api/body.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "normalize/normalize.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

/// An answer whose entities are the given words of `text`, read as their label's type.
class AnswerMaker {
 public:
  explicit AnswerMaker(std::string text) : text_(std::move(text)) {
    answer_.reference_time = "2026-11-30T09:00:00+08:00";
  }

  AnswerMaker& label(const std::string& name, const std::string& type,
                     const std::string& key = "") {
    answer_.labels.push_back({name, key.empty() ? name : key, type});
    return *this;
  }

  AnswerMaker& value(const std::string& words) {
    const size_t at = text_.find(words);
    EXPECT_NE(at, std::string::npos) << words;
    Entity entity;
    entity.label = answer_.labels.size() - 1;
    entity.span = {at, at + words.size()};
    entity.confidence = 0.5;
    entity.normalized = normalize(*value_kind(answer_.labels.back().type), words,
                                  ReferenceTime::parse(answer_.reference_time).value());
    answer_.entities.push_back(entity);
    return *this;
  }

  Answer& answer() { return answer_; }
  Json body(const AnswerOptions& options = {}) const {
    return Json::parse(answer_body(answer_, text_, options, {"m", "f", {}, {}}, -1));
  }

 private:
  std::string text_;
  Answer answer_;
};

TEST(Body, ResultFollowsTheTableOfTypes) {
  const Json result =
      AnswerMaker(
          "王伟 2022年3月 去年 3月1日至5日 120万元 5-8万元 13% 三年 13800138000 1,234 a@B.com")
          .label("姓名", "person")
          .value("王伟")
          .label("入职", "date")
          .value("2022年3月")
          .label("相对", "date")
          .value("去年")
          .label("期间", "date")
          .value("3月1日至5日")
          .label("薪资", "amount", "annual_salary")
          .value("120万元")
          .label("区间", "amount")
          .value("5-8万元")
          .label("比例", "percent")
          .value("13%")
          .label("期限", "duration")
          .value("三年")
          .label("电话", "phone")
          .value("13800138000")
          .label("数量", "number")
          .value("1,234")
          .label("邮箱", "email")
          .value("a@B.com")
          .label("没有", "date")
          .body()["result"];
  EXPECT_EQ(result["姓名"], "王伟");
  EXPECT_EQ(result["入职"], "2022-03-01");
  EXPECT_EQ(result["相对"], "2025-01-01");
  EXPECT_EQ(result["期间"], (Json{{"start", "2026-03-01"}, {"end", "2026-03-05"}}));
  EXPECT_EQ(result["annual_salary"], 1200000.0);
  EXPECT_TRUE(result["annual_salary"].is_number());
  EXPECT_EQ(result["区间"], (Json{{"low", 50000.0}, {"high", 80000.0}}));
  EXPECT_EQ(result["比例"], 13);
  EXPECT_EQ(result["期限"], "P3Y");
  EXPECT_EQ(result["电话"], "+86 138 0013 8000");
  EXPECT_EQ(result["数量"], 1234);
  EXPECT_EQ(result["邮箱"], "a@b.com");
  EXPECT_TRUE(result["没有"].is_null());
}

TEST(Body, ATypedValueWithoutACanonicalFormIsNullAndKeepsItsWords) {
  const Json body = AnswerMaker("薪资面议").label("薪资", "amount").value("面议").body();
  EXPECT_TRUE(body["result"]["薪资"].is_null());
  EXPECT_EQ(body["entities"][0]["text"], "面议");
  EXPECT_TRUE(body["entities"][0]["normalized"].is_null());
  EXPECT_TRUE(body["entities"][0]["reason"].is_string());
}

TEST(Body, SeveralValuesAreAListAndListsOnRequest) {
  AnswerMaker maker("王伟、李娜");
  maker.label("姓名", "person").value("王伟").value("李娜").label("公司", "org");
  EXPECT_EQ(maker.body()["result"]["姓名"], (Json{"王伟", "李娜"}));
  AnswerOptions lists;
  lists.values = ValueShape::kList;
  EXPECT_EQ(maker.body(lists)["result"]["公司"], Json::array());
}

TEST(Body, RecordsLookLikeResults) {
  AnswerMaker maker("王伟13800138000");
  maker.label("姓名", "person").value("王伟").label("电话", "phone").value("13800138000");
  maker.answer().records.emplace();
  maker.answer().records->push_back(maker.answer().entities);
  EXPECT_EQ(maker.body()["records"],
            (Json::array({Json{{"姓名", "王伟"}, {"电话", "+86 138 0013 8000"}}})));
}

TEST(Body, OffsetsComeInTheAskedUnit) {
  AnswerMaker maker("😀王伟");
  maker.label("姓名", "person").value("王伟");
  AnswerOptions options;
  EXPECT_EQ(maker.body(options)["entities"][0]["start"], 1);
  options.offsets = OffsetUnit::kUtf16;
  EXPECT_EQ(maker.body(options)["entities"][0]["start"], 2);
  options.offsets = OffsetUnit::kBytes;
  EXPECT_EQ(maker.body(options)["entities"][0]["end"], 10);
}

TEST(Body, SeveralClassesAreAList) {
  AnswerMaker maker("好");
  maker.label("正面", "text").label("负面", "text");
  Answer& answer = maker.answer();
  answer.kind = TaskKind::kClassify;
  answer.classes = {{1, 0.7}, {0, 0.3}};
  EXPECT_EQ(maker.body()["result"], "负面");
  answer.chosen = {1};
  EXPECT_EQ(maker.body()["result"], (Json{"负面"}));
  answer.chosen->clear();
  EXPECT_EQ(maker.body()["result"], Json::array());
}

}  // namespace
}  // namespace seqgpt
