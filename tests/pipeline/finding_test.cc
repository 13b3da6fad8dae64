// SPDX-License-Identifier: Apache-2.0
// Merging windows, choosing occurrences, and what confidence means.
#include "pipeline/finding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "pipeline/occurrence.h"

namespace seqgpt {
namespace {

Finding finding(size_t label, size_t begin, size_t end, double confidence, size_t window) {
  return {label, {begin, end}, {}, confidence, window};
}

std::vector<ByteSpan> merged(std::string_view text, bool all, std::vector<Finding> findings) {
  merge_findings(text, {all, all}, {false, true}, findings);
  std::vector<ByteSpan> spans;
  for (const Finding& f : findings) spans.push_back(f.span);
  return spans;
}

using Spans = std::vector<ByteSpan>;

TEST(MergeFindings, TheSurerOfTwoWindowsWinsOnTheSeam) {
  const std::string text = "abcdefghijklmnop";
  EXPECT_EQ(merged(text, false, {finding(0, 2, 5, 0.6, 0), finding(0, 2, 8, 0.9, 1)}),
            (Spans{{2, 8}}));
  EXPECT_EQ(merged(text, false, {finding(0, 2, 5, 0.9, 0), finding(0, 4, 8, 0.6, 1)}),
            (Spans{{2, 5}}));
  EXPECT_EQ(merged(text, false, {finding(0, 2, 5, 0.9, 0), finding(0, 2, 8, 0.9, 1)}),
            (Spans{{2, 8}}))
      << "of equals the longer";
}

// Label 1 names one thing, label 0 does not.
TEST(MergeFindings, NestedSpansOfOneWindowAndOtherLabelsStay) {
  const std::string text = "abcdefghijklmnop";
  EXPECT_EQ(merged(text, false, {finding(0, 2, 5, 0.6, 0), finding(0, 2, 8, 0.9, 0)}),
            (Spans{{2, 5}, {2, 8}}));
  EXPECT_EQ(merged(text, false, {finding(0, 2, 5, 0.6, 0), finding(1, 2, 8, 0.9, 1)}),
            (Spans{{2, 5}, {2, 8}}));
}

TEST(MergeFindings, OfOneThingTheSurerStays) {
  const std::string text = "abcdefghijklmnop";
  EXPECT_EQ(merged(text, false, {finding(1, 2, 5, 0.6, 0), finding(1, 2, 8, 0.9, 0)}),
            (Spans{{2, 8}}));
  EXPECT_EQ(merged(text, false, {finding(1, 2, 5, 0.6, 0), finding(1, 3, 5, 0.9, 0)}),
            (Spans{{2, 5}, {3, 5}}))
      << "begins elsewhere";
}

TEST(MergeFindings, EqualWordsComeOnceUnlessAllMentionsAreWanted) {
  const std::string text = "ab..ab..ab";
  const std::vector<Finding> three = {finding(0, 0, 2, 0.5, 0), finding(0, 4, 6, 0.8, 1),
                                      finding(0, 8, 10, 0.7, 2)};
  EXPECT_EQ(merged(text, false, three), (Spans{{4, 6}}));
  EXPECT_EQ(merged(text, true, three), (Spans{{0, 2}, {4, 6}, {8, 10}}));
}

std::string_view meant(std::string_view text, std::string_view words, std::string_view label) {
  const size_t at = text.find(words);
  const ByteSpan first{at, at + words.size()};
  const ByteSpan span = occurrence_of_label(text, first, occurrences(text, first), label);
  return text.substr(0, span.begin);
}

TEST(Occurrence, TheLabelBesideAValueDecides) {
  EXPECT_EQ(meant("合同金额100万元，保证金100万元。", "100万元", "保证金"),
            "合同金额100万元，保证金");
  EXPECT_EQ(meant("合同金额100万元，保证金100万元。", "100万元", "合同金额"), "合同金额");
  EXPECT_EQ(meant("付100万元。又付100万元保证金。", "100万元", "保证金"), "付100万元。又付");
  EXPECT_EQ(meant("甲方电话：\n111\n乙方电话：\n111", "111", "乙方电话"),
            "甲方电话：\n111\n乙方电话：\n");
  EXPECT_EQ(meant("编号：1380，mobile：1380", "1380", "手机号"), "编号：1380，mobile：")
      << "a synonym";
  EXPECT_EQ(meant("张三找张三", "张三", "姓名"), "") << "no label about: the first";
}

TEST(Occurrence, PartsOfLongerNumbersAreNone) {
  const std::string text = "12月，2012年，12日";
  EXPECT_EQ(occurrences(text, {0, 2}).size(), 2U);
  EXPECT_EQ(occurrences("aaaa", {1, 3}).size(), 1U) << "itself, and nothing that overlaps it";
}

TEST(Confidence, TheDefaultIsTheProduct) {
  EXPECT_NEAR(Calibration{}.value({std::log(0.9), std::log(0.8), std::log(0.5)}), 0.36, 1e-9);
  EXPECT_NEAR(Calibration{}.value({0, 0, 0}), 1, 1e-9);
  EXPECT_GE(Calibration{}.value({-1e9, -1e9, -1e9}), 0);
}

TEST(Confidence, AFitMakesShareOfRightEqualConfidence) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Judged> values;
  for (int i = 0; i < 5000; ++i) {  // over-confident: right with p^2 where p is claimed
    const double p = 0.3 + 0.69 * uniform(random);
    values.push_back({{std::log(p), 0, 0}, uniform(random) < p * p});
  }
  const Calibration fitted = fit_calibration(values).value();
  for (const double p : {0.4, 0.6, 0.8, 0.95})
    EXPECT_NEAR(fitted.value({std::log(p), 0, 0}), p * p, 0.05) << p;
}

TEST(Confidence, AFitNeedsExamplesOfBothKinds) {
  EXPECT_FALSE(fit_calibration({}).ok());
  EXPECT_FALSE(fit_calibration(std::vector<Judged>(100, {{-1, 0, 0}, true})).ok());
}

TEST(Confidence, TemperatureUndoesSharpening) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<double>> distributions;
  std::vector<size_t> right;
  for (int i = 0; i < 4000; ++i) {
    const double p = uniform(random);
    right.push_back(uniform(random) < p ? 0 : 1);
    const double sharp = p * p * p / (p * p * p + (1 - p) * (1 - p) * (1 - p));
    distributions.push_back({sharp, 1 - sharp});
  }
  EXPECT_NEAR(fit_temperature(distributions, right), 3, 0.3);
}

