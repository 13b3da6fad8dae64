// SPDX-License-Identifier: Apache-2.0
// The boundary head in an extraction: the spans that training would choose, and never anything but
// a part of the text's own line.
#include "pipeline/boundary_window.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/utf8.h"
#include "business_texts.h"
#include "fixture.h"
#include "same_answer.h"
#include "support/golden.h"

namespace seqgpt {
namespace {

namespace fs = std::filesystem;

/// A copy of bloom-tiny with the golden head beside its weights.
class WithHead : public ::testing::Test {
 protected:
  WithHead() {
    directory_ = fs::path(testing::TempDir()) / ("boundary_head_model_" + std::to_string(getpid()));
    fs::remove_all(directory_);
    fs::copy(golden_model("bloom-tiny"), directory_);
    fs::copy_file(testing_support::kGolden / "boundary_head" / kBoundaryHeadFile,
                  directory_ / kBoundaryHeadFile);
  }
  ~WithHead() override { fs::remove_all(directory_); }
  TestPipeline open(int threads = 1, EngineOptions engine = {}) const {
    return open_test_pipeline(directory_.string(), threads, ComputeType::kF32, engine);
  }

  fs::path directory_;
};

std::vector<std::string> texts_of(std::string_view text, const std::vector<ByteSpan>& spans) {
  std::vector<std::string> texts;
  for (const ByteSpan& span : spans)
    texts.emplace_back(text.substr(span.begin, span.end - span.begin));
  return texts;
}

TEST_F(WithHead, ChoosesTheSpanThatTrainingWould) {
  const TestPipeline with_head = open();
  Pipeline& pipeline = *with_head.pipeline;
  const auto cases =
      testing_support::read_json(testing_support::kGolden / "boundary_head" / "expected.json");
  for (const auto& one : cases["cases"]) {
    const auto value = one["value"].get<std::string>();
    SCOPED_TRACE(value);
    const Task task = extraction(one["text"].get<std::string>(), {one["label"].get<std::string>()});
    const size_t begin = task.text.find(value);
    const ByteSpan own{begin, begin + value.size()};
    EXPECT_EQ(EndPlaces(task.text).candidates(own).size(), one["spans"].get<size_t>());
    const auto window = BoundaryWindow::make(pipeline, task, {0, task.text.size()}, {{0, own}});
    ASSERT_TRUE(window->submit(pipeline.engine()).ok());
    while (!window->ready(pipeline.engine())) ASSERT_TRUE(pipeline.engine().step());
    ASSERT_TRUE(window->collect(pipeline.engine()).ok());
    const ByteSpan chosen = window->values().front().span;
    EXPECT_EQ(task.text.substr(chosen.begin, chosen.end - chosen.begin),
              one["best"].get<std::string>());
  }
}

TEST(EndPlacesOfAValue, AreOfItsOwnLineAndCutNoWord) {
  const std::string text = "甲方：Acme 公司\n乙方2022年";
  const size_t at = text.find("Acme");
  for (const std::string& moved :
       texts_of(text, EndPlaces(text).candidates({at, text.find("\n")}))) {
    EXPECT_EQ(moved.find('\n'), std::string::npos) << moved;
    EXPECT_FALSE(moved.starts_with("cme") || moved.starts_with("me")) << moved;
    EXPECT_FALSE(moved.starts_with("：")) << moved;
  }
  const size_t year = text.find("2022");
  for (const std::string& moved : texts_of(text, EndPlaces(text).candidates({year, text.size()})))
    EXPECT_TRUE(moved.find("2022") != std::string::npos) << moved;
  EXPECT_EQ(texts_of("X None", EndPlaces("X None").candidates({0, 6})),
            std::vector<std::string>({"X None"}));  // None alone means absent
}

/// Values differ from those by rule alone, and each is a stretch of the text that a value may be.
TEST_F(WithHead, MovesEndsOnlyToOtherSpansOfTheText) {
  const TestPipeline head = open();
  const TestPipeline rules = open_test_pipeline(golden_model("bloom-tiny"));
  EXPECT_NE(head.pipeline->fingerprint(), rules.pipeline->fingerprint());
  size_t moved = 0;
  for (const AskedText& asked : business_texts()) {
    SCOPED_TRACE(asked.text);
    const Answer got = head.pipeline->run(extraction(asked.text, asked.labels)).value();
    const Answer plain = rules.pipeline->run(extraction(asked.text, asked.labels)).value();
    std::set<std::pair<size_t, size_t>> by_rule;
    for (const Entity& entity : plain.entities)
      by_rule.insert({entity.span.begin, entity.span.end});
    for (const Entity& entity : got.entities) {
      ASSERT_LT(entity.span.begin, entity.span.end);
      ASSERT_LE(entity.span.end, asked.text.size());
      EXPECT_TRUE(utf8_boundary(asked.text, entity.span.begin));
      EXPECT_TRUE(utf8_boundary(asked.text, entity.span.end));
      moved += by_rule.contains({entity.span.begin, entity.span.end}) ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 0U);
  EXPECT_EQ(head.pipeline->engine().counters().kv_blocks_used, 0);
  EXPECT_EQ(head.pipeline->engine().counters().full_rows, 0U);
}

TEST_F(WithHead, DependsOnNothingBesideIt) {
  const TestPipeline one = open();
  std::vector<Task> tasks;
  for (const AskedText& asked : business_texts())
    tasks.push_back(extraction(asked.text, asked.labels));
  const TestPipeline other =
      open(2, {.chunk_tokens = 5, .prefix_cache_bytes = 0, .draft_tokens = 0});
  const auto together = other.pipeline->run_all(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) {
    SCOPED_TRACE(tasks[i].text);
    expect_same_answer(together[i].value(), one.pipeline->run(tasks[i]).value());
  }
}

TEST_F(WithHead, IsAskedOnlyWhereEndsAreToBeVerified) {
  const TestPipeline head = open();
  const TestPipeline rules = open_test_pipeline(golden_model("bloom-tiny"));
  Task task = extraction(business_texts()[0].text, business_texts()[0].labels);
  task.options.verify = false;
  expect_same_answer(head.pipeline->run(task).value(), rules.pipeline->run(task).value());
}

TEST_F(WithHead, ADamagedFileIsNoModel) {
  std::ofstream(directory_ / kBoundaryHeadFile, std::ios::binary) << "not a head";
  CpuOptions cpu;
  const auto backend = make_cpu_backend(cpu).value();
  PipelineOptions options;
  options.model = directory_;
  const auto loaded = Pipeline::load(*backend, options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kBadFile);
  EXPECT_NE(loaded.error().message.find(kBoundaryHeadFile), std::string::npos);
}

}  // namespace
}  // namespace seqgpt
