// SPDX-License-Identifier: Apache-2.0
// Promise 2 at the pipeline: an extraction's values, places and confidences have the same bits
// whatever runs beside it, on how many threads, in what chunks, cached or not, drafted or not.
#include <gtest/gtest.h>

#include <compare>
#include <map>
#include <optional>

#include "business_texts.h"
#include "fixture.h"
#include "same_answer.h"

namespace seqgpt {
namespace {

std::vector<Task> tasks(size_t count) {
  std::vector<Task> all;
  for (size_t i = 0; i < count; ++i) {
    const AskedText& asked = business_texts()[i % business_texts().size()];
    all.push_back(extraction(asked.text, asked.labels));
  }
  return all;
}

struct Types {
  DType weights;
  std::optional<DType> kv = {};
  std::optional<DType> long_kv = {};
  auto operator<=>(const Types&) const = default;
};

TestPipeline open_with(const Types& types, int threads, EngineOptions options) {
  options.long_prompt_tokens = 64;  // about half of the prompts
  return open_test_pipeline(bundled_model(), threads, ComputeType::kBf16, options, types.weights,
                            types.kv, types.long_kv);
}

/// One at a time, one thread, prompts whole, nothing cached, nothing drafted.
const std::vector<Answer>& expected_answers(const Types& types) {
  static std::map<Types, std::vector<Answer>> all;
  std::vector<Answer>& answers = all[types];
  if (!answers.empty()) return answers;
  const TestPipeline open = open_with(types, 1, {.prefix_cache_bytes = 0, .draft_tokens = 0});
  for (const Task& task : tasks(32)) answers.push_back(open.pipeline->run(task).value());
  return answers;
}

struct Setting {
  Types types;
  int threads;
  bool cached;
};

class Matrix : public ::testing::TestWithParam<Setting> {};

TEST_P(Matrix, OfBatchThreadsChunksCacheAndDraftsChangesNoBit) {
  const auto& [types, threads, cached] = GetParam();
  const std::vector<Answer>& expected = expected_answers(types);
  for (const int chunk : {16, 64, 1 << 20}) {
    for (const int drafts : {0, 8}) {
      EngineOptions options{.chunk_tokens = chunk, .draft_tokens = drafts};
      if (!cached) options.prefix_cache_bytes = 0;
      const TestPipeline open = open_with(types, threads, options);
      for (const size_t batch : {1, 7, 32}) {
        SCOPED_TRACE("chunk " + std::to_string(chunk) + ", drafts " + std::to_string(drafts) +
                     ", batch " + std::to_string(batch));
        const auto answers = open.pipeline->run_all(tasks(batch));
        for (size_t i = 0; i < batch; ++i) {
          ASSERT_TRUE(answers[i].ok()) << answers[i].error().message;
          expect_same_answer(*answers[i], expected[i]);
        }
      }
      const EngineCounters& counters = open.pipeline->engine().counters();
      EXPECT_EQ(counters.prefix_hits > 0, cached);
      EXPECT_EQ(counters.accepted_tokens > 0, drafts > 0);
      EXPECT_EQ(counters.full_rows, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Matrix,
    ::testing::Values(Setting{{DType::kBf16}, 1, true}, Setting{{DType::kBf16}, 1, false},
                      Setting{{DType::kBf16}, 2, true}, Setting{{DType::kBf16}, 2, false},
                      Setting{{DType::kI8}, 1, true}, Setting{{DType::kI8}, 1, false},
                      Setting{{DType::kI8}, 2, true}, Setting{{DType::kI8}, 2, false},
                      Setting{{DType::kBf16, DType::kI8}, 2, true},
                      Setting{{DType::kI8, DType::kI8}, 1, false},
                      Setting{{DType::kBf16, DType::kI4}, 2, true},
                      Setting{{DType::kBf16, DType::kI4}, 1, false},
                      Setting{{DType::kBf16, {}, DType::kI8}, 2, true}),
    [](const auto& info) {
      const Types& types = info.param.types;
      return std::string(dtype_name(types.weights)) +
             (types.kv ? "_kv_" + std::string(dtype_name(*types.kv)) : "") +
             (types.long_kv ? "_kv_auto" : "") + "_threads" + std::to_string(info.param.threads) +
             (info.param.cached ? "_cached" : "_uncached");
    });

}  // namespace
}  // namespace seqgpt
