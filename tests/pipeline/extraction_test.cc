// SPDX-License-Identifier: Apache-2.0
// Extraction through a real network: whatever the weights say, every value is a span of the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "base/utf8.h"
#include "pipeline/fixture.h"
#include "support/random_text.h"

namespace seqgpt {
namespace {

std::string without_removed(std::string_view slice) {
  std::string kept;
  for (const char c : slice) {
    if (c != '\n' && c != '\r' && c != '\t') kept += c;
  }
  return kept;
}

/// Every promise that can be checked on an answer alone.
void expect_verbatim(const Answer& answer, std::string_view text) {
  std::set<std::tuple<size_t, size_t, size_t>> seen;
  for (const Entity& entity : answer.entities) {
    ASSERT_LT(entity.label, answer.labels.size());
    ASSERT_LT(entity.span.begin, entity.span.end);
    ASSERT_LE(entity.span.end, text.size());
    EXPECT_TRUE(utf8_boundary(text, entity.span.begin));
    EXPECT_TRUE(utf8_boundary(text, entity.span.end));
    const std::string value =
        without_removed(text.substr(entity.span.begin, entity.span.end - entity.span.begin));
    EXPECT_FALSE(value.empty());
    EXPECT_NE(value, "None") << "the word None means absent";
    EXPECT_GE(entity.confidence, 0);
    EXPECT_LE(entity.confidence, 1.0001);
    const bool fresh = seen.emplace(entity.label, entity.span.begin, entity.span.end).second;
    EXPECT_TRUE(fresh) << "the same span under one label comes once";
  }
}

bool same(const Answer& a, const Answer& b) {
  if (a.entities.size() != b.entities.size()) return false;
  for (size_t i = 0; i < a.entities.size(); ++i) {
    if (a.entities[i].label != b.entities[i].label || a.entities[i].span != b.entities[i].span)
      return false;
    if (a.entities[i].confidence != b.entities[i].confidence) return false;  // bit for bit
  }
  return true;
}

TEST(Extraction, VerificationLeavesOutWhatTheModelGuesses) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const std::vector<std::string> names = {"姓名", "公司", "职位"};
  Task task = extraction("王伟任上海云图公司经理，李娜任北京蓝天公司主管，编号甲乙丙。", names);
  const Answer all = open.pipeline->run(task).value();
  ASSERT_GE(all.entities.size(), 2U);
  double least = 1;  // above the least sure value, not above the surest
  double most = 0;
  for (const Entity& entity : all.entities) {
    least = std::min(least, entity.confidence);
    most = std::max(most, entity.confidence);
  }
  ASSERT_LT(least, most);
  Calibration calibration;
  calibration.least = (least + most) / 2;
  open.pipeline->set_calibration(calibration);
  const Answer sure = open.pipeline->run(task).value();
  EXPECT_LT(sure.entities.size(), all.entities.size());
  EXPECT_GT(sure.entities.size(), 0U);
  for (const Entity& entity : sure.entities) EXPECT_GE(entity.confidence, calibration.least);
  task.options.verify = false;
  const Answer unverified = open.pipeline->run(task).value();
  EXPECT_TRUE(std::ranges::any_of(
      unverified.entities, [&](const Entity& e) { return e.confidence < calibration.least; }));
  task.options.verify = true;
  calibration.least = 1;
  open.pipeline->set_calibration(calibration);
  // What a pattern finds is the caller's own, however unsure.
  const size_t answered = all.entities[0].label;
  task.labels[answered].pattern = ".{1,40}";
  const Answer own = open.pipeline->run(task).value();
  ASSERT_FALSE(own.entities.empty());
  for (const Entity& entity : own.entities) EXPECT_EQ(entity.label, answered);
}

TEST(Extraction, RandomWeightsGiveOnlySpansOfRandomTexts) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::mt19937 random(11);
  size_t answered = 0;
  size_t values = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<Task> tasks;
    for (int i = 0; i < 32; ++i)
      tasks.push_back(extraction(random_text(random, 12), {"姓名", "公司", "None", "（一）"}));
    const std::vector<Result<Answer>> answers = open.pipeline->run_all(tasks);
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (!answers[i].ok()) {
        EXPECT_EQ(answers[i].error().param, "text")
            << answers[i].error().message;  // blank texts only
        continue;
      }
      ++answered;
      values += answers[i]->entities.size();
      expect_verbatim(*answers[i], tasks[i].text);
    }
  }
  EXPECT_GT(answered, 1500U);
  EXPECT_GT(values, answered)
      << "the random network must say something for the test to mean something";
  EXPECT_EQ(open.pipeline->engine().counters().kv_blocks_used, 0);
}

