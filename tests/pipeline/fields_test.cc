// SPDX-License-Identifier: Apache-2.0
// Reported kinds of text and labels, through a network with random weights: whatever it says,
// values are spans, of their type, and whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "pipeline/fixture.h"

namespace seqgpt {
namespace {

std::string_view text_of(const Entity& entity, std::string_view text) {
  return text.substr(entity.span.begin, entity.span.end - entity.span.begin);
}

/// All that a random network says of a label over texts with different heads, none of which is of
/// any type.
std::set<std::string> said(Pipeline& pipeline, const std::string& text, const Label& label) {
  static const char* kHeads[] = {"甲", "乙，", "丙", "丁！", "戊", "己", "庚", "辛"};
  std::set<std::string> values;
  for (size_t i = 0; i < 40; ++i) {
    std::string varied;
    for (size_t k = 0; k <= i; ++k) varied += kHeads[(i * 7 + k * 5) % std::size(kHeads)];
    varied += "。" + text;
    Task task{TaskKind::kExtract, varied, {label}};
    const Result<Answer> answer = pipeline.run(task);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    if (!answer.ok()) continue;
    for (const Entity& entity : answer->entities) values.emplace(text_of(entity, varied));
  }
  return values;
}

void expect_within(const std::set<std::string>& values, const std::set<std::string>& allowed) {
  SCOPED_TRACE(*allowed.begin());
  for (const std::string& value : values) EXPECT_TRUE(allowed.contains(value)) << value;
}

struct Reported {
  const char* text;
  const char* label;
  std::set<std::string> allowed;
};

TEST(Fields, NumbersAreNeverCut) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const Reported all[] = {{"采购：二十一台", "数量", {"二十一台", "二十一"}},
                          {"资本：1,100万元", "金额", {"1,100万", "1,100万元"}},
                          {"三、88元", "单价", {"三", "88元", "88"}},  // after a section number
                          {"4/5G网，3月1日上市", "日期", {"3月1日", "3月", "1日"}},
                          {"身高12022年", "时间", {"12022年"}},
                          {"电话13800138000，", "手机号", {"13800138000"}}};
  size_t values = 0;
  for (const Reported& reported : all) {
    const auto found = said(*open.pipeline, reported.text, {reported.label, "", ""});
    expect_within(found, reported.allowed);
    values += found.size();
  }
  EXPECT_GE(values, 5U) << "the random network must say something for the test to mean something";
}

TEST(Fields, AnIdenticalNumberMayHaveTwoRoles) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const std::string text = "单号8613，金额8613。";
  Task task{TaskKind::kExtract, text, {{"单号", "", ""}, {"数额", "", ""}}};
  for (Label& label : task.labels) {
    label.pattern = "[0-9]{4}";
    label.mentions = Mentions::kAll;
  }
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  for (const size_t label : {0U, 1U}) {
    std::vector<size_t> places;
    for (const Entity& entity : answer->entities) {
      if (entity.label == label) places.push_back(entity.span.begin);
    }
    if (places.empty()) continue;  // None is an answer too
    EXPECT_EQ(places, (std::vector<size_t>{6, 19}));
  }
}

TEST(Fields, EmojiWideSpacesAndLeadingBreaksMoveNoSpan) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const std::string text = "\n\u3000\u3000👨\u200D👩\u200D👧😀\u3000王伟 Tel 138\n";
  Label label{"姓名", "", "text"};
  label.one_of = {"王伟", "😀", "138", "👨\u200D👩\u200D👧"};
  const auto found = said(*open.pipeline, text, label);
  expect_within(found, {"王伟", "😀", "138", "👨\u200D👩\u200D👧"});
  EXPECT_FALSE(found.empty());
}

TEST(Fields, ALabelMayBeTheAnswersOwnWord) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const Result<Answer> answer =
      open.pipeline->run(extraction("None: 没有，None more", {"None", "None:", "姓名"}));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  for (const Entity& entity : answer->entities)
    EXPECT_NE(text_of(entity, "None: 没有，None more"), "None");
}

TEST(Fields, ListsKeepTheTextsCaseAndDescriptionsDoNotLeakIntoValues) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Label label{"币种", "", ""};
  label.one_of = {"USD", "usd", "EUR"};
  label.description = "付款用的货币 GBP";
  const std::set<std::string> values = said(*open.pipeline, "以usd或GBP支付", label);
  for (const std::string& value : values) EXPECT_EQ(value, "usd");
  label.one_of = {"EUR"};  // only in the prompt, not in the text
  EXPECT_TRUE(said(*open.pipeline, "以usd支付", label).empty());
}

// One window has a phone number: in those that have none the field is not anything at all.
TEST(Fields, ATypeNarrowsInEveryWindowOfADocument) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::string text = "电话13800138000。";
  for (int i = 0; i < 60; ++i) text += "甲乙丙，丁戊己庚辛。\n";
  Task task = extraction(text, {"手机号", "手机", "座机"});
  task.options.window_tokens = 64;
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  for (const Entity& entity : answer->entities) EXPECT_EQ(text_of(entity, text), "13800138000");
  Task other = extraction(text, {"邮箱", "电邮", "会议纪要"});  // it has no address at all
  other.options.window_tokens = 64;
  EXPECT_FALSE(open.pipeline->run(other)->entities.empty());
}

TEST(Fields, NoRuleCutsAValueOfAPatternOrAList) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::set<std::string> values;
  for (const char* name : {"型号", "版本", "代号"}) {
    Label label{name, "", ""};
    label.one_of = {"V1。", "（V2", "货，"};
    values.merge(said(*open.pipeline, "型号V1。（V2 货，款", label));
    label.one_of.clear();
    label.pattern = "V[0-9]。|（V2|货，";
    values.merge(said(*open.pipeline, "型号V1。（V2 货，款", label));
  }
  expect_within(values, {"V1。", "（V2", "货，"});
  EXPECT_FALSE(values.empty());
}

TEST(Fields, ABadPatternIsNamedInEveryGroup) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::vector<std::string> names;
  for (int i = 0; i < 9; ++i) names.push_back("字段" + std::to_string(i));
  Task task = extraction("王伟", names);
  task.labels[8].pattern = "a*";
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnbuildable);
  EXPECT_EQ(answer.error().param, "labels[8].pattern");
}

TEST(Fields, BatchesGiveTheSameBitsUnderNarrowing) {
  TestPipeline alone = open_test_pipeline(golden_model("bloom-tiny"), 1, ComputeType::kBf16);
  TestPipeline together =
      open_test_pipeline(golden_model("bloom-tiny"), 2, ComputeType::kBf16, {.chunk_tokens = 16});
  std::vector<Task> tasks;
  for (int i = 0; i < 12; ++i) {
    tasks.push_back(extraction("第" + std::to_string(i) + "号，2022年" + std::to_string(i + 1) +
                                   "月，电话1380013800" + std::to_string(i % 10) + "，120万元",
                               {"日期", "手机号", "金额", "合同编号", "姓名"}));
  }
  const auto answers = together.pipeline->run_all(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Result<Answer> single = alone.pipeline->run(tasks[i]);
    ASSERT_TRUE(single.ok() && answers[i].ok());
    ASSERT_EQ(single->entities.size(), answers[i]->entities.size());
    for (size_t k = 0; k < single->entities.size(); ++k) {
      EXPECT_EQ(single->entities[k].span, answers[i]->entities[k].span);
      EXPECT_EQ(single->entities[k].confidence, answers[i]->entities[k].confidence);
    }
  }
}

}  // namespace
}  // namespace seqgpt
