// SPDX-License-Identifier: Apache-2.0
// Asking, judging, fitting; each half judged by the other.
#include "eval/calibrate.h"

#include <algorithm>
#include <set>

namespace seqgpt {
namespace {

constexpr size_t kLeastTexts = 50;  // for a temperature
constexpr size_t kTogether = 64;    // texts that share the model's passes

Task task_of(const GoldItem& gold) {
  Task task;
  task.kind = gold.classification ? TaskKind::kClassify : TaskKind::kExtract;
  task.text = gold.text;
  task.options.normalize = false;
  for (const std::string& name : gold.labels) {
    Label label;
    label.name = name;
    task.labels.push_back(std::move(label));
  }
  return task;
}

bool is_gold(const GoldItem& gold, const std::string& label, std::string_view words) {
  const auto found = gold.values.find(label);
  return found != gold.values.end() &&
         std::ranges::any_of(found->second, [&](const GoldValue& v) { return v.text == words; });
}

}  // namespace

Status CalibrationData::read(GoldReader& gold, Pipeline& pipeline) {
  const Calibration kept = pipeline.calibration();
  pipeline.set_calibration({});
  for (std::vector<JudgedFile>& half_files : files_) half_files.emplace_back();
  size_t half = 0;
  for (bool more = true; more;) {
    std::vector<GoldItem> items;
    std::vector<Task> tasks;
    while (items.size() < kTogether) {
      SEQGPT_ASSIGN(std::optional<GoldReader::Read> read, gold.next());
      more = read.has_value();
      if (!more) break;
      if (read->error) {
        bad_lines_.push_back("line " + std::to_string(read->line + 1) + ": " +
                             read->error->message);
        continue;
      }
      tasks.push_back(task_of(read->item));
      items.push_back(std::move(read->item));
    }
    const std::vector<Result<Answer>> answers = pipeline.run_all(tasks);
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].ok()) judge(items[i], *answers[i], half);
      half = 1 - half;
    }
  }
  pipeline.set_calibration(kept);
  return {};
}

void CalibrationData::judge(const GoldItem& gold, const Answer& answer, size_t half) {
  const std::string_view text = gold.text;
  for (const Entity& entity : answer.entities) {
    const std::string_view words =
        text.substr(entity.span.begin, entity.span.end - entity.span.begin);
    const Judged judged{entity.evidence, is_gold(gold, answer.labels[entity.label].name, words)};
    values_[half].push_back(judged);
    files_[half].back().values.push_back(judged);
  }
  for (const auto& [label, values] : gold.values) {
    std::set<std::string_view> different;
    for (const GoldValue& value : values) different.insert(value.text);
    files_[half].back().gold += different.size();
  }
  if (gold.classes.size() != 1) return;
  const auto right = std::ranges::find_if(answer.classes, [&](const ClassScore& score) {
    return answer.labels[score.label].name == gold.classes.front();
  });
  if (right == answer.classes.end()) return;
  std::vector<double> distribution;
  for (const ClassScore& score : answer.classes) distribution.push_back(score.probability);
  distributions_[half].push_back(std::move(distribution));
  right_[half].push_back(static_cast<size_t>(right - answer.classes.begin()));
}

Calibration CalibrationData::fit(bool even, bool odd) const {
  std::vector<Judged> values;
  std::vector<std::vector<double>> distributions;
  std::vector<size_t> right;
  std::vector<JudgedFile> files(files_[0].size());
  for (const size_t half : {size_t{0}, size_t{1}}) {
    if (half == 0 ? !even : !odd) continue;
    for (size_t i = 0; i < files.size(); ++i) {
      const JudgedFile& part = files_[half][i];
      files[i].values.insert(files[i].values.end(), part.values.begin(), part.values.end());
      files[i].gold += part.gold;
    }
    values.insert(values.end(), values_[half].begin(), values_[half].end());
    distributions.insert(distributions.end(), distributions_[half].begin(),
                         distributions_[half].end());
    right.insert(right.end(), right_[half].begin(), right_[half].end());
  }
  const Result<Calibration> fitted = fit_calibration(values);
  Calibration calibration;
  if (fitted.ok()) {
    calibration = *fitted;
    calibration.least = fit_least(calibration, files);
  }
  if (right.size() >= kLeastTexts) calibration.temperature = fit_temperature(distributions, right);
  return calibration;
}

CalibrationData::Gain CalibrationData::gain() const {
  Gain gain;
  for (const size_t half : {size_t{0}, size_t{1}}) {
    const Calibration other = fit(half == 1, half == 0);
    gain.before += mean_f1(other, 0, files_[half]) / 2;
    gain.after += mean_f1(other, other.least, files_[half]) / 2;
  }
  return gain;
}

CalibrationData::Errors CalibrationData::value_errors() const {
  Reliability before;
  Reliability after;
  for (const size_t half : {size_t{0}, size_t{1}}) {
    const Calibration other = fit(half == 1, half == 0);
    for (const Judged& value : values_[half]) {
      before.add(Calibration{}.value(value.evidence), value.right);
      after.add(other.value(value.evidence), value.right);
    }
  }
  return {before.error(), after.error()};
}

CalibrationData::Errors CalibrationData::class_errors() const {
  Reliability before;
  Reliability after;
  for (const size_t half : {size_t{0}, size_t{1}}) {
    const Calibration other = fit(half == 1, half == 0);
    for (size_t i = 0; i < right_[half].size(); ++i) {
      std::vector<double> distribution = distributions_[half][i];  // the most probable is first
      before.add(distribution.front(), right_[half][i] == 0);
      other.classes(distribution);
      after.add(distribution.front(), right_[half][i] == 0);
    }
  }
  return {before.error(), after.error()};
}

}  // namespace seqgpt
