// SPDX-License-Identifier: Apache-2.0
// Counting.
#include "eval/scores.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/utf8.h"

namespace seqgpt {
namespace {

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200D) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x2060 || c == 0x3000 || c == 0xFEFF;
}

std::string key_of(const std::string& text, bool ignore_space) {
  return ignore_space ? without_space(text) : text;
}

template <typename Value>
const std::vector<Value>& values_of(const std::map<std::string, std::vector<Value>>& values,
                                    const std::string& label) {
  static const std::vector<Value> none;
  const auto found = values.find(label);
  return found == values.end() ? none : found->second;
}

/// Values by key: the first of equal ones stands for all.
template <typename Value>
std::vector<std::pair<std::string, Value>> distinct(const std::vector<Value>& values,
                                                    bool ignore_space) {
  std::vector<std::pair<std::string, Value>> kept;
  std::set<std::string> seen;
  for (const Value& value : values) {
    std::string key = key_of(value.text, ignore_space);
    if (seen.insert(key).second) kept.emplace_back(std::move(key), value);
  }
  return kept;
}

LabelMatch match_label(const std::string& label, const std::vector<GoldValue>& gold,
                       const std::vector<PredictedValue>& predicted, bool ignore_space) {
  LabelMatch match{label, {}, {}, {}, {}};
  auto left = distinct(predicted, ignore_space);
  for (const auto& [key, value] : distinct(gold, ignore_space)) {
    const auto found =
        std::ranges::find_if(left, [&](const auto& one) { return one.first == key; });
    if (found == left.end()) {
      match.missing.push_back(value);
      continue;
    }
    match.right.push_back(value);
    match.right_predicted.push_back(found->second);
    left.erase(found);
  }
  for (const auto& [key, value] : left) match.spurious.push_back(value);
  return match;
}

Counts counts_of(const LabelMatch& match) {
  const size_t right = match.right.size();
  return {right, right + match.spurious.size(), right + match.missing.size()};
}

template <typename Value>
std::set<CharacterSpan> spans_of(const std::vector<Value>& values) {
  std::set<CharacterSpan> spans;
  for (const Value& value : values) {
    if (value.span) spans.insert(*value.span);
  }
  return spans;
}

Counts span_counts(const std::set<CharacterSpan>& gold, const std::set<CharacterSpan>& predicted) {
  Counts counts{0, predicted.size(), gold.size()};
  for (const CharacterSpan& span : predicted) counts.right += gold.contains(span);
  return counts;
}

std::vector<std::string> labels_of(const GoldItem& gold, const Prediction& prediction) {
  std::vector<std::string> labels;
  std::set<std::string> seen;
  const auto add = [&](const std::string& label) {
    if (seen.insert(label).second) labels.push_back(label);
  };
  for (const std::string& label : gold.labels) add(label);
  for (const auto& [label, values] : gold.values) add(label);
  for (const auto& [label, values] : prediction.values) add(label);
  return labels;
}

}  // namespace

std::string without_space(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = utf8_decode(text, at);
    if (!is_space(decoded.code_point)) out += text.substr(at, decoded.bytes);
    at += decoded.bytes;
  }
  return out;
}

void Counts::add(const Counts& other) {
  right += other.right;
  predicted += other.predicted;
  gold += other.gold;
}

void Reliability::add(double confidence, bool right) {
  const double scaled = std::clamp(confidence, 0.0, 1.0) * kBins;
  Bin& bin = bins_[std::min(static_cast<size_t>(scaled), kBins - 1)];
  ++bin.count;
  bin.right += right;
  bin.confidence += confidence;
}

void Reliability::add(const Reliability& other) {
  for (size_t i = 0; i < kBins; ++i) {
    bins_[i].count += other.bins_[i].count;
    bins_[i].right += other.bins_[i].right;
    bins_[i].confidence += other.bins_[i].confidence;
  }
}

uint64_t Reliability::count() const {
  uint64_t count = 0;
  for (const Bin& bin : bins_) count += bin.count;
  return count;
}

