// SPDX-License-Identifier: Apache-2.0
// Pipelines over the golden models for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "pipeline/pipeline.h"

namespace seqgpt {

struct TestPipeline {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Pipeline> pipeline;
};

inline std::string golden_model(const std::string& name) {
  return std::string(SEQGPT_GOLDEN_DIR) + "/models/" + name;
}
inline std::string bundled_model() {
  return std::string(SEQGPT_SOURCE_DIR) + "/models/seqgpt-mini";
}

inline TestPipeline open_test_pipeline(const std::string& directory, int threads = 1,
                                       ComputeType compute = ComputeType::kF32,
                                       EngineOptions engine = {}, std::optional<DType> weights = {},
                                       std::optional<DType> kv = {},
                                       std::optional<DType> long_kv = {}) {
  TestPipeline open;
  CpuOptions cpu;
  cpu.threads = threads;
  open.backend = make_cpu_backend(cpu).value();
  PipelineOptions options;
  options.model = directory;
  options.weights.compute = compute;
  options.weights.weights = weights;
  options.weights.kv = kv;
  options.weights.long_kv = long_kv;
  options.engine = engine;
  options.engine.kv_bytes = size_t{64} << 20;
  Result<std::unique_ptr<Pipeline>> loaded = Pipeline::load(*open.backend, options);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  open.pipeline = std::move(loaded).value();
  return open;
}

inline Task extraction(std::string text, const std::vector<std::string>& names) {
  Task task{TaskKind::kExtract, std::move(text), {}, {}};
  for (const std::string& name : names) task.labels.push_back({name, {}, {}});
  return task;
}

inline Task classification(std::string text, const std::vector<std::string>& names) {
  Task task = extraction(std::move(text), names);
  task.kind = TaskKind::kClassify;
  return task;
}

}  // namespace seqgpt
