// SPDX-License-Identifier: Apache-2.0
// parse_config: every key, its default, its limits, and the key's name in every error.
#include "model/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace seqgpt {
namespace {

using nlohmann::json;

json good() {
  return {{"model_type", "bloom"},
          {"n_layer", 2},
          {"n_head", 8},
          {"hidden_size", 64},
          {"vocab_size", 1216}};
}

Result<ModelConfig> parse(const json& config) {
  return parse_config(config.dump(), "config.json");
}

Result<ModelConfig> parse_with(const std::string& key, const json& value) {
  json config = good();
  config[key] = value;
  return parse(config);
}

TEST(Config, Defaults) {
  const auto config = parse(good());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->layers, 2);
  EXPECT_EQ(config->heads, 8);
  EXPECT_EQ(config->hidden, 64);
  EXPECT_EQ(config->vocabulary, 1216);
  EXPECT_EQ(config->head_size(), 8);
  EXPECT_EQ(config->ffn(), 256);
  EXPECT_EQ(config->layer_norm_epsilon, 1e-5F);
  EXPECT_FALSE(config->residual_after_norm);
  EXPECT_TRUE(config->tied_embedding);
  EXPECT_EQ(config->eos_id, 2);
  EXPECT_EQ(config->pad_id, 3);
  EXPECT_EQ(config->head, Head::kCausalLm);
  EXPECT_TRUE(config->class_names.empty());
}

TEST(Config, ReadsEveryKey) {
  json text = good();
  text.update({{"layer_norm_epsilon", 0.25},
               {"apply_residual_connection_post_layernorm", true},
               {"tie_word_embeddings", false},
               {"eos_token_id", {7, 8}},
               {"pad_token_id", nullptr},
               {"n_inner", 256},
               {"slow_but_exact", "whatever"}});
  const auto config = parse(text);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->layer_norm_epsilon, 0.25F);
  EXPECT_TRUE(config->residual_after_norm);
  EXPECT_FALSE(config->tied_embedding);
  EXPECT_EQ(config->eos_id, 7);
  EXPECT_EQ(config->pad_id, 3);
}

TEST(Config, TakesTheOldNames) {
  const auto config = parse({{"model_type", "bloom"},
                             {"num_hidden_layers", 3},
                             {"num_attention_heads", 6},
                             {"n_embed", 72},
                             {"vocab_size", 9}});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->layers, 3);
  EXPECT_EQ(config->heads, 6);
  EXPECT_EQ(config->hidden, 72);
  EXPECT_TRUE(parse_with("n_embed", 64).ok());
  EXPECT_FALSE(parse_with("n_embed", 32).ok());
}

TEST(Config, EveryRequiredKeyIsNamedWhenMissing) {
  for (const char* key : {"model_type", "n_layer", "n_head", "hidden_size", "vocab_size"}) {
    json config = good();
    config.erase(key);
    const auto result = parse(config);
    ASSERT_FALSE(result.ok()) << key;
    EXPECT_EQ(result.error().param, key);
    EXPECT_NE(result.error().message.find("missing"), std::string::npos);
  }
}

TEST(Config, EveryBadValueIsNamed) {
  const std::vector<json> never = {0,         -1, "64", 64.0, true, json::array(), 4'000'000'000,
                                   UINT64_MAX};
  for (const char* key : {"n_layer", "n_head", "hidden_size", "vocab_size", "n_embed",
                          "num_attention_heads", "num_hidden_layers"}) {
    for (const json& value : never) {
      const auto result = parse_with(key, value);
      ASSERT_FALSE(result.ok()) << key << " " << value;
      EXPECT_EQ(result.error().param, key) << value;
      EXPECT_NE(result.error().message.find(key), std::string::npos);
    }
  }
  const std::pair<const char*, json> wrong[] = {{"layer_norm_epsilon", 0},
                                                {"layer_norm_epsilon", -1e-5},
                                                {"layer_norm_epsilon", 1e-60},
                                                {"layer_norm_epsilon", 2},
                                                {"layer_norm_epsilon", "1e-5"},
                                                {"eos_token_id", 1216},
                                                {"eos_token_id", -1},
                                                {"eos_token_id", "2"},
                                                {"pad_token_id", 1.5},
                                                {"pad_token_id", json::array()},
                                                {"tie_word_embeddings", 1},
                                                {"apply_residual_connection_post_layernorm", "no"},
                                                {"n_inner", 100},
                                                {"n_head", 7},
                                                {"architectures", "BloomModel"},
                                                {"architectures", json::array()},
                                                {"architectures", {"GPT2Model"}},
                                                {"model_type", "gpt2"},
                                                {"model_type", 3}};
  for (const auto& [key, value] : wrong) {
    const auto result = parse_with(key, value);
    ASSERT_FALSE(result.ok()) << key << " " << value;
    EXPECT_EQ(result.error().param, key) << value;
  }
}

