// SPDX-License-Identifier: Apache-2.0
// Totals, and the report as JSON.
#include "eval/report.h"

#include <cmath>

#include "api/body_json.h"

namespace seqgpt {
namespace {

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

Json counts_json(const Counts& counts) {
  return {{"precision", rounded(counts.precision())},
          {"recall", rounded(counts.recall())},
          {"f1", rounded(counts.f1())},
          {"right", counts.right},
          {"predicted", counts.predicted},
          {"gold", counts.gold}};
}

Json calibration_json(const Reliability& calibration) {
  Json bins = Json::array();
  for (size_t i = 0; i < kBins; ++i) {
    const Reliability::Bin& bin = calibration.bins()[i];
    Json one = {{"from", rounded(static_cast<double>(i) / kBins)}, {"count", bin.count}};
    if (bin.count > 0) {
      one["confidence"] = rounded(bin.confidence / static_cast<double>(bin.count));
      one["right"] = rounded(Counts::ratio(bin.right, bin.count));
    }
    bins.push_back(std::move(one));
  }
  return {{"ece", rounded(calibration.error())}, {"count", calibration.count()}, {"bins", bins}};
}

Json extraction_json(const ExtractionScores& scores) {
  const LabelCounts total = scores.total();
  Json json = {{"texts", scores.texts}, {"texts_whole_right", scores.whole_right}};
  const auto add = [&](const char* name, Counts LabelCounts::* kind) {
    json[name] = {{"micro", counts_json(total.*kind)},
                  {"macro_f1", rounded(scores.macro_f1(kind))}};
  };
  add("strict", &LabelCounts::strict);
  add("ignoring_space", &LabelCounts::ignoring_space);
  if (scores.texts_with_spans > 0) add("span", &LabelCounts::span);
  Json labels = Json::object();
  for (const auto& [label, counts] : scores.labels) {
    labels[label] = {{"strict", counts_json(counts.strict)},
                     {"ignoring_space", counts_json(counts.ignoring_space)}};
    if (scores.texts_with_spans > 0) labels[label]["span"] = counts_json(counts.span);
  }
  json["labels"] = std::move(labels);
  json["calibration"] = calibration_json(scores.calibration);
  return json;
}

Json classification_json(const ClassificationScores& scores) {
  Json json = {{"texts", scores.texts},
               {"accuracy", rounded(scores.accuracy())},
               {"macro_f1", rounded(scores.macro_f1())}};
  if (scores.several > 0) {
    json["texts_of_several_classes"] = scores.several;
    json["first_among_gold"] = rounded(Counts::ratio(scores.first_right, scores.texts));
  }
  Json labels = Json::object();
  for (const auto& [label, counts] : scores.labels) labels[label] = counts_json(counts);
  json["labels"] = std::move(labels);
  Json confusion = Json::array();
  for (const auto& [pair, count] : scores.confusion)
    confusion.push_back({{"gold", pair.first}, {"predicted", pair.second}, {"count", count}});
  json["confusion"] = std::move(confusion);
  json["calibration"] = calibration_json(scores.calibration);
  return json;
}

Json file_json(const FileReport& file) {
  Json json = {{"file", file.name},
               {"bad_lines", file.bad_lines},
               {"failed", file.failed},
               {"without_prediction", file.without},
               {"predictions_without_gold", file.unasked}};
  if (file.extraction.texts > 0) json["extraction"] = extraction_json(file.extraction);
  if (file.classification.texts > 0)
    json["classification"] = classification_json(file.classification);
  return json;
}

}  // namespace

void FileReport::add(const FileReport& other) {
  bad_lines += other.bad_lines;
  failed += other.failed;
  without += other.without;
  unasked += other.unasked;
  extraction.add(other.extraction);
  classification.add(other.classification);
}

FileReport EvalReport::total() const {
  FileReport total;
  for (const FileReport& file : files) total.add(file);
  return total;
}

std::string json_report(const EvalReport& report) {
  Json json = file_json(report.total());
  json.erase("file");
  Json whole = {{"predictor", report.predictor}, {"misses", report.misses}};
  whole.update(json);
  Json files = Json::array();
  for (const FileReport& file : report.files) files.push_back(file_json(file));
  if (report.files.size() > 1) whole["files"] = std::move(files);
  return dump_json(whole, 2);
}

}  // namespace seqgpt