TEST(Extraction, BatchThreadsAndChunksDoNotChangeABit) {
  for (const ComputeType compute : {ComputeType::kF32, ComputeType::kBf16}) {
    TestPipeline alone = open_test_pipeline(golden_model("bloom-tiny"), 1, compute);
    TestPipeline together =
        open_test_pipeline(golden_model("bloom-tiny"), 2, compute, {.chunk_tokens = 16});
    std::mt19937 random(5);
    std::vector<Task> tasks;
    for (int i = 0; i < 40; ++i)
      tasks.push_back(extraction("x" + random_text(random, 30), {"姓名", "公司", "电话"}));
    const std::vector<Result<Answer>> answers = together.pipeline->run_all(tasks);
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Result<Answer> single = alone.pipeline->run(tasks[i]);
      ASSERT_TRUE(single.ok()) << single.error().message;
      ASSERT_TRUE(answers[i].ok());
      EXPECT_TRUE(same(*single, *answers[i])) << tasks[i].text;
    }
  }
}

TEST(Extraction, MoreThanSixLabelsAreAskedInGroupsAndAnsweredInOrder) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  std::vector<std::string> names;
  for (int i = 0; i < 14; ++i) names.push_back("字段" + std::to_string(i));
  const Result<Answer> answer =
      open.pipeline->run(extraction("王伟在上海工作，电话13800138000。", names));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_EQ(answer->labels.size(), 14U);
  for (size_t i = 1; i < answer->entities.size(); ++i) {
    EXPECT_LE(answer->entities[i - 1].label, answer->entities[i].label);
  }
  EXPECT_EQ(open.pipeline->engine().counters().finished, 3U);
}

TEST(Extraction, TheFullProductNeverRuns) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  ASSERT_TRUE(open.pipeline->run(extraction("王伟在上海工作", {"姓名", "地点"})).ok());
  const EngineCounters& counters = open.pipeline->engine().counters();
  const auto vocabulary = static_cast<uint64_t>(open.pipeline->model().config().vocabulary);
  EXPECT_LT(counters.logits_rows, counters.decoded_tokens * vocabulary / 4);
  EXPECT_GT(counters.forced_tokens, 0U);
}

TEST(Extraction, BadInputIsNamed) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto message = [&](const Task& task) {
    const Result<Answer> answer = open.pipeline->run(task);
    return answer.ok() ? std::string("(no error)") : answer.error().param;
  };
  EXPECT_EQ(message(extraction("", {"姓名"})), "text");
  EXPECT_EQ(message(extraction(" \n　", {"姓名"})), "text");
  EXPECT_EQ(message(extraction("王\xFF伟", {"姓名"})), "text");
  EXPECT_EQ(message(extraction(std::string("王\0伟", 7), {"姓名"})), "text");
  EXPECT_EQ(message(extraction("王伟", {})), "labels");
  EXPECT_EQ(message(extraction("王伟", {"姓名", "姓名"})), "labels[1]");
  EXPECT_EQ(message(extraction("王伟", {"姓\n名"})), "labels[0]");
  EXPECT_EQ(message(extraction("王伟", {"a", "姓\t名"})), "labels[1]");
  EXPECT_EQ(message(extraction("王伟", {"输出: x"})), "labels[0]");
  std::string long_text;
  for (size_t i = 0; i <= kMaxTextCharacters; ++i) long_text += "王";
  EXPECT_EQ(message(extraction(long_text, {"姓名"})), "text");
}

TEST(Extraction, OneBadTaskDoesNotHurtItsNeighbours) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const std::vector<Task> tasks = {extraction("王伟", {"姓名"}), extraction("", {"姓名"}),
                                   extraction("王伟", {"姓名"})};
  const std::vector<Result<Answer>> answers = open.pipeline->run_all(tasks);
  ASSERT_TRUE(answers[0].ok());
  EXPECT_FALSE(answers[1].ok());
  ASSERT_TRUE(answers[2].ok());
  EXPECT_TRUE(same(*answers[0], *answers[2]));
}

}  // namespace
}  // namespace seqgpt
