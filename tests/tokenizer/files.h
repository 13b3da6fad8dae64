// SPDX-License-Identifier: Apache-2.0
// What the tokenizer's tests share: golden files, and small tokenizer.json texts made on the spot.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace seqgpt {

inline std::filesystem::path golden(std::string_view name) {
  return std::filesystem::path(SEQGPT_GOLDEN_DIR) / name;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return nlohmann::json::parse(file);
}

inline Tokenizer load_golden(std::string_view directory) {
  auto loaded = Tokenizer::load(golden(directory) / "tokenizer.json");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  return std::move(loaded).value();
}

/// The settings of BLOOM around an empty model: a start for files with one thing changed.
nlohmann::json empty_tokenizer();

/// The same with the 256 bytes as tokens 0 to 255, and `merges` ("a b") with the tokens they make.
nlohmann::json byte_tokenizer(const std::vector<std::string>& merges = {});

/// Loads a file that must load.
inline Tokenizer parse_ok(const nlohmann::json& file) {
  auto parsed = Tokenizer::parse(file.dump(), "test.json");
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
  return std::move(parsed).value();
}

}  // namespace seqgpt
