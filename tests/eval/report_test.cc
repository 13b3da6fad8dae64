// SPDX-License-Identifier: Apache-2.0
// The report in its three forms; nothing that a user wrote becomes markup.
#include "eval/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eval/charts.h"
#include "eval/evaluation.h"

namespace seqgpt {
namespace {

const std::string kScript = "<script>alert('x')</script>\"&";

/// Two files whose names, labels, values, classes and texts all hold a script.
EvalReport hostile_report() {
  Evaluation evaluation(false, [](const std::string&) { return Status(); });
  const nlohmann::json extraction = {
      {"text", "甲" + kScript + "乙"}, {"labels", {kScript}}, {"gold", {{kScript, {kScript}}}}};
  evaluation.begin_file("values" + kScript);
  Prediction said;
  said.values[kScript].push_back({"甲" + kScript, std::nullopt, 0.5});
  EXPECT_TRUE(evaluation.add(parse_gold(extraction.dump(), 0, {}).value(), said).ok());
  const nlohmann::json classification = {
      {"text", kScript}, {"labels", {kScript, "乙"}}, {"label", kScript}};
  evaluation.begin_file("classes" + kScript);
  Prediction wrong;
  wrong.classes = {"乙"};
  wrong.probabilities = {{"乙", 0.7}};
  EXPECT_TRUE(evaluation.add(parse_gold(classification.dump(), 0, {}).value(), wrong).ok());
  EXPECT_TRUE(evaluation.add(parse_gold(classification.dump(), 1, {}).value(), {}).ok());
  evaluation.report().predictor = "model" + kScript;
  return evaluation.report();
}

/// Every tag that is opened is closed, in order; void elements aside.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", tag.starts_with('/')));
    if (tag.starts_with('!') || tag.ends_with('/') || name == "meta" || name == "br") continue;
    if (!tag.starts_with('/')) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ("/" + open.back(), tag);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(HtmlReport, EscapesEverythingThatAUserWrote) {
  const std::string html = html_report(hostile_report());
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;x&#39;)"), std::string::npos);
  expect_balanced(html);
}

TEST(HtmlReport, IsSelfContainedAndHasItsParts) {
  const std::string html = html_report(hostile_report());
  for (const char* fetched : {"http://", "https://", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(html.find(fetched), std::string::npos) << fetched;
  for (const char* part : {"各字段 F1", "可靠性图", "混淆矩阵", "各文件", "错误示例",
                           "prefers-color-scheme", "default-src 'none'", "没有预测"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(HtmlReport, OfNothingIsAPageToo) {
  expect_balanced(html_report({}));
  EXPECT_FALSE(text_report({}).empty() && json_report({}).empty());
}

TEST(Charts, EscapeControlsAndDamagedBytes) {
  EXPECT_EQ(escaped(std::string("a\0<b>\xFF", 6)), "a &lt;b&gt;\uFFFD");
}

TEST(JsonReport, HasTheNumbers) {
  const auto json = nlohmann::json::parse(json_report(hostile_report()));
  EXPECT_EQ(json["extraction"]["strict"]["micro"]["gold"], 1);
  EXPECT_EQ(json["extraction"]["strict"]["micro"]["f1"], 0.0);
  EXPECT_EQ(json["classification"]["texts"], 2);
  EXPECT_EQ(json["classification"]["accuracy"], 0.0);
  EXPECT_EQ(json["without_prediction"], 1);
  EXPECT_EQ(json["files"].size(), 2U);
  EXPECT_NEAR(json["extraction"]["calibration"]["ece"].get<double>(), 0.5, 1e-9);
}

TEST(TextReport, ShowsTotalsLabelsFilesAndTroubles) {
  const std::string text = text_report(hostile_report());
  for (const char* part : {"micro, strict", "ignoring white space", "accuracy 0.0000", "file ",
                           "most frequent confusions", "calibration", "without", "no prediction"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace seqgpt
