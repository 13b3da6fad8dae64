// SPDX-License-Identifier: Apache-2.0
// Texts longer than a window: nothing lost, nothing unsaid, memory by the window; records and
// options.
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "pipeline/answerer.h"
#include "pipeline/fixture.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

std::string sentences(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text +=
        "第" + std::to_string(i) + "项由张三负责，电话1380013" + std::to_string(1000 + i) + "。";
  return text;
}

Task long_task(int count) {
  Task task = extraction(sentences(count), {"姓名", "电话"});
  task.options.window_tokens = 64;
  return task;
}

TEST(LongText, IsReadInWindowsAndEveryValueIsASpanOfTheWhole) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const Task task = long_task(100);
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_GT(open.pipeline->engine().counters().finished, 20U) << "one request a window";
  EXPECT_EQ(answer->coverage, 1);
  EXPECT_FALSE(answer->truncated);
  size_t far = 0;
  for (const Entity& entity : answer->entities) {
    ASSERT_LT(entity.span.begin, entity.span.end);
    ASSERT_LE(entity.span.end, task.text.size());
    far += entity.span.begin > task.text.size() / 2;
  }
  EXPECT_GT(far, 0U) << "the second half was read too";
  EXPECT_EQ(open.pipeline->engine().counters().kv_blocks_used, 0);
}

TEST(LongText, MemoryGrowsByTheWindow) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto most_blocks = [&](int count) {
    const std::unique_ptr<Answerer> answerer = make_answerer(*open.pipeline);
    const Ticket ticket = answerer->submit(long_task(count));
    int most = 0;
    while (!answerer->ready(ticket)) {
      answerer->work();
      most = std::max(most, open.pipeline->engine().counters().kv_blocks_used);
    }
    return most;
  };
  EXPECT_LE(most_blocks(200), most_blocks(50) * 5 / 4);
}

TEST(LongText, IsTheSameAloneAndInCompany) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const Task task = long_task(30);
  const Result<Answer> alone = open.pipeline->run(task);
  const std::vector<Task> tasks = {extraction("王伟", {"姓名"}), task, long_task(12)};
  const std::vector<Result<Answer>> together = open.pipeline->run_all(tasks);
  ASSERT_TRUE(alone.ok() && together[1].ok());
  ASSERT_EQ(alone->entities.size(), together[1]->entities.size());
  for (size_t i = 0; i < alone->entities.size(); ++i) {
    EXPECT_EQ(alone->entities[i].span, together[1]->entities[i].span);
    EXPECT_EQ(alone->entities[i].confidence, together[1]->entities[i].confidence);
  }
}

TEST(LongText, TruncateSaysWhatWasRead) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = long_task(100);
  task.options.long_text = LongText::kTruncate;
  task.options.max_chars = 200;
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->truncated);
  EXPECT_LT(answer->coverage, 0.2);
  ASSERT_FALSE(answer->warnings.empty());
  EXPECT_NE(answer->warnings.back().message.find("已智能截取关键段落"), std::string::npos);
  const size_t kept = leading_sentences(task.text, 200);
  for (const Entity& entity : answer->entities) EXPECT_LE(entity.span.end, kept);
}

TEST(LongText, TruncateHoldsWithinAWindowToo) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = extraction("王伟任经理。李娜任主管。", {"姓名"});
  task.options.long_text = LongText::kTruncate;
  task.options.max_chars = 8;
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->truncated);
  EXPECT_EQ(answer->coverage, 0.5);
}

TEST(LongText, RejectAndBadOptionsAreNamed) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = long_task(100);
  task.options.long_text = LongText::kReject;
  EXPECT_EQ(open.pipeline->run(task).error().param, "text");
  task = long_task(2);
  task.options.window_tokens = 1;
  EXPECT_EQ(open.pipeline->run(task).error().param, "window_tokens");
  task = long_task(2);
  task.options.min_confidence = 2;
  EXPECT_EQ(open.pipeline->run(task).error().param, "min_confidence");
  task = long_task(2);
  task.options.record = "公司";
  EXPECT_EQ(open.pipeline->run(task).error().param, "record");
  task = long_task(2);
  task.options.reference_time = "yesterday";
  EXPECT_EQ(open.pipeline->run(task).error().param, "reference_time");
}

TEST(Records, HoldEveryKeyAndOnlySpans) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = long_task(20);
  task.options.record = "姓名";
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_TRUE(answer->records.has_value());
  for (const std::vector<Entity>& record : *answer->records) {
    ASSERT_FALSE(record.empty());
    EXPECT_EQ(record.front().label, 0U) << "the key comes first";
    for (const Entity& entity : record) EXPECT_LE(entity.span.end, task.text.size());
  }
}

TEST(Classification, OfALongTextAveragesItsWindows) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = classification(sentences(60), {"财经", "科技", "体育"});
  task.options.window_tokens = 64;
  for (const bool multi : {false, true}) {
    task.options.multi = multi;
    const Result<Answer> answer = open.pipeline->run(task);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    double sum = 0;
    for (const ClassScore& score : answer->classes) {
      EXPECT_GE(score.probability, 0);
      EXPECT_LE(score.probability, 1);
      sum += score.probability;
    }
    if (!multi) {
      EXPECT_NEAR(sum, 1, 1e-5);
    }
    EXPECT_EQ(answer->chosen.has_value(), multi);
  }
}

TEST(Classification, TheCallersOrderMovesNothing) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const Result<Answer> one =
      open.pipeline->run(classification("央行降准", {"财经", "科技", "体育"}));
  const Result<Answer> other =
      open.pipeline->run(classification("央行降准", {"体育", "财经", "科技"}));
  ASSERT_TRUE(one.ok() && other.ok());
  for (const ClassScore& a : one->classes) {
    for (const ClassScore& b : other->classes) {
      if (one->labels[a.label].name != other->labels[b.label].name) continue;
      EXPECT_EQ(a.probability, b.probability);  // bit for bit
    }
  }
}

}  // namespace
}  // namespace seqgpt
