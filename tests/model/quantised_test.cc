// SPDX-License-Identifier: Apache-2.0
// What int8 and int4 weights, keys and values cost: the divergence of the next token's distribution
// from that of the same model with its weights in f32, and what damaged or unfit choices are told.
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

/// Mean over all positions of the prompts, of f32 with these weights and this KV cache.
double mean_divergence(const std::filesystem::path& directory, const std::vector<Ids>& prompts,
                       DType weights, DType kv = DType::kF32) {
  const auto load = [&](DType type, DType kv_type) {
    return load_model(directory, cpu(), ComputeType::kF32, type, kv_type);
  };
  const LoadedModel exact = load(DType::kF32, DType::kF32);
  const LoadedModel stored = load(weights, kv);
  double sum = 0;
  size_t count = 0;
  for (const Ids& ids : prompts) {
    const auto truth = outputs_of(*exact.model, ids);
    const auto other = outputs_of(*stored.model, ids);
    for (size_t i = 0; i < truth.size(); ++i, ++count) sum += divergence(truth[i], other[i]);
  }
  EXPECT_GT(count, 0U);
  const double mean = sum / static_cast<double>(count);
  std::printf("  %s weights %s, kv %s: %.2e nats over %zu positions\n",
              directory.filename().c_str(), std::string(dtype_name(weights)).c_str(),
              std::string(dtype_name(kv)).c_str(), mean, count);
  return mean;
}

/// Their weights are random, with nothing learnt to spare: the bounds are twice what was measured.
/// Divergence grows with the square of the error: int4 has 16 times the step of int8.
TEST(QuantisedModel, DivergesLittleOnGoldenModels) {
  for (const std::string name : {"bloom-tiny", "bloom-odd"}) {
    std::vector<Ids> prompts;
    const Json expected = expected_of(name);
    for (const Json& prompt : expected["prompts"]) prompts.push_back(prompt["ids"].get<Ids>());
    const auto directory = kGolden / "models" / name;
    const double int8 = mean_divergence(directory, prompts, DType::kI8);
    const double int4 = mean_divergence(directory, prompts, DType::kI4);
    EXPECT_LT(int8, 3e-3) << name;
    EXPECT_LT(int4, 0.4) << name;
    EXPECT_LT(int8, int4) << name;
  }
}

/// A contract, a contact and a complaint, as the bundled tokenizer encodes them.
const std::vector<Ids> kTexts = {
    {2956, 1147, 1417, 895,  21,   19,   21,   23,   2240, 22,   2940, 20,   24,   2845, 831,  828,
     3424, 897,  1698, 2808, 2674, 4263, 2566, 2941, 6019, 1147, 1417, 4365, 5291, 5798, 5444, 1425,
     1429, 6448, 1425, 1429, 5805, 6170, 859,  922,  3252, 2204, 20,   15,   21,   27,   19,   15,
     19,   19,   19,   1127, 2810, 6448, 909,  5438, 2951, 6019, 827,  1326, 1846, 769},
    {4647, 4436, 922,  3815, 973,  6448, 3826, 957,  2566, 2958, 2398, 4060, 6448, 5431, 5434,
     1333, 842,  1712, 1321, 4038, 6143, 4070, 2022, 2834, 831,  1569, 1431, 2944, 1275, 6448,
     3927, 5337, 20,   22,   27,   19,   19,   20,   22,   27,   19,   19,   19,   6448, 5721,
     4378, 90,   6549, 74,   6583, 35,   6806, 6653, 83,   6651, 17,   6528, 769},
    {2025, 2532, 1390, 2875, 2878, 1846, 829,  1330, 2787, 1238, 4038, 2371, 5656, 1839,
     1304, 5209, 4162, 2669, 6448, 5241, 3277, 1708, 827,  850,  2188, 1003, 2845, 1163,
     5187, 1391, 6448, 2241, 5645, 5624, 5621, 5454, 21,   27,   1127, 769}};

TEST(QuantisedModel, DivergesLittleOnTheBundledModel) {
  const auto directory = kGolden.parent_path().parent_path() / "models" / "seqgpt-mini";
  const double int8 = mean_divergence(directory, kTexts, DType::kI8);
  const double int4 = mean_divergence(directory, kTexts, DType::kI4);
  EXPECT_LT(int8, 3e-4);
  EXPECT_LT(int4, 4e-2);
  EXPECT_LT(int8, int4);
}

TEST(QuantisedKv, DivergesLittle) {
  const auto bundled = kGolden.parent_path().parent_path() / "models" / "seqgpt-mini";
  const double bf16 = mean_divergence(bundled, kTexts, DType::kF32, DType::kBf16);
  const double int8 = mean_divergence(bundled, kTexts, DType::kF32, DType::kI8);
  const double int4 = mean_divergence(bundled, kTexts, DType::kF32, DType::kI4);
  EXPECT_LT(bf16, 3e-5);
  EXPECT_LT(int8, 3e-4);
  EXPECT_LT(int4, 5e-2);
  EXPECT_LT(int8, int4);
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
