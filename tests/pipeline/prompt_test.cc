// SPDX-License-Identifier: Apache-2.0
// Free prompts: lengths, stop strings, and what a fingerprint tells apart.
#include <gtest/gtest.h>

#include "pipeline/fixture.h"

namespace seqgpt {
namespace {

TEST(Prompt, StopsAtTheLengthAndAtStopStrings) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  FreePrompt prompt;
  prompt.text = "系统安装完成";
  prompt.max_new_tokens = 12;
  const Result<FreeAnswer> whole = open.pipeline->prompt(prompt);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_LE(whole->completion_tokens, 12);
  ASSERT_GT(whole->text.size(), 6U);
  prompt.stop = {whole->text.substr(whole->text.size() / 2)};
  const Result<FreeAnswer> cut = open.pipeline->prompt(prompt);
  ASSERT_TRUE(cut.ok());
  EXPECT_TRUE(cut->stopped);
  EXPECT_TRUE(whole->text.starts_with(cut->text));
  EXPECT_EQ(cut->text.find(prompt.stop.front()), std::string::npos);
}

TEST(Prompt, AWrittenGenTokenCountsOnce) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  FreePrompt plain;
  plain.text = "输入: 好\n输出: ";
  plain.max_new_tokens = 4;
  FreePrompt written = plain;
  written.text += "[GEN]";
  EXPECT_EQ(open.pipeline->prompt(plain)->text, open.pipeline->prompt(written)->text);
}

TEST(Fingerprint, TellsModelsAndArithmeticApartAndIsStable) {
  const TestPipeline a = open_test_pipeline(golden_model("bloom-tiny"));
  const TestPipeline again = open_test_pipeline(golden_model("bloom-tiny"), 2);
  const TestPipeline bf16 = open_test_pipeline(golden_model("bloom-tiny"), 1, ComputeType::kBf16);
  const TestPipeline other = open_test_pipeline(golden_model("bloom-odd"));
  EXPECT_EQ(a.pipeline->fingerprint(), again.pipeline->fingerprint());
  EXPECT_NE(a.pipeline->fingerprint(), bf16.pipeline->fingerprint());
  EXPECT_NE(a.pipeline->fingerprint(), other.pipeline->fingerprint());
  EXPECT_EQ(a.pipeline->fingerprint().size(), 16U);
}

}  // namespace
}  // namespace seqgpt
