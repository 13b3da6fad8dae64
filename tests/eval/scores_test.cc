// SPDX-License-Identifier: Apache-2.0
// Scores against sums done by hand, and the kinds of misses.
#include "eval/scores.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eval/misses.h"

namespace seqgpt {
namespace {

GoldItem gold(const std::string& line) {
  return parse_gold(line, 0, {}).value();
}

PredictedValue value(const std::string& text, std::optional<CharacterSpan> span = {},
                     std::optional<double> confidence = {}) {
  return {text, span, confidence};
}

Prediction values(std::map<std::string, std::vector<PredictedValue>> of_labels) {
  return {"0", {}, std::move(of_labels), {}, {}};
}

Prediction classes(std::vector<std::string> said,
                   std::vector<std::pair<std::string, double>> probabilities = {}) {
  return {"0", {}, {}, std::move(said), std::move(probabilities)};
}

TEST(Scores, CountsValuesOnceALabelAndText) {
  ExtractionScores scores;
  // 姓名: 1 right of 2 gold, 2 predicted; 公司: white space differs; 职位: only predicted.
  scores.add(gold(R"({"text": "王伟、李娜在 云 图，王伟", "labels": ["姓名", "公司", "职位"],
                      "gold": {"姓名": ["王伟", "李娜", "王伟"], "公司": ["云图"]}})"),
             values({{"姓名", {value("王伟"), value("王伟"), value("李")}},
                     {"公司", {value("云 图")}},
                     {"职位", {value("云")}}}));
  const Counts& names = scores.labels.at("姓名").strict;
  EXPECT_EQ(names.right, 1U);
  EXPECT_EQ(names.gold, 2U);
  EXPECT_EQ(names.predicted, 2U);
  const LabelCounts total = scores.total();
  EXPECT_DOUBLE_EQ(total.strict.precision(), 1.0 / 4);
  EXPECT_DOUBLE_EQ(total.strict.recall(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(total.strict.f1(), 2.0 / 7);
  EXPECT_DOUBLE_EQ(total.ignoring_space.f1(), 4.0 / 7);
  // Macro: 姓名 0.5, 公司 0, 职位 0.
  EXPECT_DOUBLE_EQ(scores.macro_f1(&LabelCounts::strict), 0.5 / 3);
  EXPECT_DOUBLE_EQ(scores.macro_f1(&LabelCounts::ignoring_space), 1.5 / 3);
  EXPECT_EQ(scores.whole_right, 0U);
  scores.add(gold(R"({"text": "无", "labels": ["姓名"], "gold": {}})"), values({}));
  EXPECT_EQ(scores.whole_right, 1U);
  EXPECT_EQ(scores.labels.at("姓名").strict.gold, 2U);
}

TEST(Scores, ComparesSpansWhereGoldHasThem) {
  ExtractionScores scores;
  scores.add(
      gold(R"({"text": "王伟和王伟", "labels": ["姓名"],
                      "entities": {"姓名": [["王伟", 0, 2], ["王伟", 3, 5]]}})"),
      values({{"姓名", {value("王伟", CharacterSpan{3, 5}), value("王", CharacterSpan{0, 1})}}}));
  const LabelCounts total = scores.total();
  EXPECT_EQ(total.span.right, 1U);
  EXPECT_EQ(total.span.gold, 2U);
  EXPECT_EQ(total.span.predicted, 2U);
  EXPECT_EQ(total.strict.gold, 1U);
  EXPECT_EQ(total.strict.right, 1U);
}

TEST(Scores, CalibrationIsTheMeanGapOfTheBins) {
  Reliability calibration;
  // Bin 0.9-1.0: confidences 0.95, 0.95, one right: gap |1 - 1.9| = 0.9. Bin 0.2-0.3: 0.2, right:
  // gap 0.8. ECE = 1.7 / 3.
  calibration.add(0.95, true);
  calibration.add(0.95, false);
  calibration.add(0.2, true);
  EXPECT_NEAR(calibration.error(), 1.7 / 3, 1e-12);
  EXPECT_EQ(calibration.bins()[2].count, 1U);
  Reliability edges;
  edges.add(1.0, true);
  edges.add(0.0, false);
  EXPECT_EQ(edges.bins()[9].count, 1U);
  EXPECT_EQ(edges.bins()[0].count, 1U);
  EXPECT_EQ(edges.error(), 0);
  EXPECT_EQ(Reliability().error(), 0);
}

TEST(Scores, ValueConfidencesMeetStrictRightness) {
  ExtractionScores scores;
  scores.add(gold(R"({"text": "王伟", "labels": ["姓名"], "gold": {"姓名": ["王伟"]}})"),
             values({{"姓名", {value("王伟", {}, 0.75), value("王", {}, 0.25)}}}));
  EXPECT_EQ(scores.calibration.count(), 2U);
  EXPECT_EQ(scores.calibration.bins()[7].right, 1U);
  EXPECT_EQ(scores.calibration.bins()[2].right, 0U);
}

TEST(Scores, ClassesByHand) {
  ClassificationScores scores;
  const auto item = [](const std::string& label) {
    return gold(R"({"text": "x", "labels": ["甲", "乙", "丙"], "label": ")" + label + "\"}");
  };
  scores.add(item("甲"), classes({"甲"}, {{"甲", 0.8}, {"乙", 0.2}}));
  scores.add(item("甲"), classes({"乙"}, {{"乙", 0.6}, {"甲", 0.4}}));
  scores.add(item("乙"), classes({"乙"}));
  scores.add(item("乙，丙"), classes({"丙"}));
  scores.add(item("丙"), classes({}));
  EXPECT_DOUBLE_EQ(scores.accuracy(), 2.0 / 5);
  EXPECT_EQ(scores.several, 1U);
  EXPECT_EQ(scores.first_right, 3U);
  // 甲: right 1 of 2 gold, 1 predicted: 2/3. 乙: 1 of 2 gold, 2 predicted: 2/4. 丙: 1, 2, 1: 2/3.
  EXPECT_DOUBLE_EQ(scores.macro_f1(), (2.0 / 3 + 0.5 + 2.0 / 3) / 3);
  EXPECT_EQ((scores.confusion.at({"甲", "乙"})), 1U);
  EXPECT_EQ((scores.confusion.at({"丙", ""})), 1U);
  EXPECT_EQ(scores.confusion.size(), 4U) << "texts of several classes have no place in it";
  EXPECT_EQ(scores.calibration.count(), 2U);
}

TEST(Scores, SumsOfFilesAreSumsOfCounts) {
  const GoldItem item = gold(R"({"text": "王伟", "labels": ["姓名"], "gold": {"姓名": ["王伟"]}})");
  ExtractionScores first;
  first.add(item, values({{"姓名", {value("王伟", {}, 0.9)}}}));
  ExtractionScores second;
  second.add(item, values({}));
  ExtractionScores both;
  both.add(item, values({{"姓名", {value("王伟", {}, 0.9)}}}));
  both.add(item, values({}));
  first.add(second);
  EXPECT_EQ(first.texts, both.texts);
  EXPECT_EQ(first.whole_right, both.whole_right);
  EXPECT_DOUBLE_EQ(first.total().strict.f1(), both.total().strict.f1());
  EXPECT_DOUBLE_EQ(first.calibration.error(), both.calibration.error());
}

TEST(Scores, WhiteSpaceOfAnyKindIsIgnored) {
  EXPECT_EQ(without_space(" 王\t伟\u3000\u00A0A\u200B\n1"), "王伟A1");
}

TEST(Misses, AreToldByKindWithTheTextAround) {
  const GoldItem item = gold(
      R"({"text": "前文前文前文前文前文前文前文，上海云图公司的王伟任CTO", "labels": ["公司", "姓名", "职位"],
          "entities": {"公司": [["上海云图公司", 15, 21]], "姓名": [["王伟", 22, 24]]}})");
  const auto misses = misses_of(item,
                                values({{"公司", {value("云图公司", CharacterSpan{17, 21}, 0.5)}},
                                        {"职位", {value("CTO", CharacterSpan{25, 28}, 0.7)}}}),
                                false);
  ASSERT_EQ(misses.size(), 3U);
  EXPECT_EQ(misses[0].kind, "boundary");
  EXPECT_EQ(misses[0].gold, "上海云图公司");
  EXPECT_EQ(misses[0].predicted, "云图公司");
  EXPECT_EQ(misses[0].place, "上海云图公司");
  EXPECT_EQ(misses[1].kind, "missing");
  EXPECT_EQ(misses[1].label, "姓名");
  EXPECT_TRUE(misses[1].before.starts_with("…"));
  EXPECT_TRUE(misses[1].before.ends_with("云图公司的"));
  EXPECT_EQ(misses[1].after, "任CTO");
  EXPECT_EQ(misses[2].kind, "spurious");
  EXPECT_EQ(misses[2].confidence, 0.7);
  const auto line = nlohmann::json::parse(miss_line(misses[1], "gold.jsonl", item));
  EXPECT_EQ(line["line"], 1);
  EXPECT_EQ(line["file"], "gold.jsonl");
  EXPECT_TRUE(line["predicted"].is_null());
  EXPECT_NE(line["context"].get<std::string>().find("【王伟】任CTO"), std::string::npos);
}

TEST(Misses, OfClassesAndFailures) {
  const GoldItem item = gold(R"({"text": "股市大涨", "labels": ["甲", "乙"], "label": "甲"})");
  EXPECT_TRUE(misses_of(item, classes({"甲"}), false).empty());
  const auto wrong = misses_of(item, classes({"乙"}, {{"乙", 0.9}}), false);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].kind, "class");
  EXPECT_EQ(wrong[0].gold + ">" + wrong[0].predicted, "甲>乙");
  Prediction failed;
  failed.error = "too long";
  ASSERT_EQ(misses_of(item, failed, false).size(), 1U);
  EXPECT_EQ(misses_of(item, failed, false)[0].kind, "failed");
}

TEST(Misses, IgnoringSpaceDropsThoseThatDifferInSpaceOnly) {
  const GoldItem item =
      gold(R"({"text": "云 图", "labels": ["公司"], "gold": {"公司": ["云图"]}})");
  const Prediction said = values({{"公司", {value("云 图")}}});
  EXPECT_FALSE(misses_of(item, said, false).empty());
  EXPECT_TRUE(misses_of(item, said, true).empty());
}

}  // namespace
}  // namespace seqgpt
