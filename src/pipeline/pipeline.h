// SPDX-License-Identifier: Apache-2.0
// Pipeline: text and labels in, an Answer out: the whole story of a request over one loaded model.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "constrain/vocabulary.h"
#include "engine/engine.h"
#include "model/boundary_head.h"
#include "model/model.h"
#include "pipeline/answer.h"
#include "pipeline/confidence.h"
#include "pipeline/label_map.h"
#include "task/task.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

inline constexpr std::string_view kGenToken = "[GEN]";   // ends a prompt of SeqGPT
inline constexpr size_t kMaxTextCharacters = 1'000'000;  // of any text, whatever is done with it

struct PipelineOptions {
  std::filesystem::path model;
  ModelOptions weights;
  EngineOptions engine;
  size_t max_text_characters = kMaxTextCharacters;
};

/// Thread contract: one thread owns a pipeline. The backend must outlive it.
class Pipeline {
 public:
  static Result<std::unique_ptr<Pipeline>> load(Backend& backend, const PipelineOptions& options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// One task alone.
  Result<Answer> run(const Task& task);
  /// Many tasks share the model's passes; answers in order, each equal to what run() gives.
  std::vector<Result<Answer>> run_all(std::span<const Task> tasks);

  /// The user's own instruction, greedy or with beams, or held to a part of the text or to given
  /// answers; [GEN] is appended where the tokenizer has it.
  Result<FreeAnswer> prompt(const FreePrompt& prompt);

  const std::string& model_name() const { return model_name_; }
  /// Over model files, weight, compute and KV types, instruction set and program version, as hex.
  const std::string& fingerprint() const { return fingerprint_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  Model& model() { return *model_; }
  Engine& engine() { return *engine_; }

  // For the jobs of this folder.
  /// The trie for extraction; kUnsupported when the tokenizer cannot spell every byte.
  const Result<std::shared_ptr<const VocabularyTrie>>& vocabulary() const { return vocabulary_; }
  /// Ids of the rendered template with [GEN] at its end (as text where the tokenizer has no such
  /// token, as HF encodes it then); user text is text, whatever it holds.
  std::vector<int32_t> encode_prompt(std::string_view rendered) const;
  int32_t gen_id() const { return gen_id_; }  // [GEN], or -1
  int32_t end_id() const { return model_->config().eos_id; }
  const Calibration& calibration() const { return calibration_; }
  /// For fitting one: the next tasks are answered with it.
  void set_calibration(const Calibration& calibration) { calibration_ = calibration; }
  /// Null where the model has none: the rules alone set the ends of values then.
  const BoundaryHead* boundary_head() const { return boundary_head_ ? &*boundary_head_ : nullptr; }
  const LabelMap& label_map() const { return label_map_; }
  size_t max_text_characters() const { return max_text_characters_; }

 private:
  Pipeline() = default;

  std::string model_name_;
  std::string fingerprint_;
  std::unique_ptr<Tokenizer> tokenizer_;
  Result<std::shared_ptr<const VocabularyTrie>> vocabulary_ = Error{};
  std::unique_ptr<Model> model_;
  std::unique_ptr<Engine> engine_;
  Calibration calibration_;
  std::optional<BoundaryHead> boundary_head_;
  LabelMap label_map_;
  size_t max_text_characters_ = kMaxTextCharacters;
  int32_t gen_id_ = -1;
};

}  // namespace seqgpt
