// SPDX-License-Identifier: Apache-2.0
// Gold in all its forms, wrong gold by name, choices of lines; predictions matched by id.
#include "eval/gold.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "eval/prediction.h"

namespace seqgpt {
namespace {

GoldItem good(const std::string& line, const std::vector<std::string>& fallback = {}) {
  Result<GoldItem> item = parse_gold(line, 4, fallback);
  EXPECT_TRUE(item.ok()) << line << item.error().message;
  return std::move(item).value();
}

TEST(Gold, ReadsTheContractsForms) {
  const GoldItem values = good(
      R"({"id": 7, "text": "王伟任CTO", "labels": ["姓名", {"name": "职位", "alias": "post"}, "公司"],
          "gold": {"姓名": ["王伟"], "职位": "CTO", "公司": null}})");
  EXPECT_EQ(values.id, "7");
  EXPECT_EQ(values.labels, (std::vector<std::string>{"姓名", "职位", "公司"}));
  EXPECT_EQ(values.values.at("职位")[0].text, "CTO");
  EXPECT_FALSE(values.values.contains("公司"));
  EXPECT_FALSE(values.spans);
  EXPECT_EQ(nlohmann::json::parse(values.request)["labels"][1]["alias"], "post");

  const GoldItem spans = good(
      R"({"text": "😀王伟，王伟", "entities": {"姓名": [["王伟", 1, 3], ["王伟", 4, 6]]}, "labels": ["姓名"]})");
  EXPECT_EQ(spans.id, "4");
  EXPECT_TRUE(spans.spans);
  EXPECT_EQ(spans.values.at("姓名")[1].span, (CharacterSpan{4, 6}));

  const GoldItem one = good(R"({"text": "x", "labels": ["a", "b，c", "b", "c"], "label": "b，c"})");
  EXPECT_TRUE(one.classification);
  EXPECT_EQ(one.classes, std::vector<std::string>{"b，c"});
  const GoldItem several = good(R"({"text": "x", "labels": ["a", "b", "c"], "label": "b，c"})");
  EXPECT_EQ(several.classes, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(good(R"({"text": "x", "label": ["b", "c"]})").classes.size(), 2U);
  const GoldItem tabs = good(R"({"text": "x", "labels": ["a", "b，c"], "label": "a\tb，c"})");
  EXPECT_EQ(tabs.classes, (std::vector<std::string>{"a", "b，c"}));
}

TEST(Gold, LinesWithoutLabelsTakeTheFilesOwn) {
  const GoldItem item = good(R"({"text": "x", "gold": {}})", {"甲", "乙"});
  EXPECT_EQ(item.labels, (std::vector<std::string>{"甲", "乙"}));
  EXPECT_EQ(nlohmann::json::parse(item.request)["labels"].size(), 2U);
  const std::string set = R"({"ner_a": ["甲"], "cls_b": ["乙", "丙"]})";
  EXPECT_EQ(*labels_for(set, "data/cls_b.jsonl.xz"), (std::vector<std::string>{"乙", "丙"}));
  EXPECT_TRUE(labels_for(set, "other.jsonl")->empty());
  EXPECT_EQ(labels_for(R"(["丁"])", "any")->front(), "丁");
  EXPECT_FALSE(labels_for("3", "any").ok());
  EXPECT_FALSE(labels_for("{", "any").ok());
}

TEST(Gold, WrongLinesSayWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{", "JSON"},
      {"[]", "object"},
      {R"({"gold": {}})", "text"},
      {R"({"text": "王伟"})", "gold"},
      {R"({"text": "王伟", "gold": []})", "gold"},
      {R"({"text": "王伟", "gold": {"姓名": [1]}})", "gold.姓名"},
      {R"({"text": "王伟", "entities": {"姓名": [["王", 0, 2]]}})", "王伟"},
      {R"({"text": "王伟", "entities": {"姓名": [["伟", 1, 3]]}})", "outside"},
      {R"({"text": "王伟", "entities": {"姓名": [["", 1, 1]]}})", "outside"},
      {R"({"text": "王伟", "entities": {"姓名": [["伟", -1, 1]]}})", "[value, start, end]"},
      {R"({"text": "王伟", "label": 3})", "label"},
      {R"({"text": "王伟", "label": []})", "label"},
      {R"({"text": "王伟", "label": ["甲", 3]})", "label"},
      {R"({"text": "王伟", "label": "甲\t"})", "label"},
      {R"({"text": "王伟", "label": ""})", "label"},
      {R"({"text": "王伟", "labels": "姓名", "gold": {}})", "labels"},
  };
  for (const auto& [line, word] : cases) {
    const Result<GoldItem> item = parse_gold(line, 0, {});
    ASSERT_FALSE(item.ok()) << line;
    EXPECT_NE(item.error().message.find(word), std::string::npos) << item.error().message;
  }
}

class GoldFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "seqgpt-eval-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ + "/" + name, std::ios::binary) << content;
    return directory_ + "/" + name;
  }

