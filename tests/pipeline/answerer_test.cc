// SPDX-License-Identifier: Apache-2.0
// The answerer: answers as they come, and calling off.
#include "pipeline/answerer.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "pipeline/fixture.h"

namespace seqgpt {
namespace {

/// Of a million characters.
Task huge_task() {
  std::string text;
  size_t characters = 0;
  for (int i = 0; characters < 999'900; ++i) {
    const std::string line = "第" + std::to_string(i) + "项由张三负责，电话13800138000。";
    text += line;
    characters += utf8_count(line);
  }
  return extraction(text, {"姓名", "电话"});
}

Task long_task() {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "第" + std::to_string(i) + "项由张三负责，电话13800138000。";
  Task task = extraction(text, {"姓名", "电话"});
  task.options.window_tokens = 64;
  return task;
}

TEST(Answerer, GivesAShortAnswerBeforeALongOneThatCameFirst) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  const Ticket slow = answerer->submit(long_task());
  const Ticket quick = answerer->submit(extraction("王伟", {"姓名"}));
  while (!answerer->ready(quick)) answerer->work();
  EXPECT_FALSE(answerer->ready(slow));
  EXPECT_TRUE(answerer->take(quick).ok());
  while (!answerer->ready(slow)) answerer->work();
  EXPECT_TRUE(answerer->take(slow).ok());
}

/// Even several texts of a million characters are looked through beside the work of others.
TEST(Answerer, AnswersAShortTaskWhileAHugeOneIsPrepared) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  const Task huge = huge_task();
  const Ticket first = answerer->submit(huge);
  const Ticket second = answerer->submit(huge);
  const Ticket quick = answerer->submit(extraction("王伟，13800138000", {"姓名", "电话"}));
  const Ticket middle = answerer->submit(long_task());
  while (!answerer->ready(quick) || answerer->progress(middle).windows == 0) answerer->work();
  EXPECT_TRUE(answerer->take(quick).ok());
  for (const Ticket ticket : {first, second}) {  // nothing is counted before all was looked through
    EXPECT_FALSE(answerer->ready(ticket));
    EXPECT_EQ(answerer->progress(ticket).windows, 0U);
  }
  answerer->cancel(first);  // both in the middle of it
  answerer->cancel(second);
  while (!answerer->ready(middle)) answerer->work();
  EXPECT_TRUE(answerer->take(middle).ok());
  EXPECT_EQ(open.pipeline->engine().counters().kv_blocks_used, 0);
  EXPECT_FALSE(answerer->ready(first));
}

TEST(Answerer, AnswersAShortTaskWhileAHugePromptIsEncoded) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  FreePrompt prompt;
  prompt.text = huge_task().text;
  const Ticket huge = answerer->submit(prompt);
  const Ticket quick = answerer->submit(extraction("王伟", {"姓名"}));
  while (!answerer->ready(quick)) answerer->work();
  EXPECT_TRUE(answerer->take(quick).ok());
  EXPECT_FALSE(answerer->ready(huge));
  const EngineCounters& counters = open.pipeline->engine().counters();
  EXPECT_EQ(counters.running + counters.waiting, 0) << "it is not in the engine yet";
  while (!answerer->ready(huge)) answerer->work();
  EXPECT_EQ(answerer->take_free(huge).error().code, ErrorCode::kTooLarge);
}

