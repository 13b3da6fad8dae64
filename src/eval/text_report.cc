// SPDX-License-Identifier: Apache-2.0
// The report for a terminal.
#include <algorithm>
#include <array>
#include <cstdio>

#include "eval/report.h"
#include "records/display_width.h"

namespace seqgpt {
namespace {

constexpr size_t kMostConfusions = 15;

using Row = std::vector<std::string>;

std::string share(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4f", value);
  return text.data();
}

std::string count(uint64_t value) {
  return std::to_string(value);
}

/// The first column to the left, the others to the right.
std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string out;
  for (const Row& row : rows) {
    out += padded(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i)
      out += std::string(2 + widths[i] - display_width(row[i]), ' ') + row[i];
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

Row counts_row(const std::string& name, const Counts& counts) {
  return {name,
          share(counts.precision()),
          share(counts.recall()),
          share(counts.f1()),
          count(counts.right),
          count(counts.predicted),
          count(counts.gold)};
}

Row counts_header() {
  return {"", "precision", "recall", "F1", "right", "predicted", "gold"};
}

std::string calibration_text(const Reliability& calibration) {
  if (calibration.count() == 0) return "calibration: the predictions carry no confidence\n";
  std::vector<Row> rows = {{"confidence", "count", "mean", "right"}};
  for (size_t i = 0; i < kBins; ++i) {
    const Reliability::Bin& bin = calibration.bins()[i];
    if (bin.count == 0) continue;
    std::array<char, 32> range{};
    std::snprintf(range.data(), range.size(), "%.1f-%.1f", static_cast<double>(i) / kBins,
                  static_cast<double>(i + 1) / kBins);
    rows.push_back({range.data(), count(bin.count),
                    share(bin.confidence / static_cast<double>(bin.count)),
                    share(Counts::ratio(bin.right, bin.count))});
  }
  return "calibration: expected error " + share(calibration.error()) + " over " +
         count(calibration.count()) + " predictions\n" + table(rows);
}

std::string extraction_text(const ExtractionScores& scores, bool ignore_space) {
  const LabelCounts total = scores.total();
  std::string out = "extraction: " + count(scores.texts) + " texts, " + count(scores.whole_right) +
                    " without a mistake\n";
  std::vector<Row> rows = {counts_header()};
  const auto add = [&](const std::string& name, Counts LabelCounts::* kind) {
    rows.push_back(counts_row("micro, " + name, total.*kind));
    rows.push_back({"macro, " + name, "", "", share(scores.macro_f1(kind)), "", "", ""});
  };
  add("strict", &LabelCounts::strict);
  add("ignoring white space", &LabelCounts::ignoring_space);
  if (scores.texts_with_spans > 0) add("by span", &LabelCounts::span);
  out += table(rows) + "\nby label, " + (ignore_space ? "ignoring white space" : "strict") + "\n";
  rows = {counts_header()};
  for (const auto& [label, counts] : scores.labels)
    rows.push_back(
        counts_row(printable(label), ignore_space ? counts.ignoring_space : counts.strict));
  return out + table(rows) + "\n" + calibration_text(scores.calibration);
}

std::string confusions_text(const ClassificationScores& scores) {
  std::vector<std::pair<uint64_t, const std::pair<std::string, std::string>*>> wrong;
  for (const auto& [pair, times] : scores.confusion)
    if (pair.first != pair.second) wrong.emplace_back(times, &pair);
  std::ranges::stable_sort(wrong, std::greater{}, [](const auto& one) { return one.first; });
  if (wrong.empty()) return "";
  wrong.resize(std::min(wrong.size(), kMostConfusions));
  std::vector<Row> rows = {{"gold", "predicted", "texts"}};
  for (const auto& [times, pair] : wrong)
    rows.push_back({printable(pair->first), pair->second.empty() ? "-" : printable(pair->second),
                    count(times)});
  return "most frequent confusions\n" + table(rows) + "\n";
}

std::string classification_text(const ClassificationScores& scores) {
  std::string out = "classification: " + count(scores.texts) + " texts, accuracy " +
                    share(scores.accuracy()) + ", macro-F1 " + share(scores.macro_f1()) + "\n";
  if (scores.several > 0)
    out += count(scores.several) +
           " texts have several classes; the most probable class is among "
           "them in " +
           share(Counts::ratio(scores.first_right, scores.texts)) + " of all texts\n";
  std::vector<Row> rows = {counts_header()};
  for (const auto& [label, counts] : scores.labels)
    rows.push_back(counts_row(printable(label), counts));
  return out + table(rows) + "\n" + confusions_text(scores) + calibration_text(scores.calibration);
}

Row file_row(const FileReport& file) {
  const ExtractionScores& values = file.extraction;
  const ClassificationScores& classes = file.classification;
  Row row = {printable(file.name), count(values.texts + classes.texts)};
  const bool extract = values.texts > 0;
  const LabelCounts total = values.total();
  row.push_back(extract ? share(total.strict.f1()) : "");
  row.push_back(extract ? share(total.ignoring_space.f1()) : "");
  row.push_back(extract ? share(values.macro_f1(&LabelCounts::strict)) : "");
  row.push_back(classes.texts > 0 ? share(classes.accuracy()) : "");
  row.push_back(classes.texts > 0 ? share(classes.macro_f1()) : "");
  const Reliability& calibration = extract ? values.calibration : classes.calibration;
  row.push_back(calibration.count() > 0 ? share(calibration.error()) : "");
  return row;
}

std::string files_text(const EvalReport& report) {
  std::vector<Row> rows = {
      {"file", "texts", "micro-F1", "(no space)", "macro-F1", "accuracy", "class macro-F1", "ECE"}};
  for (const FileReport& file : report.files) rows.push_back(file_row(file));
  return table(rows) + "\n";
}

std::string troubles_text(const FileReport& total) {
  std::string out;
  const auto tell = [&](uint64_t times, const std::string& what) {
    if (times > 0) out += count(times) + " " + what + "\n";
  };
  tell(total.bad_lines, "gold lines could not be read and are not scored");
  tell(total.failed, "texts failed and are scored as empty answers");
  tell(total.without, "texts have no prediction and are scored as empty answers");
  tell(total.unasked, "predictions have no gold");
  return out;
}

}  // namespace

std::string text_report(const EvalReport& report) {
  const FileReport total = report.total();
  std::string out = report.predictor.empty() ? "" : printable(report.predictor) + "\n\n";
  if (report.files.size() > 1) out += files_text(report);
  if (total.extraction.texts > 0) out += extraction_text(total.extraction, report.ignore_space);
  if (total.extraction.texts > 0 && total.classification.texts > 0) out += "\n";
  if (total.classification.texts > 0) out += classification_text(total.classification);
  const std::string troubles = troubles_text(total);
  return out + (troubles.empty() ? "" : "\n" + troubles);
}

}  // namespace seqgpt
