// SPDX-License-Identifier: Apache-2.0
// Promise 2 at the model: the same bits alone and among others, in chunks and whole, on one thread
// or two.
#include <gtest/gtest.h>

#include <cstring>

#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Case {
  std::string isa;
  ComputeType compute;
  std::optional<DType> weights;
  std::optional<DType> kv = {};
};

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const std::string& isa : supported_isa_names()) {
    for (const ComputeType compute : {ComputeType::kF32, ComputeType::kBf16}) {
      all.push_back({isa, compute, {}});
      all.push_back({isa, compute, DType::kI8});
      all.push_back({isa, compute, DType::kI4});
    }
    for (const DType kv : {DType::kI8, DType::kI4})
      all.push_back({isa, ComputeType::kBf16, {}, kv});
  }
  return all;
}

class Invariance : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kPrompts = 32;

  /// Lengths on, before and after block borders among them.
  static std::vector<Ids> prompts() {
    std::mt19937 random(7);
    std::vector<Ids> all;
    for (size_t i = 0; i < kPrompts; ++i) {
      const size_t length = i < 4 ? 31 + i : 1 + random() % 90;
      all.push_back(random_ids(random, length, 1216));
    }
    return all;
  }

  static AllOutputs run(int threads, const std::vector<Ids>& prompts, int chunk) {
    const auto loaded = golden_model("bloom-odd", GetParam().isa, GetParam().compute, threads,
                                     GetParam().weights, GetParam().kv);
    auto outputs = run_steps(*loaded.model, prompts, chunk);
    if (!outputs.ok()) throw std::runtime_error(outputs.error().message);
    return std::move(outputs).value();
  }

  static void expect_same(const AllOutputs& got, const AllOutputs& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].size(), expected[i].size());
      for (size_t t = 0; t < got[i].size(); ++t) {
        ASSERT_TRUE(same_bits(got[i][t], expected[i][t])) << "prompt " << i << " position " << t;
      }
    }
  }
};

TEST_P(Invariance, OfBatchThreadsAndChunks) {
  const std::vector<Ids> all = prompts();
  AllOutputs alone;
  for (const Ids& prompt : all) alone.push_back(run(1, {prompt}, 512).front());
  for (const int threads : {1, 2}) {
    for (const int chunk : {1, 7, 16, 64, 512}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, chunks of " + std::to_string(chunk));
      expect_same(run(threads, all, chunk), alone);
    }
  }
}

TEST_P(Invariance, OfTheRowsAskedFor) {
  const auto loaded = golden_model("bloom-odd", GetParam().isa, GetParam().compute, 1,
                                   GetParam().weights, GetParam().kv);
  const Ids prompt = prompts()[2];
  const auto full = outputs_of(*loaded.model, prompt).back();
  auto kv = loaded.model->backend().allocate_kv(loaded.model->kv_shape(), 2);
  ASSERT_TRUE(kv.ok());
  (*kv)->clear(0);
  (*kv)->clear(1);
  const std::vector<int32_t> table = {1, 0};
  Step step;
  step.tokens = prompt;
  step.slices.push_back({0, static_cast<int>(prompt.size()), 0, table, kv->get()});
  const int last = static_cast<int>(prompt.size()) - 1;
  const Ids one = {5};
  const Ids some = {1215, 0, 5, 77};
  step.outputs = {{last, one, {}}, {last, some, {}}, {last, {}, {}}};
  ASSERT_TRUE(loaded.model->forward(step).ok());
  EXPECT_TRUE(same_bits(step.outputs[0].values, {full[5]}));
  EXPECT_TRUE(same_bits(step.outputs[1].values, {full[1215], full[0], full[5], full[77]}));
  EXPECT_TRUE(same_bits(step.outputs[2].values, full));
}

INSTANTIATE_TEST_SUITE_P(All, Invariance, ::testing::ValuesIn(all_cases()), [](const auto& info) {
  const std::string compute = info.param.compute == ComputeType::kF32 ? "_f32" : "_bf16";
  if (info.param.kv)
    return info.param.isa + compute + "_kv_" + std::string(dtype_name(*info.param.kv));
  if (!info.param.weights) return info.param.isa + compute;
  return info.param.isa + compute + "_" + std::string(dtype_name(*info.param.weights));
});

}  // namespace
}  // namespace seqgpt::testing_support
