// SPDX-License-Identifier: Apache-2.0
// Classification: probabilities over any labels, and the heads of classification checkpoints.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/utf8.h"
#include "pipeline/fixture.h"

namespace seqgpt {
namespace {

nlohmann::json expected_of(const std::string& model) {
  std::ifstream in(golden_model(model) + "/expected.json");
  return nlohmann::json::parse(in);
}

double sum_of(const Answer& answer) {
  double sum = 0;
  for (const ClassScore& score : answer.classes) sum += score.probability;
  return sum;
}

TEST(Classification, ProbabilitiesSumToOneWhateverTheLabels) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::vector<std::string> many;
  for (int i = 0; i < 120; ++i) many.push_back("类别" + std::to_string(i));
  const std::vector<std::vector<std::string>> label_sets = {
      {"财经"},
      {"财经", "科技", "体育"},
      {"高风险", "高风险（含资金损失、法律纠纷）", "高"},
      {"A", "AB", "ABC", "B"},
      many};
  for (const std::vector<std::string>& names : label_sets) {
    const Result<Answer> answer =
        open.pipeline->run(classification("央行宣布下调存款准备金率", names));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    ASSERT_EQ(answer->classes.size(), names.size());
    EXPECT_NEAR(sum_of(*answer), 1.0, 1e-4);
    for (size_t i = 1; i < answer->classes.size(); ++i) {
      EXPECT_GE(answer->classes[i - 1].probability, answer->classes[i].probability);
    }
  }
}

TEST(Classification, BatchGivesTheSameBits) {
  TestPipeline open =
      open_test_pipeline(golden_model("bloom-tiny"), 2, ComputeType::kBf16, {.chunk_tokens = 16});
  std::vector<Task> tasks;
  for (int i = 0; i < 9; ++i)
    tasks.push_back(
        classification("第" + std::to_string(i) + "条新闻", {"财经", "财经股票", "科技"}));
  const std::vector<Result<Answer>> together = open.pipeline->run_all(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Result<Answer> alone = open.pipeline->run(tasks[i]);
    ASSERT_TRUE(alone.ok() && together[i].ok());
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(alone->classes[k].label, together[i]->classes[k].label);
      EXPECT_EQ(alone->classes[k].probability, together[i]->classes[k].probability);
    }
  }
}

std::vector<double> by_label(const Answer& answer) {
  std::vector<double> probabilities(answer.classes.size());
  for (const ClassScore& score : answer.classes) probabilities[score.label] = score.probability;
  return probabilities;
}

TEST(SeveralClasses, AreReadOffTheSharesOfOneChoice) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  for (const size_t count : {size_t{2}, size_t{3}, size_t{12}}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back("类别" + std::to_string(i));
    Task task = classification("央行宣布下调存款准备金率", names);
    const std::vector<double> shares = by_label(*open.pipeline->run(task));
    task.options.multi = true;
    const Result<Answer> several = open.pipeline->run(task);
    ASSERT_TRUE(several.ok());
    const std::vector<double> probabilities = by_label(*several);
    const double even = count == 12 ? 0.2 : 1.0 / static_cast<double>(count);
    size_t above = 0;
    for (size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(probabilities[i], shares[i] / (shares[i] + even), 1e-9);
      above += probabilities[i] >= 0.5 ? 1 : 0;
    }
    EXPECT_EQ(several->chosen->size(), above);
  }
}

TEST(SeveralClasses, DoNotDependOnTheOrderAsked) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = classification("央行宣布下调存款准备金率", {"财经", "科技", "体育"});
  task.options.multi = true;
  const std::vector<double> there = by_label(*open.pipeline->run(task));
  std::ranges::reverse(task.labels);
  const std::vector<double> back = by_label(*open.pipeline->run(task));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(there[i], back[2 - i]);
}

TEST(SeveralClasses, ALabelAloneStandsAgainstTheRest) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task pair = classification("央行宣布下调存款准备金率", {"财经", "其他"});
  const double share = by_label(*open.pipeline->run(pair)).front();
  for (const char* name : {"财经", "其他"}) {  // 其他 itself has something to stand against, too
    Task task = classification(pair.text, {name});
    task.options.multi = true;
    const Result<Answer> answer = open.pipeline->run(task);
    ASSERT_TRUE(answer.ok());
    ASSERT_EQ(answer->classes.size(), 1U);
    EXPECT_LT(answer->classes.front().probability, 1);
    if (name == std::string_view("财经")) {
      EXPECT_NEAR(answer->classes.front().probability, share, 1e-9);
    }
  }
}

