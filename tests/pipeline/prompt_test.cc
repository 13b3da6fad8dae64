// SPDX-License-Identifier: Apache-2.0
// Free prompts: lengths, stop strings, and what a fingerprint tells apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include "base/load_watch.h"
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

TEST(Prompt, CopyOnlyGivesAPartOfTheText) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  FreePrompt prompt;
  prompt.copy_only = true;
  prompt.task_word = "抽取";
  prompt.labels = {{"姓名", {}, {}}};
  for (const char* text : {"王伟任CTO", "😀\n电话：138 0013", "x", "[GEN]</s>"}) {
    prompt.text = text;
    const Result<FreeAnswer> answer = open.pipeline->prompt(prompt);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    ASSERT_TRUE(answer->span.has_value());
    EXPECT_EQ(answer->text,
              prompt.text.substr(answer->span->begin, answer->span->end - answer->span->begin));
    EXPECT_FALSE(answer->text.empty());
  }
}

TEST(Prompt, OneOfGivesTheMostProbableAnswer) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  FreePrompt prompt;
  prompt.text = "输入: 好\n分类: 正面，负面\n输出: ";
  prompt.one_of = {"正面", "负面", "正面偏多"};
  const Result<FreeAnswer> answer = open.pipeline->prompt(prompt);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(std::ranges::count(prompt.one_of, answer->text), 1);
  std::ranges::reverse(prompt.one_of);
  EXPECT_EQ(open.pipeline->prompt(prompt)->text, answer->text);
  prompt.one_of = {"正面", "正面"};
  EXPECT_EQ(open.pipeline->prompt(prompt).error().param, "one_of");
}

TEST(Prompt, ChoicesAndTemplatesRefuseWhatTheyCannotDo) {
  TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  const auto param = [&](const FreePrompt& prompt) {
    const Result<FreeAnswer> answer = open.pipeline->prompt(prompt);
    return answer.ok() ? std::string("(no error)") : answer.error().param;
  };
  FreePrompt prompt;
  prompt.text = "王伟";
  prompt.copy_only = true;
  prompt.beams = 2;
  EXPECT_EQ(param(prompt), "copy_only");
  prompt.beams = 1;
  prompt.one_of = {"a"};
  EXPECT_EQ(param(prompt), "copy_only");
  prompt.copy_only = false;
  prompt.stop = {"b"};
  EXPECT_EQ(param(prompt), "one_of");
  prompt = {};
  prompt.text = "王伟";
  prompt.labels = {{"姓名", {}, {}}};
  EXPECT_EQ(param(prompt), "labels");
  prompt.task_word = "输出: ";
  EXPECT_NE(param(prompt), "(no error)");
}

/// Whoever waits for a model sees it come: no more than each weight file twice, and most of that.
TEST(LoadWatch, CountsWhatIsPackedAndHashed) {
  std::atomic<uint64_t> bytes{0};
  {
    const LoadWatch watch(bytes);
    const TestPipeline open = open_test_pipeline(bundled_model());
  }
  uint64_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(bundled_model()))
    files += entry.path().extension() == ".safetensors" ? entry.file_size() : 0;
  EXPECT_GT(bytes, files);
  EXPECT_LE(bytes, 2 * files + (1 << 24)) << "tokenizer.json and the rest are hashed too";
  const uint64_t before = bytes;
  const TestPipeline unwatched = open_test_pipeline(golden_model("bloom-tiny"));
  EXPECT_EQ(bytes, before);
}

TEST(Fingerprint, TellsModelsAndArithmeticApartAndIsStable) {
  const TestPipeline a = open_test_pipeline(golden_model("bloom-tiny"));
  const TestPipeline again = open_test_pipeline(golden_model("bloom-tiny"), 2);
  const TestPipeline bf16 = open_test_pipeline(golden_model("bloom-tiny"), 1, ComputeType::kBf16);
  const TestPipeline other = open_test_pipeline(golden_model("bloom-odd"));
  const auto with_kv = [](std::optional<DType> kv, std::optional<DType> long_kv) {
    return open_test_pipeline(golden_model("bloom-tiny"), 1, ComputeType::kF32, {}, {}, kv, long_kv)
        .pipeline->fingerprint();
  };
  const std::set<std::string> by_kv = {a.pipeline->fingerprint(), with_kv(DType::kBf16, {}),
                                       with_kv(DType::kI8, {}), with_kv(DType::kI4, {}),
                                       with_kv({}, DType::kI8)};
  EXPECT_EQ(by_kv.size(), 5U);
  EXPECT_EQ(with_kv(DType::kF32, {}), a.pipeline->fingerprint());
  EXPECT_EQ(a.pipeline->fingerprint(), again.pipeline->fingerprint());
  EXPECT_NE(a.pipeline->fingerprint(), bf16.pipeline->fingerprint());
  EXPECT_NE(a.pipeline->fingerprint(), other.pipeline->fingerprint());
  EXPECT_EQ(a.pipeline->fingerprint().size(), 16U);
}

}  // namespace
}  // namespace seqgpt
