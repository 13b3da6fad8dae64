// SPDX-License-Identifier: Apache-2.0
// Confidence: from the probabilities of a value's decisions to a number that means how often such
// values are right.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "constrain/extraction.h"
#include "engine/engine.h"
#include "pipeline/evidence.h"

namespace seqgpt {

Evidence evidence_of(const ExtractedValue& value, const std::vector<TokenChoice>& choices);

/// A logistic model over evidence, and a temperature for class probabilities. The default leaves
/// both as they are: the product of the probabilities.
struct Calibration {
  // confidence = sigmoid(bias + product * logit(p) + first * l_first + inner * l_inner + stop *
  // l_stop) with p = exp(l_first + l_inner + l_stop).
  double bias = 0;
  double product = 1;
  double first = 0;
  double inner = 0;
  double stop = 0;
  double temperature = 1;  // classes: probability ^ (1 / temperature), normalised

  double value(const Evidence& evidence) const;
  /// In place; they sum to one before and after.
  void classes(std::vector<double>& probabilities) const;
};

/// The file of a model's directory that holds its calibration; written by `seqgpt calibrate`.
inline constexpr const char* kCalibrationFile = "calibration.json";

/// The default when the directory has no such file. Errors: kBadFile.
Result<Calibration> load_calibration(const std::filesystem::path& directory);

/// A value whose evidence is known to be right or wrong.
struct Judged {
  Evidence evidence;
  bool right = false;
};
/// The logistic model of greatest likelihood, with a slight pull towards zero; the temperature is
/// left at 1. Errors: kInvalidArgument with fewer than 50 values, or all right, or all wrong.
Result<Calibration> fit_calibration(const std::vector<Judged>& values);

/// The temperature of least log-loss, found by golden section; `right` indexes each distribution.
double fit_temperature(const std::vector<std::vector<double>>& distributions,
                       const std::vector<size_t>& right);

/// The file's text.
std::string calibration_json(const Calibration& calibration);

}  // namespace seqgpt
