// SPDX-License-Identifier: Apache-2.0
// config.json: names old and new, limits, heads; the ALiBi slopes; what a Model says about itself.
#include "model/config.h"

#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

Json bloom() {
  return {{"model_type", "bloom"}, {"architectures", {"BloomForCausalLM"}},
          {"hidden_size", 64},     {"n_head", 8},
          {"n_layer", 2},          {"vocab_size", 100}};
}

Result<ModelConfig> parse(const Json& json) {
  return parse_config(json.dump(), "config.json");
}

TEST(Config, TakesOldNames) {
  const auto config = parse({{"model_type", "bloom"},
                             {"n_embed", 96},
                             {"num_attention_heads", 6},
                             {"num_hidden_layers", 3},
                             {"vocab_size", 77}});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->hidden, 96);
  EXPECT_EQ(config->heads, 6);
  EXPECT_EQ(config->layers, 3);
  EXPECT_EQ(config->vocabulary, 77);
  EXPECT_EQ(config->head_size(), 16);
  EXPECT_FLOAT_EQ(config->layer_norm_epsilon, 1e-5F);
}

TEST(Config, RefusesWhatIsBeyondTheLimits) {
  const std::vector<std::pair<std::string, int64_t>> wrong = {
      {"n_layer", 0},       {"n_layer", 1001},
      {"n_head", 0},        {"n_head", 1025},
      {"n_head", 7},        {"hidden_size", 131072},
      {"vocab_size", 0},    {"vocab_size", 10000001},
      {"hidden_size", -64}, {"n_layer", int64_t{1} << 40}};
  for (const auto& [name, value] : wrong) {
    Json json = bloom();
    json[name] = value;
    const auto config = parse(json);
    EXPECT_FALSE(config.ok()) << name << " = " << value;
  }
  EXPECT_TRUE(parse(bloom()).ok());
}

TEST(Config, SlopesOfPowersOfTwoAreHalvings) {
  const auto slopes = alibi_slopes(8);
  ASSERT_EQ(slopes.size(), 8U);
  for (int head = 0; head < 8; ++head) EXPECT_FLOAT_EQ(slopes[head], std::exp2(-(head + 1.0F)));
  const auto sixteen = alibi_slopes(16);
  for (int head = 0; head < 16; ++head) {
    const float exact = std::exp2(-(head + 1.0F) / 2);
    EXPECT_NEAR(sixteen[head] / exact, 1, 1e-6) << "HF takes powers of a base rounded to f32";
  }
}

TEST(Config, SlopesOfOtherCountsFillUpFromTheFinerRow) {
  const auto slopes = alibi_slopes(6);
  const std::vector<float> expected = {0.25F, 0.0625F, 0.015625F, 0.00390625F, 0.5F, 0.125F};
  ASSERT_EQ(slopes.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(slopes[i], expected[i]);
}

TEST(ModelFacts, AreThoseOfTheCheckpoint) {
  const LoadedModel loaded = golden_model("bloom-tiny");
  EXPECT_EQ(loaded.model->output_width(), 1216);
  EXPECT_EQ(loaded.model->kv_shape().layers, 2);
  EXPECT_EQ(loaded.model->kv_shape().heads * loaded.model->kv_shape().head_size, 64);
  EXPECT_EQ(loaded.model->options().weights, DType::kF32);
  EXPECT_GE(loaded.model->weight_bytes(), loaded.model->layer_bytes() + 1216U * 64 * 4);
  EXPECT_EQ(golden_model("bloom-tiny-bf16").model->options().weights, DType::kBf16);
  EXPECT_EQ(golden_model("bloom-seqcls").model->output_width(), 4);
}

TEST(ModelFacts, OptionsThatCannotBeAreRefused) {
  const auto backend = cpu();
  const auto directory = kGolden / "models" / "bloom-tiny";
  const auto model =
      Model::load(directory, *backend, {.weights = DType::kF32, .compute = ComputeType::kBf16});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().param, "weights");
  EXPECT_EQ(Model::load(directory / "nowhere", *backend, {}).error().code, ErrorCode::kNotFound);
}

TEST(ModelFacts, IdsOutsideTheVocabularyAreRefused) {
  const LoadedModel loaded = random_model();
  for (const int32_t id : {-1, 150, INT32_MAX, INT32_MIN}) {
    const auto outputs = run_steps(*loaded.model, {{1, id}}, 512);
    ASSERT_FALSE(outputs.ok()) << id;
    EXPECT_EQ(outputs.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ModelFacts, RandomWeightsFollowTheSeed) {
  const Ids prompt = {1, 2, 3};
  const auto first = outputs_of(*random_model(5).model, prompt);
  EXPECT_EQ(first, outputs_of(*random_model(5).model, prompt));
  EXPECT_NE(first, outputs_of(*random_model(6).model, prompt));
}

}  // namespace
}  // namespace seqgpt::testing_support