  static std::vector<GoldReader::Read> read_all(const std::string& path, GoldChoice choice) {
    auto reader = GoldReader::open(path, {}, choice);
    EXPECT_TRUE(reader.ok());
    std::vector<GoldReader::Read> all;
    for (;;) {
      auto read = (*reader)->next();
      EXPECT_TRUE(read.ok());
      if (!read->has_value()) return all;
      all.push_back(**std::move(read));
    }
  }

 private:
  std::string directory_;
};

TEST_F(GoldFiles, NumbersLinesAndCollectsLabels) {
  const std::string path = write("gold.jsonl",
                                 "{\"text\": \"a\", \"gold\": {\"甲\": [\"a\"]}}\n\nbad\n"
                                 "{\"text\": \"b\", \"gold\": {\"乙\": [\"b\"]}}\n");
  const auto lines = read_all(path, {});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].item.labels, (std::vector<std::string>{"甲", "乙"}));
  EXPECT_TRUE(lines[1].error);
  EXPECT_EQ(lines[1].line, 2U);
  EXPECT_EQ(lines[2].item.id, "3");
}

TEST_F(GoldFiles, TellsWhetherTextsHaveSeveralClasses) {
  const std::string one = "{\"text\": \"a\", \"labels\": [\"甲\", \"乙\"], \"label\": \"甲\"}\n";
  const std::string two =
      "{\"text\": \"b\", \"labels\": [\"甲\", \"乙\"], \"label\": \"甲\\t乙\"}\n";
  EXPECT_FALSE((*GoldReader::open(write("one.jsonl", one), {}, {}))->several_classes());
  // Also where the text that tells so is not among those chosen.
  EXPECT_TRUE((*GoldReader::open(write("two.jsonl", one + two), {}, {.limit = 1, .seed = {}}))
                  ->several_classes());
}

TEST_F(GoldFiles, SamplesEvenlyAndAlwaysTheSame) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "{\"text\": \"a\", \"gold\": {}}\n";
  const std::string path = write("gold.jsonl", text);
  const auto ids = [&](GoldChoice choice) {
    std::set<uint64_t> lines;
    for (const auto& read : read_all(path, choice)) lines.insert(read.line);
    return lines;
  };
  EXPECT_EQ(*ids({10, std::nullopt}).rbegin(), 9U);
  const auto sample = ids({100, 5});
  EXPECT_EQ(sample.size(), 100U);
  EXPECT_EQ(sample, ids({100, 5}));
  EXPECT_NE(sample, ids({100, 6}));
  EXPECT_GT(*sample.rbegin(), 900U);
  EXPECT_LT(*sample.begin(), 100U);
  EXPECT_EQ(ids({5000, 5}).size(), 1000U);
}

TEST_F(GoldFiles, PredictionsAreFoundByIdInAnyOrder) {
  const std::string path = write(
      "out.jsonl",
      "{\"id\":\"2\",\"success\":true,\"result\":{\"甲\":[\"x\",\"y\"],\"乙\":null}}\n"
      "{\"id\":1,\"success\":true,\"result\":{},\"entities\":[{\"label\":\"甲\",\"key\":\"a\","
      "\"text\":\"z\",\"start\":3,\"end\":4,\"confidence\":0.25}]}\n"
      "{\"id\":\"3\",\"error\":{\"code\":400,\"message\":\"blank\"}}\n"
      "{\"id\":\"4\",\"result\":\"财经\",\"labels\":[{\"label\":\"财经\",\"probability\":0.9}]}\n"
      "{\"id\":\"9\",\"result\":{}}\n");
  auto file = PredictionFile::open(path);
  ASSERT_TRUE(file.ok());
  const auto find = [&](const std::string& id) { return (*file)->find(id).value(); };
  const auto one = find("1");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->values.at("甲")[0].span, (CharacterSpan{3, 4}));
  EXPECT_EQ(one->values.at("甲")[0].confidence, 0.25);
  EXPECT_EQ(find("2")->values.at("甲").size(), 2U);
  EXPECT_FALSE(find("2")) << "given once";
  EXPECT_EQ((*PredictionFile::open(path))->unasked().value(), 5U);
  EXPECT_EQ(*(*PredictionFile::open(path))->find("3").value()->error, "blank");
  EXPECT_EQ((*PredictionFile::open(path))->find("4").value()->probabilities[0].second, 0.9);
  const std::string bad = write("bad.jsonl", "{\"id\":\"1\",\"result\":{}}\n{\"id\": 2}\n");
  const auto error = (*PredictionFile::open(bad))->find("2");
  ASSERT_FALSE(error.ok());
  EXPECT_NE(error.error().message.find("line 2"), std::string::npos) << error.error().message;
}

}  // namespace
}  // namespace seqgpt
