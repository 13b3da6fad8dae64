// SPDX-License-Identifier: Apache-2.0
// What int8 and int4 weights cost: the divergence of the next token's distribution from that of the
// same model with its weights in f32, and what damaged or unfit choices are told.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

std::vector<double> log_softmax(const std::vector<float>& logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  std::vector<double> logs(logits.size());
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = logits[i] - most - std::log(sum);
  return logs;
}

/// Nats lost by taking `other` for `truth`.
double divergence(const std::vector<float>& truth, const std::vector<float>& other) {
  const std::vector<double> p = log_softmax(truth);
  const std::vector<double> q = log_softmax(other);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += std::exp(p[i]) * (p[i] - q[i]);
  return sum;
}

/// Mean over all positions of the golden prompts.
double mean_divergence(const std::string& name, DType weights) {
  const LoadedModel exact = golden_model(name, "auto", ComputeType::kF32, 1, DType::kF32);
  const LoadedModel stored = golden_model(name, "auto", ComputeType::kF32, 1, weights);
  double sum = 0;
  size_t count = 0;
  for (const Json& prompt : expected_of(name)["prompts"]) {
    const Ids ids = prompt["ids"].get<Ids>();
    const auto truth = outputs_of(*exact.model, ids);
    const auto other = outputs_of(*stored.model, ids);
    for (size_t i = 0; i < truth.size(); ++i, ++count) sum += divergence(truth[i], other[i]);
  }
  const double mean = sum / static_cast<double>(count);
  ::testing::Test::RecordProperty(name + "_" + std::string(dtype_name(weights)),
                                  std::to_string(mean));
  std::printf("  %s %s: %.3g nats over %zu positions\n", name.c_str(),
              std::string(dtype_name(weights)).c_str(), mean, count);
  return mean;
}

TEST(QuantisedModel, DivergesLittle) {
  for (const std::string name : {"bloom-tiny", "bloom-odd"}) {
    const double int8 = mean_divergence(name, DType::kI8);
    const double int4 = mean_divergence(name, DType::kI4);
    EXPECT_LT(int8, 1e-3) << name;
    EXPECT_LT(int4, 5e-2) << name;
    EXPECT_LT(int8, int4) << name;
  }
}

TEST(QuantisedModel, TakesLessRoomAndKeepsTheEmbedding) {
  const LoadedModel bf16 = random_model(1, cpu(), small_config(), ComputeType::kBf16);
  for (const DType weights : {DType::kI8, DType::kI4}) {
    const auto backend = cpu();
    const auto model = Model::random(small_config(), *backend,
                                     {.weights = weights, .compute = ComputeType::kBf16}, 1);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ((*model)->options().weights, weights);
    EXPECT_EQ((*model)->weight_bytes() - (*model)->layer_bytes(),
              bf16.model->weight_bytes() - bf16.model->layer_bytes());
  }
}

TEST(QuantisedModel, DamagedWeightsNameTheirTensor) {
  const TempDirectory directory;
  const auto source = kGolden / "models" / "bloom-tiny";
  std::filesystem::copy(source / "config.json", directory.path());
  std::filesystem::copy(source / "model.safetensors", directory.path());
  const std::filesystem::path file = directory.path() / "model.safetensors";
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  uint64_t header_size = 0;
  bytes.read(reinterpret_cast<char*>(&header_size), sizeof header_size);
  std::string header(header_size, ' ');
  bytes.read(header.data(), static_cast<std::streamsize>(header_size));
  const Json tensors = Json::parse(header);
  std::string name = "h.1.mlp.dense_h_to_4h.weight";
  if (!tensors.contains(name)) name = "transformer." + name;
  const float damage = NAN;
  bytes.seekp(static_cast<std::streamoff>(8 + header_size +
                                          tensors[name]["data_offsets"][0].get<uint64_t>()));
  bytes.write(reinterpret_cast<const char*>(&damage), sizeof damage);
  bytes.close();
  const auto backend = cpu();
  for (const DType weights : {DType::kI8, DType::kI4}) {
    const auto model = Model::load(directory.path(), *backend, {.weights = weights, .compute = {}});
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::kNonFinite);
    EXPECT_NE(model.error().message.find("h.1.mlp.dense_h_to_4h.weight: row 0"), std::string::npos)
        << model.error().message;
  }
}

}  // namespace
}  // namespace seqgpt::testing_support