TEST(Config, LimitsAreInclusive) {
  json config = good();
  config.update(
      {{"n_layer", 1000}, {"n_head", 1024}, {"hidden_size", 65536}, {"vocab_size", 10'000'000}});
  EXPECT_TRUE(parse(config).ok());
  for (const char* key : {"n_layer", "n_head", "hidden_size", "vocab_size"}) {
    json beyond = config;
    beyond[key] = config[key].get<int>() * 2;
    EXPECT_FALSE(parse(beyond).ok()) << key;
  }
}

TEST(Config, ArchitectureDecidesTheHead) {
  const auto head = [](const char* name) { return parse_with("architectures", {name})->head; };
  EXPECT_EQ(head("BloomForCausalLM"), Head::kCausalLm);
  EXPECT_EQ(head("BloomModel"), Head::kCausalLm);
  EXPECT_EQ(head("BloomForTokenClassification"), Head::kTokenClassification);
  EXPECT_EQ(head("BloomForSequenceClassification"), Head::kSequenceClassification);
}

Result<ModelConfig> classes(const json& keys) {
  json config = good();
  config["architectures"] = {"BloomForSequenceClassification"};
  config.update(keys);
  return parse(config);
}

TEST(Config, ClassNamesComeById) {
  EXPECT_EQ(classes({{"id2label", {{"1", "B"}, {"0", "A"}, {"2", "C"}}}})->class_names,
            (std::vector<std::string>{"A", "B", "C"}));
  EXPECT_EQ(classes({{"label2id", {{"x", 1}, {"y", 0}}}})->class_names,
            (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(classes({{"num_labels", 3}})->class_names,
            (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(classes(json::object())->class_names.size(), 2U);
  json eleven;
  for (int i = 0; i < 11; ++i) eleven[std::to_string(i)] = "n" + std::to_string(i);
  EXPECT_EQ(classes({{"id2label", eleven}})->class_names.at(10), "n10");
}

TEST(Config, BadClassNamesAreNamed) {
  const std::pair<const char*, json> wrong[] = {{"id2label", json::object()},
                                                {"id2label", {"A"}},
                                                {"id2label", {{"0", "A"}, {"2", "B"}}},
                                                {"id2label", {{"0", 1}}},
                                                {"id2label", {{"00", "A"}}},
                                                {"id2label", {{"-1", "A"}}},
                                                {"id2label", {{"99999999999", "A"}}},
                                                {"label2id", {{"A", 0}, {"B", 0}}},
                                                {"label2id", {{"A", "0"}}},
                                                {"label2id", {{"A", 0.0}}},
                                                {"num_labels", 0},
                                                {"num_labels", 100'000}};
  for (const auto& [key, value] : wrong) {
    const auto result = classes({{key, value}});
    ASSERT_FALSE(result.ok()) << key << " " << value;
    EXPECT_EQ(result.error().param, key);
  }
  EXPECT_FALSE(classes({{"id2label", {{"0", "A"}}}, {"num_labels", 2}}).ok());
}

TEST(Config, RefusesBadJson) {
  for (const char* text : {"", "[]", "{", "{}x", "null", R"({"a":1,"a":1})", "{\"a\":\"\xFF\"}"}) {
    const auto result = parse_config(text, "config.json");
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_TRUE(result.error().message.starts_with("config.json")) << result.error().message;
  }
}

TEST(Config, SlopesFollowTheHfRule) {
  for (const int heads : {1, 2, 3, 6, 8, 12, 16, 24, 32, 71, 112, 128, 1024}) {
    const std::vector<float> slopes = alibi_slopes(heads);
    ASSERT_EQ(slopes.size(), static_cast<size_t>(heads));
    // modeling_bloom.build_alibi_tensor, in double; ours, as HF, starts from a base rounded to f32,
    // an error of 2^-25 that the 1024th power makes 2^-15.
    const double power = std::exp2(std::floor(std::log2(heads)));
    const double base = std::exp2(-std::exp2(-(std::log2(power) - 3)));
    const double extra = std::exp2(-std::exp2(-(std::log2(2 * power) - 3)));
    for (int i = 0; i < heads; ++i) {
      const double expected =
          i < power ? std::pow(base, i + 1) : std::pow(extra, 2 * (i - power) + 1);
      EXPECT_NEAR(slopes[i], expected, expected * 4e-5) << heads << " heads, head " << i;
    }
  }
  EXPECT_EQ(alibi_slopes(8), (std::vector<float>{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625,
                                                 0.0078125, 0.00390625}));
}

}  // namespace
}  // namespace seqgpt