TEST(Confidence, GuessesAreThoseThatCostF1) {
  JudgedFile file;
  file.gold = 100;
  const auto add = [&](double confidence, int count, int right) {
    for (int i = 0; i < count; ++i)
      file.values.push_back({{std::log(confidence), 0, 0}, i < right});
  };
  add(0.9, 60, 54);
  add(0.32, 20, 6);
  add(0.12, 40, 4);
  // All: 64 of 120; above 0.12: 60 of 80; above 0.32: 54 of 60.
  EXPECT_NEAR(mean_f1({}, 0, {file}), 128.0 / 220, 1e-12);
  EXPECT_NEAR(mean_f1({}, 0.15, {file}), 120.0 / 180, 1e-12);
  EXPECT_NEAR(mean_f1({}, 0.35, {file}), 108.0 / 160, 1e-12);
  EXPECT_EQ(fit_least({}, {file}), 0.35) << "the least that reaches the best";
  file.gold = 60;  // every right value counts for more: 120/140 is less than 108/120
  EXPECT_EQ(fit_least({}, {file}), 0.35);
  EXPECT_EQ(fit_least({}, {}), 0);
  JudgedFile sure;
  sure.gold = 10;
  for (int i = 0; i < 10; ++i) sure.values.push_back({{std::log(0.2), 0, 0}, true});
  EXPECT_EQ(fit_least({}, {sure}), 0) << "what is right is no guess";
}

TEST(Confidence, TheFileIsReadBackAndHostileOnesAreRefused) {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() /
                                          ("seqgpt_calibration_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  const auto write = [&](const std::string& text) {
    std::ofstream(directory / kCalibrationFile, std::ios::binary) << text;
  };
  std::filesystem::remove(directory / kCalibrationFile);
  EXPECT_EQ(load_calibration(directory).value().product, 1);
  Calibration calibration;
  calibration.bias = -0.25;
  calibration.temperature = 1.5;
  calibration.least = 0.25;
  write(calibration_json(calibration));
  EXPECT_EQ(load_calibration(directory).value().bias, -0.25);
  EXPECT_EQ(load_calibration(directory).value().temperature, 1.5);
  EXPECT_EQ(load_calibration(directory).value().least, 0.25);
  const std::string older = R"({"bias":0,"product":1,"first":0,"inner":0,"stop":0,"temperature":1)";
  write(older + "}");
  EXPECT_EQ(load_calibration(directory).value().least, 0);
  for (const char* least : {"\"0\"", "-0.1", "1.5", "1e999"}) {
    write(older + ",\"least\":" + least + "}");
    EXPECT_FALSE(load_calibration(directory).ok()) << least;
  }
  for (const char* bad : {"", "[]", "{}", "{\"bias\": \"x\"}", "{\"bias\":1e999}"}) {
    write(bad);
    EXPECT_FALSE(load_calibration(directory).ok()) << bad;
  }
  calibration.temperature = 0;
  write(calibration_json(calibration));
  EXPECT_FALSE(load_calibration(directory).ok());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace seqgpt
