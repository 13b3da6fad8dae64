// SPDX-License-Identifier: Apache-2.0
// Extraction with beams: spans as ever, one beam as greedy, nothing that runs beside it matters,
// and scores no worse than greedy's.
#include <gtest/gtest.h>

#include "business_texts.h"
#include "constrain/extraction.h"
#include "constrain/span_index.h"
#include "fixture.h"
#include "pipeline/answerer.h"
#include "same_answer.h"

namespace seqgpt {
namespace {

Task beamed(const AskedText& asked, int beams) {
  Task task = extraction(asked.text, asked.labels);
  task.options.beams = beams;
  return task;
}

std::vector<AskedText> some_texts(size_t count) {
  const auto& all = business_texts();
  return {all.begin(), all.begin() + static_cast<ptrdiff_t>(std::min(count, all.size()))};
}

std::vector<Answer> answers_of(const TestPipeline& open, int beams, size_t texts = 6) {
  std::vector<Answer> answers;
  for (const AskedText& asked : some_texts(texts)) {
    auto answer = open.pipeline->run(beamed(asked, beams));
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    if (answer.ok()) answers.push_back(std::move(answer).value());
  }
  return answers;
}

void expect_same_answers(const std::vector<Answer>& got, const std::vector<Answer>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(business_texts()[i].text);
    expect_same_answer(got[i], expected[i]);
  }
}

/// What the engine makes of one text's question, by the constraint's own record.
struct Asked {
  std::shared_ptr<const ExtractionConstraint> constraint;
  GenerateRequest request;

  Asked(Pipeline& pipeline, const AskedText& asked, int beams)
      : constraint(ExtractionConstraint::build(
                       std::make_shared<const SpanIndex>(SpanIndex::build(asked.text).value()),
                       pipeline.vocabulary().value(), pipeline.tokenizer(), asked.labels)
                       .value()) {
    request.prompt =
        pipeline.encode_prompt(render_prompt(TaskKind::kExtract, asked.text, asked.labels));
    request.beams = beams;
    request.constraint = constraint;
  }
};

TEST(BeamedExtraction, EveryValueIsAPartOfTheTextWhateverTheWeights) {
  for (const std::string& model : {golden_model("bloom-tiny"), bundled_model()}) {
    const TestPipeline open = open_test_pipeline(model);
    size_t values = 0;
    for (const AskedText& text : some_texts(6)) {
      const Asked asked(*open.pipeline, text, 5);
      const auto got = open.pipeline->engine().generate(asked.request);
      ASSERT_TRUE(got.ok()) << got.error().message;
      for (const ExtractedValue& value : asked.constraint->values(got->final_state)) {
        ++values;
        ASSERT_LT(value.source.begin, value.source.end);
        ASSERT_LE(value.source.end, text.text.size());
        std::string source =
            text.text.substr(value.source.begin, value.source.end - value.source.begin);
        std::erase(source, '\n');
        EXPECT_EQ(source, value.bytes);
      }
    }
    EXPECT_GT(values, 5U) << model;
  }
}

TEST(BeamedExtraction, OneBeamIsPlainGreedy) {
  const TestPipeline open = open_test_pipeline(bundled_model());
  std::vector<Answer> plain;
  for (const AskedText& asked : some_texts(6))
    plain.push_back(open.pipeline->run(extraction(asked.text, asked.labels)).value());
  expect_same_answers(answers_of(open, 1), plain);
}

TEST(BeamedExtraction, DependsOnNothingBesideIt) {
  const TestPipeline open = open_test_pipeline(bundled_model());
  const std::vector<Answer> alone = answers_of(open, 4);
  expect_same_answers(answers_of(open_test_pipeline(bundled_model(), 2), 4), alone);
  const EngineOptions small{.chunk_tokens = 7, .prefix_cache_bytes = 0, .draft_tokens = 0};
  expect_same_answers(
      answers_of(open_test_pipeline(bundled_model(), 1, ComputeType::kF32, small), 4), alone);
  std::vector<Task> together;
  for (const AskedText& asked : some_texts(6)) together.push_back(beamed(asked, 4));
  std::vector<Answer> shared;
  for (auto& answer : open.pipeline->run_all(together)) shared.push_back(std::move(answer).value());
  expect_same_answers(shared, alone);
}

/// By the search's own measure: the sum of log-probabilities over the tokens. A search may prune
/// greedy's answer (engine/constrained_beam_test.cc); on these texts it does not.
TEST(BeamedExtraction, ScoresNoWorseThanGreedy) {
  const TestPipeline open = open_test_pipeline(bundled_model());
  bool better = false;
  for (const AskedText& text : some_texts(40)) {
    SCOPED_TRACE(text.text);
    const auto greedy = open.pipeline->engine().generate(Asked(*open.pipeline, text, 1).request);
    const auto beams = open.pipeline->engine().generate(Asked(*open.pipeline, text, 4).request);
    ASSERT_TRUE(greedy.ok() && beams.ok());
    EXPECT_GE(beams->sequences[0].score, greedy->sequences[0].score - 1e-6);
    better = better || beams->sequences[0].score > greedy->sequences[0].score + 1e-6;
  }
  EXPECT_TRUE(better) << "the search finds nothing that greedy does not";
}

TEST(BeamedExtraction, ComputesNoWholeVocabularyAndGivesItsBlocksBack) {
  const TestPipeline open = open_test_pipeline(bundled_model());
  for (const Answer& answer : answers_of(open, 4)) {
    for (const Entity& entity : answer.entities) {
      EXPECT_GT(entity.confidence, 0);
      EXPECT_LT(entity.confidence, 1);
      EXPECT_LE(entity.evidence.first + entity.evidence.inner + entity.evidence.stop, 0);
    }
  }
  const EngineCounters& counters = open.pipeline->engine().counters();
  EXPECT_EQ(counters.full_rows, 0U);
  EXPECT_EQ(counters.kv_blocks_used, 0);
}

TEST(BeamedExtraction, GivesItsBlocksBackWhenCalledOff) {
  const TestPipeline open = open_test_pipeline(bundled_model());
  const auto answerer = make_answerer(*open.pipeline);
  const Ticket ticket = answerer->submit(beamed(business_texts()[1], 8));
  const EngineCounters& counters = open.pipeline->engine().counters();
  for (int i = 0; i < 4; ++i) answerer->work();
  ASSERT_GT(counters.running, 1);
  EXPECT_FALSE(answerer->decided(ticket).has_value());  // nothing is sure before the end
  answerer->cancel(ticket);
  EXPECT_EQ(counters.kv_blocks_used, 0);
  EXPECT_EQ(counters.running, 0);
}

TEST(BeamedExtraction, RefusesTooManyAndTaggers) {
  const TestPipeline open = open_test_pipeline(golden_model("bloom-tiny"));
  for (const int beams : {0, -1, 17}) {
    const auto answer = open.pipeline->run(beamed(business_texts()[0], beams));
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().param, "beams");
  }
  EXPECT_TRUE(open.pipeline->run(beamed(business_texts()[0], 16)).ok());
  const TestPipeline tagger = open_test_pipeline(golden_model("bloom-tokcls"));
  const auto tagged = tagger.pipeline->run(beamed(business_texts()[0], 2));
  ASSERT_FALSE(tagged.ok());
  EXPECT_EQ(tagged.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(tagged.error().param, "beams");
}

}  // namespace
}  // namespace seqgpt
