// SPDX-License-Identifier: Apache-2.0
// What tasks over one text share, counted in rows of the network; and that no task under a
// constraint computes an output over the whole vocabulary.
#include <gtest/gtest.h>

#include <numeric>

#include "business_texts.h"
#include "fixture.h"
#include "same_answer.h"
#include "support/poison_backend.h"

namespace seqgpt {
namespace {

/// The bundled model over a backend that counts the rows of each pass.
class Sharing : public ::testing::Test {
 protected:
  explicit Sharing(EngineOptions engine = {}) {
    auto backend =
        std::make_unique<testing_support::PoisonBackend>(make_cpu_backend({.threads = 2}).value());
    spy_ = backend.get();
    backend_ = std::move(backend);
    PipelineOptions options;
    options.model = bundled_model();
    options.weights.compute = ComputeType::kF32;
    options.engine = engine;
    options.engine.kv_bytes = size_t{64} << 20;
    pipeline_ = Pipeline::load(*backend_, options).value();
  }

  /// Rows that one task takes.
  size_t rows_of(const Task& task) {
    const size_t before = rows();
    EXPECT_TRUE(pipeline_->run(task).ok());
    return rows() - before;
  }
  size_t rows() const {
    const auto& steps = spy_->rows_of_steps();
    return std::accumulate(steps.begin(), steps.end(), size_t{0});
  }
  /// Some of the texts in one, of at least so many tokens.
  std::string text_of(size_t tokens) const {
    std::string text;
    for (const AskedText& one : business_texts()) {
      if (pipeline_->tokenizer().encode(text).size() >= tokens) break;
      text += one.text;
    }
    return text;
  }

  std::unique_ptr<Backend> backend_;
  testing_support::PoisonBackend* spy_ = nullptr;
  std::unique_ptr<Pipeline> pipeline_;
};

struct Unshared : Sharing {
  Unshared() : Sharing({.prefix_cache_bytes = 0}) {}
};

TEST_F(Sharing, TheSecondQuestionCostsLittle) {
  const std::string text = text_of(480);
  const size_t first = rows_of(extraction(text, {"姓名", "公司"}));
  const size_t second = rows_of(extraction(text, {"职位"}));
  EXPECT_GT(first, 480U);
  EXPECT_LT(static_cast<double>(second), 0.15 * static_cast<double>(first));
  RecordProperty("rows_of_the_first", std::to_string(first));
  RecordProperty("rows_of_the_second", std::to_string(second));
}

/// Whether one has asked something is nothing that another's waiting may tell.
TEST_F(Sharing, AnotherOwnersQuestionCostsAllOfIt) {
  Task task = extraction(text_of(300), {"姓名", "公司"});
  FreePrompt prompt;
  prompt.text = text_of(200);
  prompt.max_new_tokens = 2;
  const auto rows_for = [&](const std::string& owner) {
    task.owner = prompt.owner = owner;
    const size_t of_task = rows_of(task);
    const size_t before = rows();
    EXPECT_TRUE(pipeline_->prompt(prompt).ok());
    return std::pair(of_task, rows() - before);
  };
  const auto first = rows_for("one");
  EXPECT_EQ(rows_for("two"), first);
  EXPECT_EQ(rows_for(""), first);
  const auto again = rows_for("one");
  EXPECT_LT(again.first * 2, first.first);
  EXPECT_LT(again.second * 2, first.second);
}

TEST_F(Sharing, TheGroupsOfOneRequestReadTheTextOnce) {
  std::vector<std::string> labels;
  for (const AskedText& one : business_texts()) {
    for (const std::string& label : one.labels) {
      if (labels.size() < 18 && !std::ranges::count(labels, label)) labels.push_back(label);
    }
  }
  const std::string text = text_of(300);  // one window, three groups of six labels
  ASSERT_TRUE(pipeline_->run(extraction(text, labels)).ok());
  const size_t tokens = pipeline_->tokenizer().encode(text).size();
  EXPECT_LT(pipeline_->engine().counters().prompt_tokens, tokens + 150);
}

TEST_F(Sharing, ClassificationTakesThreePassesOfTheTextAndItsLists) {
  const Task task = classification(text_of(300), {"财经", "科技", "体育", "娱乐", "法律"});
  ASSERT_TRUE(pipeline_->run(task).ok());
  const EngineCounters& counters = pipeline_->engine().counters();
  const size_t tokens = pipeline_->tokenizer().encode(task.text).size();
  EXPECT_LE(counters.steps, 4U);
  EXPECT_LT(counters.prompt_tokens, tokens + 100);  // both orders of the list
  EXPECT_EQ(counters.full_rows, 0U);
}

TEST_F(Unshared, ClassificationTakesTwoPassesAtMost) {
  const Task task = classification(business_texts()[4].text, {"财经", "科技", "体育"});
  ASSERT_TRUE(pipeline_->run(task).ok());
  EXPECT_LE(pipeline_->engine().counters().steps, 2U);
}

TEST_F(Sharing, NoWholeVocabularyIsComputedUnderAConstraint) {
  for (const AskedText& one : business_texts()) {
    ASSERT_TRUE(pipeline_->run(extraction(one.text, one.labels)).ok());
    ASSERT_TRUE(pipeline_->run(classification(one.text, {"财经", "科技", "体育"})).ok());
  }
  const EngineCounters& counters = pipeline_->engine().counters();
  EXPECT_EQ(counters.full_rows, 0U);
  EXPECT_GT(counters.logits_rows, 0U);
  RecordProperty("vocabulary_rows", std::to_string(counters.logits_rows));
  FreePrompt free;
  free.text = "你好";
  free.max_new_tokens = 2;
  ASSERT_TRUE(pipeline_->prompt(free).ok());
  EXPECT_GT(counters.full_rows, 0U);  // the counter counts
}

}  // namespace
}  // namespace seqgpt