/// Pieces of whole characters, which the end only adds to.
TEST(Answerer, TellsWhatIsWrittenAsItIsDecided) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  FreePrompt prompt;
  prompt.text = "输入: 王伟，现任CTO。";
  prompt.max_new_tokens = 48;
  const std::string whole = open.pipeline->prompt(prompt)->text;
  ASSERT_GT(whole.size(), 8U);
  for (const size_t at : {whole.size(), whole.size() / 2, size_t{3}}) {
    size_t begin = at;
    while (begin < whole.size() && !utf8_boundary(whole, begin)) ++begin;
    prompt.stop = {whole.substr(begin, 7), "不在其中的话"};
    if (prompt.stop[0].empty()) prompt.stop.erase(prompt.stop.begin());
    const std::string expected = open.pipeline->prompt(prompt)->text;
    const Ticket ticket = answerer->submit(prompt);
    std::string told;
    size_t pieces = 0;
    while (!answerer->ready(ticket)) {
      const std::string now = answerer->written(ticket);
      EXPECT_TRUE(now.starts_with(told)) << "what was told stays";
      EXPECT_TRUE(expected.starts_with(now)) << now << " in " << expected;
      pieces += now.size() > told.size() ? 1 : 0;
      told = std::max(told, now);
      answerer->work();
    }
    EXPECT_GE(answerer->times(ticket).read, 0);
    EXPECT_GE(answerer->times(ticket).decide, 0);
    EXPECT_EQ(answerer->take_free(ticket)->text, expected);
    if (at == whole.size()) {
      EXPECT_GT(pieces, 1U);
    }
  }
  prompt.stop.clear();
  prompt.beams = 2;
  const Ticket beams = answerer->submit(prompt);
  while (!answerer->ready(beams)) {
    answerer->work();
    EXPECT_EQ(answerer->written(beams), "") << "no beam has won yet";
  }
}

TEST(Answerer, TellsWhereTheTimeWent) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  for (const Task& task : {extraction("王伟", {"姓名"}), long_task(),
                           classification("央行下调利率", {"财经", "体育"})}) {
    const Ticket ticket = answerer->submit(task);
    EXPECT_LT(answerer->times(ticket).normalize, 0);
    while (!answerer->ready(ticket)) answerer->work();
    const WorkTimes times = answerer->times(ticket);
    EXPECT_GE(times.read, 0);
    EXPECT_GE(times.decide, 0);
    EXPECT_GE(times.normalize, 0);
    EXPECT_TRUE(answerer->take(ticket).ok());
  }
}

/// Without voting nothing is read twice: fewer windows, and every value still a span.
TEST(Answerer, ReadsNoSeamTwiceWithoutVoting) {
  EngineOptions uncached;
  uncached.prefix_cache_bytes = 0;
  TestPipeline open =
      open_test_pipeline(golden_model("bloom-tiny"), 1, ComputeType::kF32, uncached);
  Task task = long_task();
  const uint64_t before = open.pipeline->engine().counters().prompt_tokens;
  EXPECT_FALSE(open.pipeline->run(task)->unvoted);
  const uint64_t voted = open.pipeline->engine().counters().prompt_tokens - before;
  task.options.window_voting = false;
  const Result<Answer> answer = open.pipeline->run(task);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->unvoted);
  EXPECT_LT(open.pipeline->engine().counters().prompt_tokens - before - voted, voted);
  Task topics = classification(task.text, {"财经", "体育"});
  topics.options = task.options;
  EXPECT_TRUE(open.pipeline->run(topics)->unvoted);
  Task brief = extraction("王伟", {"姓名"});
  brief.options.window_voting = false;
  EXPECT_FALSE(open.pipeline->run(brief)->unvoted) << "there was nothing to vote on";
}

TEST(Answerer, TellsTheWindowsOfALongText) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  const Ticket ticket = answerer->submit(long_task());
  while (answerer->progress(ticket).windows == 0 && !answerer->ready(ticket)) answerer->work();
  const TaskProgress first = answerer->progress(ticket);
  EXPECT_EQ(first.windows_done, 0U);
  EXPECT_GT(first.windows, 10U);
  TaskProgress last = first;
  size_t changes = 0;
  while (!answerer->ready(ticket)) {
    answerer->work();
    const TaskProgress now = answerer->progress(ticket);
    EXPECT_GE(now.windows_done, last.windows_done);
    EXPECT_EQ(now.windows, first.windows);
    changes += now == last ? 0 : 1;
    last = now;
  }
  EXPECT_EQ(last.windows_done, first.windows);
  EXPECT_GT(changes, 3U);
  EXPECT_TRUE(answerer->take(ticket).ok());
  EXPECT_EQ(answerer->progress(ticket), TaskProgress{});
}

