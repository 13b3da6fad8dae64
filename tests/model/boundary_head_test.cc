// SPDX-License-Identifier: Apache-2.0
// The boundary head's file: scores as in training, and what is no head is refused by name.
#include "model/boundary_head.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "support/golden.h"
#include "tensor/view.h"

namespace seqgpt::testing_support {
namespace {

constexpr int kHidden = 4;
constexpr int64_t kFeatures = 5 * kHidden + 3;

struct Tensor {
  Shape shape;
  std::vector<float> values;
};

/// A head of two units, all weights `fill`.
std::map<std::string, Tensor> small_head(float fill = 0.5F) {
  const auto filled = [&](Shape shape) {
    return Tensor{shape, std::vector(static_cast<size_t>(shape_elements(shape)), fill)};
  };
  return {{"layer1.weight", filled({2, kFeatures})},
          {"layer1.bias", filled({2})},
          {"layer2.weight", filled({1, 2})},
          {"layer2.bias", filled({1})},
          {"margin", filled({1})}};
}

std::vector<std::byte> file_of(const std::map<std::string, Tensor>& tensors) {
  Json header;
  size_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    const size_t end = at + tensor.values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::vector<std::byte> file(sizeof length + text.size() + at);
  std::memcpy(file.data(), &length, sizeof length);
  std::memcpy(file.data() + sizeof length, text.data(), text.size());
  std::byte* data = file.data() + sizeof length + text.size();
  for (const auto& [name, tensor] : tensors) {
    std::memcpy(data, tensor.values.data(), tensor.values.size() * sizeof(float));
    data += tensor.values.size() * sizeof(float);
  }
  return file;
}

std::string refusal(const std::map<std::string, Tensor>& tensors) {
  const auto head = BoundaryHead::parse(file_of(tensors), kHidden);
  if (head.ok()) return "no error";
  EXPECT_EQ(head.error().code, ErrorCode::kBadFile);
  return head.error().message;
}

TEST(BoundaryHead, ScoresAsInTraining) {
  const auto head = BoundaryHead::load(kGolden / "boundary_head", 64);
  ASSERT_TRUE(head.ok()) << head.error().message;
  ASSERT_TRUE(head->has_value());
  const Json expected = read_json(kGolden / "boundary_head" / "expected.json");
  for (size_t i = 0; i < expected["scores"].size(); ++i) {
    std::vector<std::vector<float>> units;
    std::array<const float*, BoundaryHead::kSlots> projected{};
    for (size_t slot = 0; slot < BoundaryHead::kSlots; ++slot) {
      units.emplace_back((*head)->units());
      (*head)->project(slot, expected["states"][i][slot].get<std::vector<float>>(), units.back());
      projected[slot] = units.back().data();
    }
    const auto scalars = expected["scalars"][i].get<std::array<float, BoundaryHead::kScalars>>();
    EXPECT_NEAR((*head)->score(projected, scalars), expected["scores"][i].get<double>(), 1e-5);
  }
}

TEST(BoundaryHead, IsAbsentWithoutAFile) {
  const auto head = BoundaryHead::load(kGolden / "models" / "bloom-tiny", 64);
  ASSERT_TRUE(head.ok());
  EXPECT_FALSE(head->has_value());
}

TEST(BoundaryHead, WhatIsNoneIsRefusedByName) {
  EXPECT_EQ(refusal(small_head()), "no error");
  for (const auto& [name, tensor] : small_head()) {
    SCOPED_TRACE(name);
    auto lacking = small_head();
    lacking.erase(name);
    EXPECT_NE(refusal(lacking).find(name), std::string::npos);
    auto longer = small_head();
    longer[name].shape[0] += 1;
    longer[name].values.resize(static_cast<size_t>(shape_elements(longer[name].shape)));
    EXPECT_NE(refusal(longer).find("must be"), std::string::npos);
    auto broken = small_head();
    broken[name].values.back() = NAN;
    EXPECT_NE(refusal(broken).find(name + " holds a number that is not finite"), std::string::npos);
  }
  auto more = small_head();
  more["extra"] = {{1}, {0}};
  EXPECT_NE(refusal(more).find("extra"), std::string::npos);
  EXPECT_NE(refusal(small_head(-1)).find("margin"), std::string::npos);
  auto other_model = BoundaryHead::parse(file_of(small_head()), kHidden + 1);
  ASSERT_FALSE(other_model.ok());
  EXPECT_NE(other_model.error().message.find("[U, 28]"), std::string::npos);
}

TEST(BoundaryHead, HasAtMostFiftyThousandParameters) {
  auto large = small_head();
  const int64_t units = 50'000 / kFeatures;
  large["layer1.weight"] = {{units, kFeatures},
                            std::vector<float>(static_cast<size_t>(units * kFeatures))};
  EXPECT_NE(refusal(large).find("layer1.weight"), std::string::npos);
}

TEST(BoundaryHead, EveryPrefixOfAFileIsRefused) {
  const auto file = file_of(small_head());
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(BoundaryHead::parse(std::span(file).first(size), kHidden).ok()) << size;
  EXPECT_FALSE(BoundaryHead::parse(std::vector<std::byte>((1 << 20) + 1), kHidden).ok());
}

}  // namespace
}  // namespace seqgpt::testing_support
