// SPDX-License-Identifier: Apache-2.0
// The answerer: answers as they come, and calling off.
#include "pipeline/answerer.h"

#include <gtest/gtest.h>

#include "pipeline/fixture.h"

namespace seqgpt {
namespace {

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