TEST(Answerer, FreesTheBlocksOfWhatIsCalledOff) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  FreePrompt prompt;
  prompt.text = "输入: 王伟";
  const Ticket task = answerer->submit(long_task());
  const Ticket written = answerer->submit(prompt);
  const Ticket kept = answerer->submit(extraction("王伟", {"姓名"}));
  answerer->work();
  EXPECT_GT(open.pipeline->engine().counters().kv_blocks_used, 0);
  answerer->cancel(task);
  answerer->cancel(written);
  answerer->cancel(written);  // once more, and one that never was
  answerer->cancel(4711);
  while (!answerer->ready(kept)) answerer->work();
  EXPECT_TRUE(answerer->take(kept).ok());
  EXPECT_EQ(open.pipeline->engine().counters().kv_blocks_used, 0);
  EXPECT_EQ(open.pipeline->engine().counters().running, 0);
  EXPECT_EQ(open.pipeline->engine().counters().waiting, 0);
}

TEST(Answerer, WritesFreelyAmongTasksWhatItWritesAlone) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  FreePrompt prompt;
  prompt.text = "输入: 王伟";
  prompt.max_new_tokens = 20;
  const Result<FreeAnswer> alone = open.pipeline->prompt(prompt);
  ASSERT_TRUE(alone.ok());
  const auto answerer = make_answerer(*open.pipeline);
  answerer->submit(long_task());
  const Ticket written = answerer->submit(prompt);
  while (!answerer->ready(written)) answerer->work();
  const Result<FreeAnswer> together = answerer->take_free(written);
  ASSERT_TRUE(together.ok());
  EXPECT_EQ(together->text, alone->text);
  EXPECT_EQ(together->prompt_tokens, alone->prompt_tokens);
  EXPECT_EQ(together->completion_tokens, 20);
}

TEST(Answerer, TellsLabelsAsTheyAreDecidedWithTheirLastValues) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  const Ticket ticket = answerer->submit(
      extraction("王伟任CTO，电话13800138000，张三任经理。", {"姓名", "电话", "职位", "公司"}));
  std::vector<size_t> told;
  std::vector<Entity> entities;
  bool early = false;
  while (!answerer->ready(ticket)) {
    answerer->work();
    const std::optional<Decided> decided = answerer->decided(ticket);
    if (!decided) continue;
    early = early || decided->labels.size() < 4;
    for (const size_t label : decided->labels) {
      told.push_back(label);
      for (const Entity& entity : decided->answer.entities) {
        if (entity.label == label) entities.push_back(entity);
      }
    }
  }
  const Result<Answer> answer = answerer->take(ticket);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(early);
  EXPECT_GE(told.size(), 3U);  // the last one may come with the answer
  for (size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i);
  std::vector<Entity> same;
  for (const Entity& entity : answer->entities) {
    if (entity.label < told.size()) same.push_back(entity);
  }
  ASSERT_EQ(entities.size(), same.size());
  for (size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(entities[i].span, same[i].span);
    EXPECT_EQ(entities[i].confidence, same[i].confidence);
  }
}

TEST(Answerer, GivesErrorsLikeAnswers) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto answerer = make_answerer(*open.pipeline);
  const Ticket task = answerer->submit(extraction("王伟", {}));
  const Ticket prompt = answerer->submit(FreePrompt{});
  EXPECT_TRUE(answerer->ready(task));
  EXPECT_TRUE(answerer->ready(prompt));
  EXPECT_FALSE(answerer->take(task).ok());
  EXPECT_FALSE(answerer->take_free(prompt).ok());
}

}  // namespace
}  // namespace seqgpt
