// SPDX-License-Identifier: Apache-2.0
// What the commands share: the options of a model, where a text comes from, and how an ending is
// told.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "pipeline/pipeline.h"

namespace seqgpt::cli {

// Exit codes of the contract.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kSomeFailed = 3;

/// --model, --isa, --threads, --weights, --compute, --kv.
struct ModelFlags {
  std::string model;  // empty: the bundled model
  std::string isa = "auto";
  int threads = 0;
  std::string weights;  // empty: by arithmetic and checkpoint
  std::string compute;  // empty: the command's default
  std::string kv;       // empty: as the arithmetic

  void add_to(CLI::App& command);
};

/// Which arithmetic a command takes when the user names none: extraction wants speed (bf16 where
/// the processor multiplies it natively), the inspection commands want the reference (f32).
enum class Arithmetic { kFastest, kExact };

Result<std::unique_ptr<Backend>> open_backend(const ModelFlags& flags);
Result<ModelOptions> model_options(const ModelFlags& flags, const Backend& backend,
                                   Arithmetic arithmetic);
/// The directory of --model, or of the bundled model (beside the binary, in the source tree,
/// installed).
Result<std::string> model_directory(const ModelFlags& flags);

/// A backend with a pipeline on it.
struct OpenPipeline {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Pipeline> pipeline;
};
/// chunk_tokens: most tokens of one step (EngineOptions); 0: its default.
Result<OpenPipeline> open_pipeline(const ModelFlags& flags, int chunk_tokens = 0);

/// TEXT, --file or - (standard input), --encoding.
struct TextFlags {
  std::string text;
  std::string file;
  std::string encoding = "auto";

  void add_to(CLI::App& command);
  /// Errors: kInvalidArgument when none or two sources are given; an undecodable byte by its
  /// position.
  Result<std::string> read() const;
};

/// -l and --label; for extraction also --fields.
struct LabelFlags {
  std::vector<std::string> lists;
  std::vector<std::string> single;
  std::string fields;  // a file of a firm's own fields

  void add_to(CLI::App& command);
  void add_fields_to(CLI::App& command);
  std::vector<Label> labels() const;
  /// Puts the fields of the file into `rules`.
  Status read_fields(LabelRules& rules) const;
};

/// Prints "seqgpt: message" to standard error and gives the exit code: 2 for what the caller can
/// mend on the command line, else 1.
int fail(const Error& error);

/// "1,2,3" to ids.
Result<std::vector<int32_t>> parse_ids(const std::string& text, const std::string& option);

/// 32 hex digits from the system's random source.
std::string make_trace_id();

}  // namespace seqgpt::cli
