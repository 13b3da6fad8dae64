// SPDX-License-Identifier: Apache-2.0
// The forward pass against a naive one in double precision, at every position, over block borders.
#include "support/reference_bloom.h"

#include <gtest/gtest.h>

#include "support/models.h"
#include "support/step_runner.h"

namespace seqgpt::testing_support {
namespace {

void expect_as_reference(const std::filesystem::path& directory, const std::string& isa,
                         size_t length, uint32_t seed) {
  const LoadedModel loaded = load_model(directory, cpu(isa));
  const auto checkpoint = Checkpoint::open(directory);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  std::mt19937 random(seed);
  const Ids ids = random_ids(random, length, loaded.model->config().vocabulary);
  const auto outputs = outputs_of(*loaded.model, ids);
  const auto expected = ReferenceBloom(*checkpoint, loaded.model->config()).logits(ids);
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(relative_difference(outputs[i], expected[i]), kF32Logits) << "position " << i;
  }
}

class AgainstReference : public ::testing::TestWithParam<std::string> {};

TEST_P(AgainstReference, PowerOfTwoHeads) {
  const auto directory = kGolden / "models" / "bloom-tiny";
  for (const size_t length : {1, 31, 32, 33, 70})
    expect_as_reference(directory, GetParam(), length, 1);
}

TEST_P(AgainstReference, OddHeads) {
  const auto directory = kGolden / "models" / "bloom-odd";
  for (const size_t length : {2, 64, 65}) expect_as_reference(directory, GetParam(), length, 2);
}

/// No golden has apply_residual_connection_post_layernorm; the reference knows it.
TEST_P(AgainstReference, ResidualAfterNorm) {
  const TempDirectory directory;
  const auto source = kGolden / "models" / "bloom-odd";
  std::filesystem::copy(source / "model.safetensors", directory.path());
  Json config = read_json(source / "config.json");
  config["apply_residual_connection_post_layernorm"] = true;
  std::ofstream(directory.path() / "config.json") << config;
  expect_as_reference(directory.path(), GetParam(), 40, 3);
}

INSTANTIATE_TEST_SUITE_P(All, AgainstReference, ::testing::ValuesIn(supported_isa_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace seqgpt::testing_support
