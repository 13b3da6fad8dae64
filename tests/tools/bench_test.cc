// SPDX-License-Identifier: Apache-2.0
// bench: its requests cost the same whatever the weights, and its report has every part.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/engine.h"
#include "support/models.h"
#include "tools/bench_answer.h"
#include "tools/bench_request.h"
#include "tools/bench_time.h"
#include "tools/bench_tool.h"

namespace seqgpt::testing_support {
namespace {

using Json = nlohmann::json;
using Counters = EngineCounters;

/// An answer and what it took.
struct Answered {
  Generation answer;
  Counters counters;
};

Answered answer(Model& model, const BenchRequest& request) {
  const auto engine = Engine::create(model, {.kv_bytes = 1 << 22, .prefix_cache_bytes = 0});
  if (!engine.ok()) throw std::runtime_error(engine.error().message);
  auto generation = (*engine)->generate(request.generate());
  if (!generation.ok()) throw std::runtime_error(generation.error().message);
  return {std::move(generation).value(), (*engine)->counters()};
}

BenchRequest request_for(const Model& model, uint32_t text = 0) {
  return make_bench_request(model.config().vocabulary, text);
}

TEST(BenchAnswer, HasOneFormWhateverTheWeights) {
  const LoadedModel one = random_model(1);
  const LoadedModel other = random_model(2);
  const BenchRequest request = request_for(*one.model);
  const Answered a = answer(*one.model, request);
  const Answered b = answer(*other.model, request);
  ASSERT_EQ(a.answer.choices.size(), 40U);
  ASSERT_EQ(b.answer.choices.size(), 40U);
  EXPECT_EQ(a.answer.finish, Generation::Finish::kConstraint);
  EXPECT_NE(a.answer.sequences[0].tokens, b.answer.sequences[0].tokens);  // the models chose
  for (size_t i = 0; i < 40; ++i) {
    const TokenChoice& x = a.answer.choices[i];
    const TokenChoice& y = b.answer.choices[i];
    EXPECT_EQ(x.chosen, y.chosen) << i;
    EXPECT_EQ(x.candidates, y.candidates) << i;
    if (!x.chosen) {
      EXPECT_EQ(x.id, y.id) << i;
    }
  }
  EXPECT_EQ(a.counters.steps, 20U);
  EXPECT_EQ(a.counters.decoded_tokens, 20U);
  EXPECT_EQ(a.counters.forced_tokens, 20U);
  EXPECT_EQ(a.counters.logits_rows, b.counters.logits_rows);
  EXPECT_EQ(a.counters.full_rows, 0U);
}

TEST(BenchAnswer, ChoosesAmongTheTextsTokens) {
  const LoadedModel loaded = random_model();
  const BenchRequest request = request_for(*loaded.model);
  const auto in_prompt = [&](int32_t id) {
    return std::ranges::find(request.prompt, id) != request.prompt.end();
  };
  for (const TokenChoice& choice : answer(*loaded.model, request).answer.choices)
    EXPECT_TRUE(in_prompt(choice.id));
}

TEST(BenchAnswer, GuessesSavePassesAndChangeNothing) {
  for (const uint64_t seed : {1, 2}) {
    const LoadedModel loaded = random_model(seed);
    const BenchRequest request = request_for(*loaded.model);
    const Answered plain = answer(*loaded.model, request);
    const Answered guessed = answer(*loaded.model, with_usual_guesses(request, plain.answer));
    ASSERT_EQ(guessed.answer.choices.size(), plain.answer.choices.size());
    for (size_t i = 0; i < plain.answer.choices.size(); ++i) {
      EXPECT_EQ(guessed.answer.choices[i].id, plain.answer.choices[i].id);
      EXPECT_EQ(guessed.answer.choices[i].logprob, plain.answer.choices[i].logprob);
    }
    EXPECT_EQ(guessed.counters.steps, 7U);
    EXPECT_EQ(guessed.counters.drafted_tokens, 23U);
    EXPECT_EQ(guessed.counters.accepted_tokens, 13U);
  }
}

TEST(BenchAnswer, TextsDifferAndRepeat) {
  const BenchRequest first = make_bench_request(1000, 0);
  EXPECT_EQ(first.prompt, make_bench_request(1000, 0).prompt);
  EXPECT_NE(first.prompt, make_bench_request(1000, 1).prompt);
  EXPECT_EQ(first.prompt.size(), make_bench_request(1000, 1).prompt.size());
}

TEST(BenchTime, PercentileIsAMemberOfItsValues) {
  EXPECT_EQ(percentile({3}, 0.95), 3);
  EXPECT_EQ(median({4, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
  std::vector<double> hundred(100);
  for (size_t i = 0; i < hundred.size(); ++i) hundred[i] = static_cast<double>(i + 1);
  EXPECT_EQ(percentile(hundred, 0.95), 95);
}

BenchOptions quick(const std::string& model) {
  BenchOptions options;
  options.model = kGolden / "models" / model;
  options.weights.compute = ComputeType::kF32;
  options.repeats = 2;
  options.prefill_tokens = {16, 32};
  options.ceilings = Ceilings{100, 100, 10};  // the probe itself takes 2 GB
  return options;
}

Json report_of(const BenchOptions& options) {
  const auto backend = cpu();
  const auto report = run_bench(*backend, options);
  if (!report.ok()) throw std::runtime_error(report.error().message);
  EXPECT_FALSE(report->text.empty());
  return Json::parse(report->json);
}

TEST(Bench, ReportsEveryPartOfTheContract) {
  const Json report = report_of(quick("bloom-tiny"));
  for (const char* key :
       {"isa", "threads", "weights", "ceiling", "prefill", "decode", "decode_restricted", "request",
        "request_without_drafts", "throughput", "rss_mb", "load_s"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["kv"]["type"], "f32");
  EXPECT_GT(report["kv"]["bytes_per_token"], 0);
  EXPECT_EQ(report["decode"]["rows"], 1216);
  EXPECT_EQ(report["decode_restricted"]["rows"], 200);
  for (const char* key : {"request", "request_without_drafts"}) {
    const Json& request = report[key];
    EXPECT_EQ(request["prompt_tokens"], 230) << key;
    EXPECT_EQ(request["answer_tokens"], 40) << key;
    EXPECT_GT(request["median_ms"], 0) << key;
    EXPECT_GE(request["p95_ms"], request["median_ms"]) << key;
  }
  EXPECT_EQ(report["request"]["forward_passes"], 7);
  EXPECT_EQ(report["request"]["accepted_tokens"], 13);
  EXPECT_EQ(report["request"]["drafted_tokens"], 23);
  EXPECT_EQ(report["request_without_drafts"]["forward_passes"], 20);
  EXPECT_EQ(report["request_without_drafts"]["drafted_tokens"], 0);
  ASSERT_EQ(report["throughput"].size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const Json& throughput = report["throughput"][i];
    EXPECT_EQ(throughput["clients"], (std::vector<int>{1, 4, 24}[i]));
    EXPECT_GT(throughput["req_per_s"], 0);
    EXPECT_GT(throughput["p95_ms"], 0);
  }
}

TEST(Bench, AClassifierHasNoRequests) {
  const Json report = report_of(quick("bloom-seqcls"));
  EXPECT_TRUE(report.contains("decode"));
  EXPECT_FALSE(report.contains("request"));
  EXPECT_FALSE(report.contains("throughput"));
}

TEST(Bench, ClientsSendNothingMoreAfterTheTimeLimit) {
  const LoadedModel loaded = random_model();
  const auto figures =
      measure_requests(*loaded.model, {.repeats = 1, .clients = {3}, .most_seconds = 0});
  ASSERT_TRUE(figures.ok()) << figures.error().message;
  ASSERT_EQ(figures->throughput.size(), 1U);
  EXPECT_EQ(figures->throughput[0].clients, 3);
  EXPECT_EQ(figures->throughput[0].requests, 3);
}

}  // namespace
}  // namespace seqgpt::testing_support
