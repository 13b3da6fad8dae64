// SPDX-License-Identifier: Apache-2.0
// pull: a model from a hub into a directory: whole and checked, or not at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "tools/hub.h"

namespace seqgpt {

struct PullOptions {
  std::string repository;  // "DAMO-NLP/SeqGPT-560M"
  HubLayout layout = HubLayout::kHuggingFace;
  std::string base;      // "https://huggingface.co", or a mirror; no slash at the end
  std::string revision;  // branch, tag or commit
  std::filesystem::path out;
  int attempts = 6;                      // of each file, each going on where the last one broke
  std::chrono::milliseconds pause{500};  // before the second attempt; doubled each time
  /// Called often; 0 of 0 when nothing is known yet.
  std::function<void(const std::string& file, uint64_t done, uint64_t total)> progress;
};

struct PullReport {
  std::filesystem::path directory;
  size_t files = 0;
  uint64_t bytes = 0;
  size_t unchecked = 0;  // files for which the hub told no checksum: size alone was checked
};

/// Fetches into OUT.part, checks sizes, checksums and that seqgpt can read the model, then renames
/// it to OUT. Run again after a failure it goes on with what OUT.part has.
/// Errors: kInvalidArgument (bad name, OUT is there already), kNotFound, kUnsupported (not a
/// model), kBadFile (checksum), kIo (connection, disk).
Result<PullReport> pull_model(const PullOptions& options);

}  // namespace seqgpt
