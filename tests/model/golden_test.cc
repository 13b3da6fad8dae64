// SPDX-License-Identifier: Apache-2.0
// The golden models: every stored logit, for every instruction set, from every kind of weight file.
#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

using Values = std::vector<double>;

struct Case {
  std::string model;
  std::string isa;
};

std::vector<Case> cases(const std::vector<std::string>& models) {
  std::vector<Case> all;
  for (const std::string& model : models) {
    for (const std::string& isa : supported_isa_names()) all.push_back({model, isa});
  }
  return all;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.model + "_" + info.param.isa;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class GoldenLogits : public ::testing::TestWithParam<Case> {
 protected:
  LoadedModel loaded_ = golden_model(GetParam().model, GetParam().isa);
  Json expected_ = expected_of(GetParam().model);
};

TEST_P(GoldenLogits, OfEveryStoredPosition) {
  for (const Json& prompt : expected_["prompts"]) {
    const auto outputs = outputs_of(*loaded_.model, prompt["ids"].get<Ids>());
    for (const Json& entry : prompt["logits"]) {
      const auto position = entry["position"].get<size_t>();
      EXPECT_LE(relative_difference(outputs[position], entry["values"].get<Values>()), kF32Logits)
          << prompt["name"] << " position " << position;
    }
  }
}

TEST_P(GoldenLogits, OfLongPrompts) {
  for (const Json& prompt : expected_["long_prompts"]) {
    const auto outputs = outputs_of(*loaded_.model, prompt["ids"].get<Ids>());
    const auto& last = outputs[prompt["position"].get<size_t>()];
    EXPECT_LE(relative_difference(last, prompt["values"].get<Values>()), kF32Logits);
    const auto& stored = prompt["argmax_every_50"];
    for (size_t i = 0; i < stored.size(); ++i) {
      EXPECT_EQ(index_of_max(outputs[50 * i]), stored[i].get<size_t>()) << 50 * i;
    }
  }
}

/// HF pads on the left and masks; ours has no padding, so the padded batch as such cannot be asked
/// for. Its figures can: a row's last logits must be those of the bare prompt, with the three run
/// side by side.
TEST_P(GoldenLogits, OfThePaddedBatchWithoutPadding) {
  const Json& batch = expected_["batch_left_padded"];
  std::vector<Ids> prompts;
  for (size_t i = 0; i < batch["input_ids"].size(); ++i) {
    prompts.push_back(unpadded(batch["input_ids"][i], batch["attention_mask"][i]));
  }
  const auto outputs = run_steps(*loaded_.model, prompts, 512);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto last = batch["last_logits"][i].get<Values>();
    EXPECT_LE(relative_difference((*outputs)[i].back(), last), kF32Logits) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenLogits,
                         ::testing::ValuesIn(cases({"bloom-tiny", "bloom-tiny-fp16",
                                                    "bloom-tiny-bf16", "bloom-tiny-sharded",
                                                    "bloom-tiny-bin", "bloom-tiny-bin-noprefix",
                                                    "bloom-tiny-bin-fp16", "bloom-odd"})),
                         case_name);

TEST(GoldenLogits, LegacyFormatLoadsOrIsNamed) {
  const auto backend = cpu();
  const auto model = Model::load(kGolden / "models" / "bloom-tiny-bin-legacy", *backend, {});
  if (!model.ok()) {
    EXPECT_NE(model.error().message.find("legacy"), std::string::npos) << model.error().message;
    return;
  }
  const Json expected = expected_of("bloom-tiny-bin-legacy");
  const Json& prompt = expected["prompts"][0];
  const auto outputs = outputs_of(**model, prompt["ids"].get<Ids>());
  const Json& entry = prompt["logits"].back();
  EXPECT_LE(
      relative_difference(outputs[entry["position"].get<size_t>()], entry["values"].get<Values>()),
      kF32Logits);
}

class Bf16Logits : public ::testing::TestWithParam<std::string> {};

TEST_P(Bf16Logits, StayWithinTheirTolerance) {
  const LoadedModel loaded = golden_model("bloom-tiny-bf16", GetParam(), ComputeType::kBf16);
  const Json expected = expected_of("bloom-tiny-bf16");
  for (const Json& prompt : expected["prompts"]) {
    const auto outputs = outputs_of(*loaded.model, prompt["ids"].get<Ids>());
    for (const Json& entry : prompt["logits"]) {
      const auto& got = outputs[entry["position"].get<size_t>()];
      EXPECT_LE(relative_difference(got, entry["values"].get<Values>()), kBf16Logits)
          << prompt["name"] << " position " << entry["position"];
    }
  }
  for (const Json& prompt : expected["long_prompts"]) {
    const auto outputs = outputs_of(*loaded.model, prompt["ids"].get<Ids>());
    const auto values = prompt["values"].get<Values>();
    EXPECT_LE(relative_difference(outputs.back(), values), kBf16Logits);
    for (size_t i = 0; i < prompt["argmax_every_50"].size(); ++i) {
      if (prompt["margin_every_50"][i].get<double>() <= 2 * kBf16Logits * max_abs(values)) continue;
      EXPECT_EQ(index_of_max(outputs[50 * i]), prompt["argmax_every_50"][i].get<size_t>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bf16Logits, ::testing::ValuesIn(supported_isa_names()),
                         [](const auto& info) { return info.param; });

Values softmax(const std::vector<float>& logits) {
  Values values(logits.begin(), logits.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value);
  for (double& value : values) value /= sum;
  return values;
}

class ClassHeads : public ::testing::TestWithParam<std::string> {};

TEST_P(ClassHeads, TokenClassification) {
  const LoadedModel loaded = golden_model("bloom-tokcls", GetParam());
  const Json expected = expected_of("bloom-tokcls");
  EXPECT_EQ(loaded.model->config().head, Head::kTokenClassification);
  EXPECT_EQ(Json(loaded.model->config().class_names), expected["labels"]);
  for (const Json& prompt : expected["prompts"]) {
    const auto outputs = outputs_of(*loaded.model, prompt["ids"].get<Ids>());
    ASSERT_EQ(outputs.size(), prompt["logits"].size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto logits = prompt["logits"][i].get<Values>();
      EXPECT_LE(relative_difference(outputs[i], logits), kF32Logits);
      const size_t best = index_of_max(outputs[i]);
      EXPECT_EQ(loaded.model->config().class_names[best], prompt["labels"][i]);
      EXPECT_NEAR(softmax(outputs[i])[best], prompt["probs"][i].get<double>(), kProbabilities);
    }
  }
}

/// As above: HF's padded batches, left and right, are reproduced at their real tokens.
TEST_P(ClassHeads, TokenClassificationOfPaddedBatches) {
  const LoadedModel loaded = golden_model("bloom-tokcls", GetParam());
  const Json expected = expected_of("bloom-tokcls");
  for (const Json& batch : expected["batch"]) {
    std::vector<Ids> prompts;
    for (size_t i = 0; i < batch["input_ids"].size(); ++i) {
      prompts.push_back(unpadded(batch["input_ids"][i], batch["attention_mask"][i]));
    }
    const auto outputs = run_steps(*loaded.model, prompts, 512);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    for (size_t i = 0; i < prompts.size(); ++i) {
      const Json& rows = batch["logits_at_real_tokens"][i];
      ASSERT_EQ((*outputs)[i].size(), rows.size());
      for (size_t t = 0; t < rows.size(); ++t) {
        EXPECT_LE(relative_difference((*outputs)[i][t], rows[t].get<Values>()), kF32Logits);
      }
    }
  }
}

TEST_P(ClassHeads, SequenceClassification) {
  const LoadedModel loaded = golden_model("bloom-seqcls", GetParam());
  const Json expected = expected_of("bloom-seqcls");
  EXPECT_EQ(loaded.model->config().head, Head::kSequenceClassification);
  EXPECT_EQ(Json(loaded.model->config().class_names), expected["labels"]);
  for (const Json& prompt : expected["prompts"]) {
    const auto last = outputs_of(*loaded.model, prompt["ids"].get<Ids>()).back();
    EXPECT_LE(relative_difference(last, prompt["logits"].get<Values>()), kF32Logits);
    EXPECT_LE(max_abs_difference(softmax(last), prompt["probs"].get<Values>()), kProbabilities);
    EXPECT_EQ(loaded.model->config().class_names[index_of_max(last)], prompt["label"]);
  }
}

TEST_P(ClassHeads, SequenceClassificationOfPaddedBatches) {
  const LoadedModel loaded = golden_model("bloom-seqcls", GetParam());
  const Json expected = expected_of("bloom-seqcls");
  for (const Json& batch : expected["batch"]) {
    std::vector<Ids> prompts;
    for (size_t i = 0; i < batch["input_ids"].size(); ++i) {
      prompts.push_back(unpadded(batch["input_ids"][i], batch["attention_mask"][i]));
    }
    const auto outputs = run_steps(*loaded.model, prompts, 512);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    for (size_t i = 0; i < prompts.size(); ++i) {
      const auto logits = batch["logits"][i].get<Values>();
      EXPECT_LE(relative_difference((*outputs)[i].back(), logits), kF32Logits);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClassHeads, ::testing::ValuesIn(supported_isa_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace seqgpt::testing_support
