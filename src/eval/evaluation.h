// SPDX-License-Identifier: Apache-2.0
// Evaluation: gold and predictions brought together, from a file of answers or from a model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/batch_line.h"
#include "eval/gold.h"
#include "eval/prediction.h"
#include "eval/report.h"
#include "pipeline/answerer.h"

namespace seqgpt {

class Evaluation {
 public:
  using MissSink = std::function<Status(const std::string& line)>;

  /// `on_miss` gets each miss as a line of JSON.
  Evaluation(bool ignore_space, MissSink on_miss);

  void begin_file(const std::string& name);
  /// No prediction, or one that is an error, scores as an empty one.
  Status add(const GoldItem& gold, const std::optional<Prediction>& prediction);
  void add_bad_line(uint64_t line, const Error& error);
  void add_unasked(uint64_t count) { report_.files.back().unasked += count; }

  EvalReport& report() { return report_; }
  /// "FILE line N: what is wrong", the first ones.
  const std::vector<std::string>& bad_lines() const { return bad_lines_; }

 private:
  MissSink on_miss_;
  EvalReport report_;
  std::vector<std::string> bad_lines_;
};

/// Scores the gold against a file of predictions. `whole`: the gold is all of its file, so what no
/// gold asks for is counted.
Status evaluate_predictions(GoldReader& gold, PredictionFile& predictions, Evaluation& evaluation,
                            bool whole);

/// Scores the gold against the answers of a model; `defaults` as for a batch (its kind follows the
/// gold). `observer` is told how many texts are done.
Status evaluate_answers(GoldReader& gold, Answerer& answerer, const BatchDefaults& defaults,
                        Evaluation& evaluation, const std::function<void(uint64_t)>& observer);

}  // namespace seqgpt
