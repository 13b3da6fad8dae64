// SPDX-License-Identifier: Apache-2.0
// Every damaged checkpoint of tests/golden/corrupt whose damage lies in the files that this folder
// reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/config.h"
#include "weights/checkpoint.h"

namespace seqgpt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kCorrupt = fs::path(SEQGPT_GOLDEN_DIR) / "corrupt";
const char* const kLayerTensors[] = {
    "input_layernorm.weight",
    "input_layernorm.bias",
    "self_attention.query_key_value.weight",
    "self_attention.query_key_value.bias",
    "self_attention.dense.weight",
    "self_attention.dense.bias",
    "post_attention_layernorm.weight",
    "post_attention_layernorm.bias",
    "mlp.dense_h_to_4h.weight",
    "mlp.dense_h_to_4h.bias",
    "mlp.dense_4h_to_h.weight",
    "mlp.dense_4h_to_h.bias",
};

/// The tensors of a causal network; a generator over layers would allocate for a lying n_layer.
std::vector<std::string> tensor_names(const ModelConfig& config) {
  std::vector<std::string> names = {"word_embeddings.weight", "word_embeddings_layernorm.weight",
                                    "word_embeddings_layernorm.bias", "ln_f.weight", "ln_f.bias"};
  for (int layer = 0; layer < config.layers; ++layer) {
    for (const char* name : kLayerTensors)
      names.push_back("h." + std::to_string(layer) + "." + name);
  }
  return names;
}

/// Config and checkpoint opened, every tensor there: what loading a model asks of this folder.
Result<Checkpoint> load(const fs::path& directory) {
  SEQGPT_ASSIGN(const ModelConfig config, load_config(directory / "config.json"));
  SEQGPT_ASSIGN(Checkpoint checkpoint, Checkpoint::open(directory));
  for (const std::string& name : tensor_names(config)) {
    if (!checkpoint.find(name)) {
      return Error{ErrorCode::kBadFile, name + " " + checkpoint.explain_missing(name)};
    }
  }
  return checkpoint;
}

void expect_control_values(const Checkpoint& loaded) {
  const auto control = Checkpoint::open(kCorrupt / "ok-micro");
  ASSERT_TRUE(control.ok());
  ASSERT_EQ(control->tensors().size(), 17U);
  for (const NamedTensor& tensor : control->tensors()) {
    const TensorView* view = loaded.find(tensor.name);
    ASSERT_NE(view, nullptr) << tensor.name;
    EXPECT_EQ(view->shape, tensor.view.shape);
    EXPECT_TRUE(std::ranges::equal(view->bytes, tensor.view.bytes)) << tensor.name;
  }
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Cases whose damage this folder must see; shapes, values and tokenizers are checked elsewhere.
std::vector<json> read_cases() {
  std::ifstream file(kCorrupt / "cases.json");
  std::vector<json> cases;
  for (const json& one : json::parse(file)) {
    const auto dir = one.at("dir").get<std::string>();
    const bool elsewhere = dir.starts_with("tok-") || dir == "w-nan" || dir == "w-nan-all" ||
                           dir == "w-inf" || dir == "w-transposed" || dir == "w-vocab-mismatch";
    if (!elsewhere) cases.push_back(one);
  }
  return cases;
}

class Corrupt : public ::testing::TestWithParam<json> {};

TEST_P(Corrupt, EndsAsCasesSay) {
  const json& one = GetParam();
  const auto expected = one.at("expect").get<std::string>();
  const auto loaded = load(kCorrupt / one.at("dir").get<std::string>());
  EXPECT_FALSE(fs::exists("golden-marker-shared.txt")) << "a pickle was executed";
  if (loaded.ok()) {
    ASSERT_TRUE(expected == "load" || expected == "error-or-load") << one.at("what");
    return expect_control_values(*loaded);
  }
  const std::string message = lower(loaded.error().message);
  ASSERT_TRUE(expected == "error" || expected == "error-or-load") << message;
  const auto hints = one.at("hints").get<std::vector<std::string>>();
  EXPECT_TRUE(std::ranges::any_of(
      hints, [&](const std::string& hint) { return message.find(hint) != std::string::npos; }))
      << message << "\nhas none of " << one.at("hints");
}

INSTANTIATE_TEST_SUITE_P(Golden, Corrupt, ::testing::ValuesIn(read_cases()), [](const auto& info) {
  auto name = info.param.at("dir").template get<std::string>();
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(CorruptCases, WhatAReaderMayDoEitherWayIsRefusedHere) {
  for (const char* dir : {"bin-bad-crc", "bin-deflated", "st-duplicate-key"}) {
    EXPECT_FALSE(load(kCorrupt / dir).ok()) << dir;
  }
}

TEST(CorruptCases, AnIntegerWeightIsExplained) {
  const auto checkpoint = Checkpoint::open(kCorrupt / "st-integer-weight");
  ASSERT_TRUE(checkpoint.ok());
  size_t foreign = 0;
  for (const char* name : kLayerTensors) {
    const std::string full = std::string("h.0.") + name;
    if (checkpoint->find(full)) continue;
    ++foreign;
    EXPECT_EQ(checkpoint->explain_missing(full),
              "is stored with dtype I32; only F32, F16 and BF16 can be read");
  }
  EXPECT_EQ(foreign, 1U);
}

}  // namespace
}  // namespace seqgpt
