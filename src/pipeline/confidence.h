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

/// A logistic model over evidence, a temperature for class probabilities, and how sure of a value
/// the model must be. The default leaves all as it is: the product of the probabilities, any value.
struct Calibration {
  // confidence = sigmoid(bias + product * logit(p) + first * l_first + inner * l_inner + stop *
  // l_stop) with p = exp(l_first + l_inner + l_stop).
  double bias = 0;
  double product = 1;
  double first = 0;
  double inner = 0;
  double stop = 0;
  double temperature = 1;  // classes: probability ^ (1 / temperature), normalised
  double least = 0;        // verification takes a value below it for none; for the best F1

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

/// A file of gold: the values that were found in it, and how many there are.
struct JudgedFile {
  std::vector<Judged> values;
  size_t gold = 0;
};
/// The `least` of greatest F1, the mean over the files, in steps of 0.05 up to 0.5. Where
/// confidence means the share that is right, it is half of that F1 (Lipton et al. 2014).
double fit_least(const Calibration& calibration, const std::vector<JudgedFile>& files);
/// That mean F1.
double mean_f1(const Calibration& calibration, double least, const std::vector<JudgedFile>& files);

/// The temperature of least log-loss, found by golden section; `right` indexes each distribution.
double fit_temperature(const std::vector<std::vector<double>>& distributions,
                       const std::vector<size_t>& right);

/// The file's text.
std::string calibration_json(const Calibration& calibration);

}  // namespace seqgpt
