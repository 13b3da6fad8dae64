// SPDX-License-Identifier: Apache-2.0
// A pass of an extraction allocates nothing: engine, model, backend and the real constraint
// together.
#include "business_texts.h"
#include "constrain/extraction.h"
#include "fixture.h"
#include "support/count_allocations.h"

namespace seqgpt {
namespace {

using testing_support::allocations;
using testing_support::kCountsAllocations;

/// Allocations of the passes of one extraction but for the first, which admits it, and the last,
/// which hands it over.
std::vector<long> allocations_of_passes(Pipeline& pipeline, const AskedText& asked) {
  auto index = std::make_shared<const SpanIndex>(SpanIndex::build(asked.text).value());
  auto constraint = ExtractionConstraint::build(index, pipeline.vocabulary().value(),
                                                pipeline.tokenizer(), asked.labels)
                        .value();
  Engine& engine = pipeline.engine();
  const RequestId id =
      engine
          .submit(GenerateRequest{.prompt = pipeline.tokenizer().encode(asked.text),
                                  .max_new_tokens = 512,
                                  .constraint = constraint})
          .value();
  std::vector<long> counts;
  counts.reserve(1024);
  while (!engine.done(id)) {
    const long before = allocations;
    EXPECT_TRUE(engine.step());
    counts.push_back(allocations - before);
  }
  EXPECT_TRUE(engine.take_generation(id).ok());
  if (counts.size() < 2) return {};
  return {counts.begin() + 1, counts.end() - 1};
}

TEST(Allocations, NoneForAPassOfAnExtraction) {
  if (!kCountsAllocations) GTEST_SKIP();
  constexpr int kTexts = 4;
  for (const int draft_tokens : {0, 8}) {
    const TestPipeline open =
        open_test_pipeline(bundled_model(), 2, ComputeType::kF32,
                           {.prefix_cache_bytes = 0, .draft_tokens = draft_tokens});
    // The engine's memory for a row's outputs serves rows of any size and grows to the largest.
    for (int i = 0; i < 4 * kTexts; ++i)
      allocations_of_passes(*open.pipeline, business_texts()[i % kTexts]);
    size_t passes = 0;
    for (int i = 0; i < kTexts; ++i) {
      SCOPED_TRACE(business_texts()[i].text);
      for (const long count : allocations_of_passes(*open.pipeline, business_texts()[i])) {
        EXPECT_EQ(count, 0);
        ++passes;
      }
    }
    EXPECT_GT(passes, 12U);
  }
}

}  // namespace
}  // namespace seqgpt
