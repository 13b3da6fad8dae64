// SPDX-License-Identifier: Apache-2.0
// Golden files for tests: where they lie, how they are read, how vectors are compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace seqgpt::testing_support {

using Json = nlohmann::json;
using Ids = std::vector<int32_t>;

inline const std::filesystem::path kGolden = SEQGPT_GOLDEN_DIR;

inline Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return Json::parse(file);
}

/// The expected.json of a golden model, "same_as" followed.
inline Json expected_of(const std::string& model) {
  const std::filesystem::path directory = kGolden / "models" / model;
  Json expected = read_json(directory / "expected.json");
  if (!expected.contains("same_as")) return expected;
  return read_json(directory / expected["same_as"].get<std::string>());
}

inline double max_abs(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

template <typename Got>
double max_abs_difference(const std::vector<Got>& got, const std::vector<double>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double most = 0;
  for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - expected[i]);
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

/// Largest difference as a share of the largest expected value: what the README's limits are about.
template <typename Got>
double relative_difference(const std::vector<Got>& got, const std::vector<double>& expected) {
  return max_abs_difference(got, expected) / max_abs(expected);
}

template <typename Value>
size_t index_of_max(const std::vector<Value>& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// The row of a padded batch without its padding.
inline Ids unpadded(const Json& ids, const Json& mask) {
  Ids real;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (mask[i].get<int>() == 1) real.push_back(ids[i].get<int32_t>());
  }
  return real;
}

inline constexpr double kF32Logits = 1e-4;   // x max abs logit of the vector
inline constexpr double kBf16Logits = 4e-2;  // likewise, bf16 activations
inline constexpr double kLogProbs = 1e-4;    // absolute
inline constexpr double kProbabilities = 1e-5;

}  // namespace seqgpt::testing_support
