// SPDX-License-Identifier: Apache-2.0
// Misses: each mistake with the text around it, as a line of JSON and for the report page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/gold.h"
#include "eval/prediction.h"

namespace seqgpt {

struct Miss {
  /// missing: gold that was not predicted; spurious: predicted and not gold; boundary: a gold value
  /// and a prediction that overlap; class: a wrong class; failed: a text without an answer.
  std::string kind;
  std::string label;
  std::string gold;                  // empty when spurious
  std::string predicted;             // empty when missing
  std::optional<double> confidence;  // of the prediction
  std::string before;                // up to 20 characters before the place
  std::string place;                 // the text itself: the gold value, else the predicted one
  std::string after;
};

/// All misses of one text, in the order of its labels.
std::vector<Miss> misses_of(const GoldItem& gold, const Prediction& prediction, bool ignore_space);

/// {"file", "line" (from 1), "id", "kind", "label", "gold", "predicted", "confidence", "context"}
std::string miss_line(const Miss& miss, const std::string& file, const GoldItem& gold);

}  // namespace seqgpt
