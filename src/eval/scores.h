// SPDX-License-Identifier: Apache-2.0
// Scores: precision, recall and F1 of values and spans, accuracy and confusion of classes,
// calibration of both.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "eval/gold.h"
#include "eval/prediction.h"

namespace seqgpt {

struct Counts {
  uint64_t right = 0;
  uint64_t predicted = 0;
  uint64_t gold = 0;

  double precision() const { return ratio(right, predicted); }
  double recall() const { return ratio(right, gold); }
  double f1() const { return ratio(2 * right, predicted + gold); }
  void add(const Counts& other);

  /// 0 when nothing was asked for.
  static double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

inline constexpr size_t kBins = 10;  // of equal width over 0..1

/// Expected calibration error: the mean over all predictions of |share right - mean confidence| of
/// their bin (Guo et al. 2017).
class Reliability {
 public:
  struct Bin {
    uint64_t count = 0;
    uint64_t right = 0;
    double confidence = 0;  // sum
  };

  void add(double confidence, bool right);
  void add(const Reliability& other);
  uint64_t count() const;
  double error() const;
  const std::array<Bin, kBins>& bins() const { return bins_; }

 private:
  std::array<Bin, kBins> bins_{};
};

/// A value counts once for each label of a text: sets of strings are compared, not their places.
struct LabelCounts {
  Counts strict;
  Counts ignoring_space;  // of either side
  Counts span;            // of texts whose gold has spans
};

/// The values of one label of one text, compared.
struct LabelMatch {
  std::string label;
  std::vector<GoldValue> right;
  std::vector<PredictedValue> right_predicted;  // the same values, in the same order
  std::vector<GoldValue> missing;
  std::vector<PredictedValue> spurious;
};

/// Labels asked, in their order, then further ones that were predicted.
std::vector<LabelMatch> match_values(const GoldItem& gold, const Prediction& prediction,
                                     bool ignore_space);

/// Without white space of any kind (ASCII, no-break, ideographic, zero width).
std::string without_space(std::string_view text);

struct ExtractionScores {
  uint64_t texts = 0;
  uint64_t texts_with_spans = 0;
  uint64_t whole_right = 0;  // texts without any mistake (strict)
  std::map<std::string, LabelCounts> labels;
  Reliability calibration;  // of strict rightness

  void add(const GoldItem& gold, const Prediction& prediction);
  void add(const ExtractionScores& other);
  LabelCounts total() const;
  /// Mean F1 over the labels that have gold or predictions.
  double macro_f1(Counts LabelCounts::* kind) const;
};

struct ClassificationScores {
  uint64_t texts = 0;
  uint64_t right = 0;        // all classes of the text and no other
  uint64_t several = 0;      // texts with several gold classes
  uint64_t first_right = 0;  // the most probable class is among the gold ones
  std::map<std::string, Counts> labels;
  std::map<std::pair<std::string, std::string>, uint64_t> confusion;  // (gold, predicted), single
  Reliability calibration;                                            // of the most probable class

  void add(const GoldItem& gold, const Prediction& prediction);
  void add(const ClassificationScores& other);
  double accuracy() const { return Counts::ratio(right, texts); }
  double macro_f1() const;
};

}  // namespace seqgpt