TEST(Heads, SequenceClassificationGivesTheGoldenProbabilities) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-seqcls"));
  const nlohmann::json expected = expected_of("bloom-seqcls");
  for (const nlohmann::json& prompt : expected["prompts"]) {
    const Result<Answer> answer = open.pipeline->run(classification(prompt["text"], {}));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    for (const ClassScore& score : answer->classes) {
      EXPECT_NEAR(score.probability, prompt["probs"][score.label].get<double>(), 1e-5);
    }
  }
  const Result<Answer> unknown = open.pipeline->run(classification("好", {"正面", "没有的"}));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().param, "labels[1]");
  EXPECT_FALSE(open.pipeline->run(extraction("好", {"正面"})).ok());
}

/// HF gives a character that two tokens share twice; under one label a span comes once, with the
/// greater score.
nlohmann::json once_each(const nlohmann::json& entities) {
  nlohmann::json once = nlohmann::json::array();
  for (const nlohmann::json& entity : entities) {
    const auto same = std::ranges::find_if(once, [&](const nlohmann::json& other) {
      return other["entity_group"] == entity["entity_group"] && other["start"] == entity["start"] &&
             other["end"] == entity["end"];
    });
    if (same == once.end()) {
      once.push_back(entity);
    } else if (entity["score"] > (*same)["score"]) {
      *same = entity;
    }
  }
  return once;
}

TEST(Heads, TokenClassificationGivesTheGoldenEntities) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tokcls"));
  const nlohmann::json expected = expected_of("bloom-tokcls");
  for (const nlohmann::json& prompt : expected["prompts"]) {
    const std::string text = prompt["text"];
    const Result<Answer> answer = open.pipeline->run(extraction(text, {}));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const nlohmann::json golden = once_each(prompt["entities_simple"]);
    ASSERT_EQ(answer->entities.size(), golden.size());
    size_t found = 0;
    for (const Entity& entity :
         answer->entities) {  // ours are in order of the labels, the golden ones of the text
      for (const nlohmann::json& wanted : golden) {
        found += answer->labels[entity.label].name == wanted["entity_group"] &&
                 utf8_count(std::string_view(text).substr(0, entity.span.begin)) ==
                     wanted["start"].get<size_t>() &&
                 utf8_count(std::string_view(text).substr(0, entity.span.end)) ==
                     wanted["end"].get<size_t>() &&
                 std::abs(entity.confidence - wanted["score"].get<double>()) < 1e-5;
      }
    }
    EXPECT_EQ(found, golden.size()) << text;
  }
}

TEST(Heads, ALabelMapGivesTheCheckpointsTypesOtherNames) {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() /
                                          ("seqgpt_label_map_test_" + std::to_string(getpid()));
  std::filesystem::remove_all(directory);
  std::filesystem::copy(golden_model("bloom-tokcls"), directory);
  const nlohmann::json expected = expected_of("bloom-tokcls");
  const std::string type = expected["prompts"][0]["entities_simple"][0]["entity_group"];
  const std::string text = expected["prompts"][0]["text"];
  const auto answer = [&](const std::string& label) {
    return open_test_pipeline(directory.string()).pipeline->run(extraction(text, {label}));
  };
  const Result<Answer> own = answer(type);
  EXPECT_EQ(answer("姓名").error().param, "labels[0]");
  std::ofstream(directory / kLabelMapFile) << nlohmann::json{{"姓名", type}}.dump();
  const Result<Answer> mapped = answer("姓名");
  ASSERT_TRUE(own.ok() && mapped.ok());
  ASSERT_FALSE(mapped->entities.empty());
  ASSERT_EQ(mapped->entities.size(), own->entities.size());
  for (size_t i = 0; i < own->entities.size(); ++i)
    EXPECT_EQ(mapped->entities[i].span, own->entities[i].span);
  for (const char* bad : {"[]", "{\"姓名\": 1}", "{"}) {
    std::ofstream(directory / kLabelMapFile) << bad;
    EXPECT_FALSE(LabelMap::load(directory).ok()) << bad;
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace seqgpt
