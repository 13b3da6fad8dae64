// SPDX-License-Identifier: Apache-2.0
// Predictions: lines of a batch's output, matched to gold by id.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "eval/gold.h"
#include "records/input_file.h"
#include "records/lines.h"

namespace seqgpt {

struct PredictedValue {
  std::string text;
  std::optional<CharacterSpan> span;
  std::optional<double> confidence;
};

struct Prediction {
  std::string id;
  std::optional<std::string> error;                           // the text was not answered
  std::map<std::string, std::vector<PredictedValue>> values;  // by label
  std::vector<std::string> classes;
  std::vector<std::pair<std::string, double>> probabilities;  // highest first
};

/// A line of `seqgpt batch`: `entities` (offsets in code points) where there are any, else the
/// strings of `result`; classification by `result` and `labels`.
Result<Prediction> parse_prediction(std::string_view line, uint64_t number);

/// Finds predictions by id in one pass over a file: in the order of the gold nothing is kept;
/// what stands before its gold is kept, up to a limit.
class PredictionFile {
 public:
  static Result<std::unique_ptr<PredictionFile>> open(const std::string& path);
  /// nullopt when there is none for the id. Errors: kTooLarge when the order of the file is so
  /// unlike that of the gold that more than 100,000 predictions would have to be kept.
  Result<std::optional<Prediction>> find(const std::string& id);
  /// Predictions that no gold asked for, read to the end of the file.
  Result<uint64_t> unasked();

 private:
  explicit PredictionFile(InputFile input);
  Result<std::optional<Prediction>> next();

  InputFile input_;
  std::optional<LineReader> lines_;
  uint64_t number_ = 0;
  std::unordered_map<std::string, Prediction> kept_;
};

}  // namespace seqgpt
