// SPDX-License-Identifier: Apache-2.0
// Models for tests: a backend and a model that live together, golden or random, and scratch
// directories.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "model/model.h"
#include "support/golden.h"

namespace seqgpt::testing_support {

struct LoadedModel {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Model> model;
};

inline std::unique_ptr<Backend> cpu(const std::string& isa = "auto", int threads = 1) {
  auto backend = make_cpu_backend({.isa = isa, .threads = threads});
  if (!backend.ok()) throw std::runtime_error(backend.error().message);
  return std::move(backend).value();
}

inline LoadedModel load_model(const std::filesystem::path& directory,
                              std::unique_ptr<Backend> backend,
                              ComputeType compute = ComputeType::kF32,
                              std::optional<DType> weights = {}, std::optional<DType> kv = {}) {
  auto model = Model::load(directory, *backend, {.weights = weights, .compute = compute, .kv = kv});
  if (!model.ok()) throw std::runtime_error(model.error().message);
  return {std::move(backend), std::move(model).value()};
}

inline LoadedModel golden_model(const std::string& name, const std::string& isa = "auto",
                                ComputeType compute = ComputeType::kF32, int threads = 1,
                                std::optional<DType> weights = {}, std::optional<DType> kv = {}) {
  return load_model(kGolden / "models" / name, cpu(isa, threads), compute, weights, kv);
}

/// Small, with a head count that is no power of two and a head size that fills no vector.
inline ModelConfig small_config() {
  ModelConfig config;
  config.layers = 2;
  config.heads = 3;
  config.hidden = 36;
  config.vocabulary = 150;
  return config;
}

inline LoadedModel random_model(uint64_t seed = 1, std::unique_ptr<Backend> backend = cpu(),
                                const ModelConfig& config = small_config(),
                                ComputeType compute = ComputeType::kF32,
                                std::optional<DType> kv = {}, std::optional<DType> long_kv = {}) {
  auto model = Model::random(
      config, *backend, {.weights = {}, .compute = compute, .kv = kv, .long_kv = long_kv}, seed);
  if (!model.ok()) throw std::runtime_error(model.error().message);
  return {std::move(backend), std::move(model).value()};
}

inline Ids random_ids(std::mt19937& random, size_t count, int vocabulary) {
  Ids ids(count);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % static_cast<uint32_t>(vocabulary));
  return ids;
}

/// A directory of its own that goes with the object.
class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "seqgpt-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace seqgpt::testing_support