double Reliability::error() const {
  double error = 0;
  for (const Bin& bin : bins_) error += std::abs(static_cast<double>(bin.right) - bin.confidence);
  return count() == 0 ? 0 : error / static_cast<double>(count());
}

std::vector<LabelMatch> match_values(const GoldItem& gold, const Prediction& prediction,
                                     bool ignore_space) {
  std::vector<LabelMatch> matches;
  for (const std::string& label : labels_of(gold, prediction)) {
    matches.push_back(match_label(label, values_of(gold.values, label),
                                  values_of(prediction.values, label), ignore_space));
  }
  return matches;
}

void ExtractionScores::add(const GoldItem& gold, const Prediction& prediction) {
  ++texts;
  texts_with_spans += gold.spans;
  bool clean = true;
  for (const LabelMatch& match : match_values(gold, prediction, false)) {
    labels[match.label].strict.add(counts_of(match));
    clean = clean && match.missing.empty() && match.spurious.empty();
    for (const PredictedValue& value : match.right_predicted) {
      if (value.confidence) calibration.add(*value.confidence, true);
    }
    for (const PredictedValue& value : match.spurious) {
      if (value.confidence) calibration.add(*value.confidence, false);
    }
  }
  whole_right += clean;
  for (const LabelMatch& match : match_values(gold, prediction, true))
    labels[match.label].ignoring_space.add(counts_of(match));
  if (!gold.spans) return;
  for (const std::string& label : labels_of(gold, prediction)) {
    labels[label].span.add(span_counts(spans_of(values_of(gold.values, label)),
                                       spans_of(values_of(prediction.values, label))));
  }
}

void ExtractionScores::add(const ExtractionScores& other) {
  texts += other.texts;
  texts_with_spans += other.texts_with_spans;
  whole_right += other.whole_right;
  for (const auto& [label, counts] : other.labels) {
    labels[label].strict.add(counts.strict);
    labels[label].ignoring_space.add(counts.ignoring_space);
    labels[label].span.add(counts.span);
  }
  calibration.add(other.calibration);
}

LabelCounts ExtractionScores::total() const {
  LabelCounts total;
  for (const auto& [label, counts] : labels) {
    total.strict.add(counts.strict);
    total.ignoring_space.add(counts.ignoring_space);
    total.span.add(counts.span);
  }
  return total;
}

double ExtractionScores::macro_f1(Counts LabelCounts::* kind) const {
  double sum = 0;
  size_t count = 0;
  for (const auto& [label, counts] : labels) {
    const Counts& of_kind = counts.*kind;
    if (of_kind.gold + of_kind.predicted == 0) continue;
    sum += of_kind.f1();
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

void ClassificationScores::add(const GoldItem& gold, const Prediction& prediction) {
  ++texts;
  const std::set<std::string> truth(gold.classes.begin(), gold.classes.end());
  const std::set<std::string> said(prediction.classes.begin(), prediction.classes.end());
  right += truth == said;
  several += truth.size() > 1;
  for (const std::string& label : truth) ++labels[label].gold;
  for (const std::string& label : said) {
    ++labels[label].predicted;
    labels[label].right += truth.contains(label);
  }
  if (!prediction.probabilities.empty()) {
    const auto& [first, probability] = prediction.probabilities.front();
    first_right += truth.contains(first);
    calibration.add(probability, truth.contains(first));
  } else if (!prediction.classes.empty()) {
    first_right += truth.contains(prediction.classes.front());
  }
  if (truth.size() == 1 && said.size() <= 1)
    ++confusion[{*truth.begin(), said.empty() ? "" : *said.begin()}];
}

void ClassificationScores::add(const ClassificationScores& other) {
  texts += other.texts;
  right += other.right;
  several += other.several;
  first_right += other.first_right;
  for (const auto& [label, counts] : other.labels) labels[label].add(counts);
  for (const auto& [pair, count] : other.confusion) confusion[pair] += count;
  calibration.add(other.calibration);
}

double ClassificationScores::macro_f1() const {
  double sum = 0;
  for (const auto& [label, counts] : labels) sum += counts.f1();
  return labels.empty() ? 0 : sum / static_cast<double>(labels.size());
}

}  // namespace seqgpt
