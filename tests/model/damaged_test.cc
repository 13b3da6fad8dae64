// SPDX-License-Identifier: Apache-2.0
// Damaged checkpoints: refused in plain words at loading, or reported as not finite, never ordinary
// output.
#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

/// Cases of the tokenizer are not the model's: their weights are sound.
std::vector<Json> cases() {
  std::vector<Json> all;
  for (const Json& one : read_json(kGolden / "corrupt" / "cases.json")) {
    if (one["dir"].get<std::string>().rfind("tok-", 0) != 0) all.push_back(one);
  }
  return all;
}

void expect_control_values(Model& model) {
  const Json control = read_json(kGolden / "corrupt" / "expected_ok_micro.json");
  for (const Json& prompt : control["prompts"]) {
    const auto outputs = outputs_of(model, prompt["ids"].get<Ids>());
    const auto expected = prompt["last_logits"].get<std::vector<double>>();
    EXPECT_LE(relative_difference(outputs.back(), expected), kF32Logits);
  }
}

void expect_not_finite(Model& model) {
  const Json control = read_json(kGolden / "corrupt" / "expected_ok_micro.json");
  for (const Json& prompt : control["prompts"]) {
    const auto outputs = run_steps(model, {prompt["ids"].get<Ids>()}, 512);
    ASSERT_FALSE(outputs.ok());
    EXPECT_EQ(outputs.error().code, ErrorCode::kNonFinite) << outputs.error().message;
  }
}

bool holds_a_hint(std::string message, const Json& hints) {
  std::transform(message.begin(), message.end(), message.begin(), ::tolower);
  return std::any_of(hints.begin(), hints.end(), [&](const Json& hint) {
    return message.find(hint.get<std::string>()) != std::string::npos;
  });
}

class Damaged : public ::testing::TestWithParam<Json> {};

TEST_P(Damaged, IsDealtWithAsTheCaseSays) {
  const Json& one = GetParam();
  const auto expect = one["expect"].get<std::string>();
  const auto backend = cpu();
  const auto model = Model::load(kGolden / "corrupt" / one["dir"].get<std::string>(), *backend, {});
  if (!model.ok()) {
    EXPECT_NE(expect, "load") << model.error().message;
    EXPECT_TRUE(holds_a_hint(model.error().message, one["hints"])) << model.error().message;
    return;
  }
  EXPECT_NE(expect, "error") << one["what"];
  if (expect == "error-or-flag") return expect_not_finite(**model);
  expect_control_values(**model);
}

INSTANTIATE_TEST_SUITE_P(All, Damaged, ::testing::ValuesIn(cases()), [](const auto& info) {
  auto name = info.param["dir"].template get<std::string>();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace seqgpt::testing_support
