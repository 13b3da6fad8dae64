// SPDX-License-Identifier: Apache-2.0
// Fitting a model's calibration to gold: what its probabilities are worth on texts like these.
#pragma once

#include <vector>

#include "eval/gold.h"
#include "eval/scores.h"
#include "pipeline/pipeline.h"

namespace seqgpt {

/// Values and classes of a model with what the gold says of them. Every second text is set aside:
/// what is reported was not fitted.
class CalibrationData {
 public:
  /// Asks the pipeline for the gold of a file. Bad lines are skipped and kept in bad_lines(). The
  /// pipeline's calibration is put aside for it.
  Status read(GoldReader& gold, Pipeline& pipeline);

  /// Fitted to all of the data. Parts without enough data keep the default.
  Calibration fit() const { return fit(true, true); }
  /// "line N: what is wrong".
  const std::vector<std::string>& bad_lines() const { return bad_lines_; }
  /// F1 of the values of each half, the mean over the files: of all, and without those that the fit
  /// to the other half takes for guesses.
  struct Gain {
    double before = 0;
    double after = 0;
  };
  Gain gain() const;
  size_t values() const { return values_[0].size() + values_[1].size(); }
  size_t classes() const { return right_[0].size() + right_[1].size(); }

  struct Errors {
    double before = 0;  // expected calibration error without a fit
    double after = 0;   // of each half under the fit to the other half
  };
  Errors value_errors() const;
  Errors class_errors() const;

 private:
  Calibration fit(bool even, bool odd) const;
  void judge(const GoldItem& gold, const Answer& answer, size_t half);

  std::vector<std::string> bad_lines_;
  std::vector<Judged> values_[2];  // of even texts, of odd ones
  std::vector<JudgedFile> files_[2];
  std::vector<std::vector<double>> distributions_[2];
  std::vector<size_t> right_[2];
};

}  // namespace seqgpt
