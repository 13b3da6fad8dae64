// SPDX-License-Identifier: Apache-2.0
// Extraction: every window of the text, then, for records, every part of one key; merged into one
// answer.
#include <algorithm>
#include <optional>
#include <set>

#include "constrain/line_walk.h"
#include "constrain/narrowing.h"
#include "pipeline/boundary.h"
#include "pipeline/boundary_window.h"
#include "pipeline/canonical.h"
#include "pipeline/extraction_window.h"
#include "pipeline/job.h"
#include "pipeline/occurrence.h"
#include "pipeline/part_windows.h"
#include "pipeline/records.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

/// What a part without a known key must be worth to give one: most such parts have none.
constexpr double kKeyFloor = 0.5;
/// Windows looked through in one slice of preparation: a few milliseconds.
constexpr size_t kWindowsASlice = 4;

/// By name or key.
auto find_record_label(const Task& task) {
  return std::ranges::find_if(task.labels, [&](const Label& label) {
    return same_name(label.name, task.options.record) || same_name(label.key, task.options.record);
  });
}

class ExtractionJob final : public Job {
 public:
  ExtractionJob(const Pipeline& pipeline, const Task& task, const ReferenceTime& reference)
      : pipeline_(pipeline), task_(task), reference_(reference), looked_through_(windows()) {
    std::vector<size_t> all(task.labels.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    present_.assign(task.labels.size(), false);
    one_window_ = window_from(pipeline.tokenizer(), task.text, 0, task.options.window_tokens).end ==
                  task.text.size();
    told_.assign(task.labels.size(), false);
    read(windows(), std::move(all));
  }

  /// A type narrows in every window once one has something of it: else the windows without would
  /// offer anything. Memory is that of a window.
  bool prepare() override {
    for (size_t i = 0; i < kWindowsASlice && !prepared_; ++i) {
      if (const auto window = looked_through_()) {
        ++all_windows_;
        note_types(std::string_view(task_.text).substr(window->begin, window->end - window->begin),
                   task_.labels, present_);
        prepared_ = window->end == task_.text.size();
      } else {
        prepared_ = true;
      }
    }
    return prepared_;
  }

  Result<bool> advance(Engine& engine) override {
    while (true) {
      SEQGPT_ASSIGN(const bool read_all, reader_->advance(engine));
      if (!read_all) return false;
      findings_ = merged(findings_);
      if (!read_on() && !judge_ends()) return true;
    }
  }

  void withdraw(Engine& engine) override { reader_->withdraw(engine); }

  /// Of the first reading; what records read again is not counted.
  TaskProgress progress() const override {
    if (!prepared_) return {};
    return {std::min(windows_, all_windows_), all_windows_};
  }

  bool reading(const Engine& engine) const override {
    const WindowWork* window = reader_->first_window();
    return windows_ == 0 && window &&
           !static_cast<const ExtractionWindow*>(window)->has_chosen(engine);
  }

  std::optional<Decided> decided(const Engine& engine) override {
    const WindowWork* window = reader_->only_window();
    if (!one_window_ || !task_.options.record.empty() || !window || asks_head())
      return std::nullopt;
    std::vector<bool> done(task_.labels.size(), false);
    std::vector<Finding> found =
        static_cast<const ExtractionWindow*>(window)->findings_so_far(engine, done);
    Decided decided;
    for (size_t label = 0; label < done.size(); ++label) {
      if (done[label] && !told_[label]) decided.labels.push_back(label);
      told_[label] = told_[label] || done[label];
    }
    if (decided.labels.empty()) return std::nullopt;
    for (Finding& finding : found) judge(finding);
    decided.answer = answer_of(merged(found));
    if (task_.options.normalize) add_canonical(decided.answer, task_, reference_);
    return decided;
  }

  Answer answer() override {
    Answer answer = answer_of(findings_);
    answer.warnings = std::move(warnings_);
    answer.unvoted = !task_.options.window_voting && all_windows_ > 1;
    if (layout_) take_lists_apart(answer);
    if (task_.options.normalize) add_canonical(answer, task_, reference_);
    if (layout_) add_records(answer);
    return answer;
  }

 private:
  WindowReader::Next windows() const {
    return windows_of(pipeline_.tokenizer(), task_.text, task_.options.window_tokens,
                      task_.options.window_voting);
  }

  Answer answer_of(const std::vector<Finding>& findings) const {
    Answer answer;
    answer.labels = task_.labels;
    for (const Finding& finding : findings) {
      answer.entities.push_back(
          {finding.label, finding.span, {}, finding.evidence, finding.confidence});
    }
    return answer;
  }

  void read(WindowReader::Next next, std::vector<size_t> labels) {
    auto make =
        [this, labels = std::move(labels)](ByteSpan window) -> Result<std::unique_ptr<WindowWork>> {
      SEQGPT_ASSIGN(auto work, ExtractionWindow::make(pipeline_, task_, labels, present_, window));
      return std::unique_ptr<WindowWork>(std::move(work));
    };
    const auto done = [this](WindowWork& work, ByteSpan) {
      take(static_cast<const ExtractionWindow&>(work));
    };
    reader_.emplace(std::move(next), std::move(make), done);
  }

  void take(const ExtractionWindow& work) {
    for (Finding finding : work.findings()) {
      finding.window = windows_;
      judge(finding);
      if (seeking_keys_ && finding.confidence < kKeyFloor) continue;
      if (!task_.options.record.empty() && is_label_name(finding.span)) continue;
      findings_.push_back(finding);
    }
    ++windows_;
    for (const Warning& warning : work.warnings()) {  // the same one from many windows comes once
      const auto same = [&](const Warning& w) {
        return w.code == warning.code && w.param == warning.param;
      };
      if (std::ranges::none_of(warnings_, same)) warnings_.push_back(warning);
    }
  }

  bool sets_ends() const { return task_.options.verify && task_.options.set_ends; }

  /// Sets its ends right and says how sure it is.
  void judge(Finding& finding) const {
    if (sets_ends() && !says_itself(finding.label)) finding.span = verified(finding);
    finding.confidence = pipeline_.calibration().value(finding.evidence);
  }

  /// The head of a table's column is no value of a record.
  bool is_label_name(ByteSpan span) const {
    const std::string_view words(task_.text.data() + span.begin, span.end - span.begin);
    return std::ranges::any_of(task_.labels,
                               [&](const Label& label) { return same_name(label.name, words); });
  }

  /// A value of a pattern or a list is one of the caller's: no rule may cut it.
  bool says_itself(size_t label) const {
    return !task_.labels[label].pattern.empty() || !task_.labels[label].one_of.empty();
  }

  /// What the model itself takes for a guess is no value, and no less than the caller asks for is.
  bool sure_enough(const Finding& finding) const {
    const bool judged = task_.options.verify && !says_itself(finding.label);
    return finding.confidence >= task_.options.min_confidence &&
           (!judged || finding.confidence >= pipeline_.calibration().least);
  }

  /// The word None alone means absent: no rule may make a value of it.
  ByteSpan verified(const Finding& finding) const {
    const Label& label = task_.labels[finding.label];
    const ByteSpan tidy = whole_value(
        task_.text,
        tidy_boundary(task_.text, without_company(task_.text, finding.span, label.type)),
        kind_of(label), reference_);
    std::string words = task_.text.substr(tidy.begin, tidy.end - tidy.begin);
    std::erase_if(words, [](char c) { return c == '\n' || c == '\r' || c == '\t'; });
    return words == kAbsent ? finding.span : tidy;
  }

  /// Records take more readings: what stands in a line or sentence after its last known key is
  /// asked for keys until none comes (in a long list a small model names the first and stops); then
  /// every part of one key is asked for the other labels (on its own it cannot mix up two records).
  /// False when nothing is left to read.
  bool read_on() {
    if (task_.options.record.empty() || layout_) return false;
    std::vector<ByteSpan> parts = parts_without_keys();
    if (!parts.empty()) {
      seeking_keys_ = true;
      read_parts(std::move(parts), {key_label()});
      return true;
    }
    seeking_keys_ = false;
    layout_.emplace(task_.text, found_keys());
    for (const KeyRun& run : layout_->runs()) parts.push_back(run.span);
    if (parts.empty() || other_labels().empty()) return false;
    read_parts(std::move(parts), other_labels());
    return true;
  }

  /// Records are read and laid out by the rules' ends alone.
  bool asks_head() const {
    return pipeline_.boundary_head() != nullptr && sets_ends() && task_.options.record.empty();
  }

  /// False when there is no head, or its windows were read.
  bool judge_ends() {
    if (!asks_head() || ends_judged_) return false;
    ends_judged_ = true;
    reader_.emplace(boundary_reader(pipeline_, task_, findings_));
    return true;
  }

  /// Of every unit what follows its last key, unless that was read already.
  std::vector<ByteSpan> parts_without_keys() {
    const std::vector<ByteSpan> units = text_units(task_.text);
    read_from_.resize(units.size(), std::string::npos);
    std::vector<ByteSpan> parts;
    const std::vector<ByteSpan> keys = found_keys();
    auto key = keys.begin();
    size_t last_end = 0;
    for (size_t i = 0; i < units.size(); ++i) {
      for (; key != keys.end() && key->begin < units[i].end; ++key)
        last_end = std::max(last_end, key->end);
      const size_t from = std::max(last_end, units[i].begin);
      const ByteSpan rest{after_separator(task_.text, from, units[i]), units[i].end};
      if (read_from_[i] == from || rest.begin >= units[i].end || !has_words(task_.text, rest))
        continue;
      read_from_[i] = from;
      if (units.size() > 1 || from > units[i].begin) parts.push_back(rest);
    }
    return parts;
  }

  void read_parts(std::vector<ByteSpan> parts, std::vector<size_t> labels) {
    read(PartWindows(pipeline_.tokenizer(), task_.text, task_.options, std::move(parts)),
         std::move(labels));
  }

  bool every_mention(size_t label) const { return task_.labels[label].mentions == Mentions::kAll; }

  /// Records need every mention: the same post may be two people's.
  std::vector<Finding> merged(const std::vector<Finding>& findings) const {
    std::vector<bool> keep(task_.labels.size(), !task_.options.record.empty());
    std::vector<Finding> all;
    std::set<std::pair<size_t, std::string_view>> expanded;
    for (size_t label = 0; label < keep.size(); ++label)
      keep[label] = keep[label] || every_mention(label);
    for (const Finding& finding : findings) {
      if (!sure_enough(finding)) continue;  // before it can take the place of a surer one
      all.push_back(finding);
      if (!every_mention(finding.label)) continue;
      const std::string_view words(task_.text.data() + finding.span.begin,
                                   finding.span.end - finding.span.begin);
      if (!expanded.emplace(finding.label, words).second) continue;
      for (const ByteSpan& span : occurrences(task_.text, finding.span)) {
        all.push_back(finding);
        all.back().span = span;
      }
    }
    merge_findings(task_.text, keep, labels_of_one_thing(task_), all);
    return all;
  }

  size_t key_label() const {
    return static_cast<size_t>(find_record_label(task_) - task_.labels.begin());
  }

  std::vector<size_t> other_labels() const {
    std::vector<size_t> others;
    for (size_t i = 0; i < task_.labels.size(); ++i) {
      if (i != key_label()) others.push_back(i);
    }
    return others;
  }

  std::vector<ByteSpan> spans_of(size_t label, const std::vector<Entity>& entities) const {
    std::vector<ByteSpan> spans;
    for (const Entity& entity : entities) {
      if (entity.label == label) spans.push_back(entity.span);
    }
    return spans;
  }

  /// Values of the key label, ascending.
  std::vector<ByteSpan> found_keys() const {
    std::vector<ByteSpan> keys;
    for (const Finding& finding : findings_) {
      if (finding.label == key_label()) keys.push_back(finding.span);
    }
    return keys;
  }

  /// Where names stand in a list their posts do too, one to each (经理、主管 is no post).
  void take_lists_apart(Answer& answer) const {
    std::vector<Entity> entities;
    for (size_t label = 0; label < task_.labels.size(); ++label) {
      std::vector<Entity> own;
      std::ranges::copy_if(answer.entities, std::back_inserter(own),
                           [&](const Entity& e) { return e.label == label; });
      if (label == key_label() || says_itself(label)) {
        entities.insert(entities.end(), own.begin(), own.end());
        continue;
      }
      for (const KeyLayout::Listed& listed : layout_->listed(spans_of(label, own))) {
        entities.push_back(own[listed.from]);
        entities.back().span = listed.span;
      }
    }
    answer.entities = std::move(entities);
  }

  void add_records(Answer& answer) const {
    answer.records.emplace();
    for (size_t key = 0; key < layout_->keys(); ++key) {
      const ByteSpan mention = layout_->first_mention(key);
      const auto is_key = [&](const Entity& e) {
        return e.label == key_label() &&
               task_.text.compare(e.span.begin, e.span.end - e.span.begin, task_.text,
                                  mention.begin, mention.end - mention.begin) == 0;
      };
      answer.records->push_back({*std::ranges::find_if(answer.entities, is_key)});
    }
    for (const size_t label : other_labels()) {
      const std::vector<size_t> owners = layout_->owners(spans_of(label, answer.entities));
      size_t i = 0;
      for (const Entity& entity : answer.entities) {
        if (entity.label != label) continue;
        if (const size_t owner = owners[i++]; owner != KeyLayout::kNoKey)
          add_once((*answer.records)[owner], entity);
      }
    }
  }

  /// Equal words under one label stand in a record once.
  void add_once(std::vector<Entity>& record, const Entity& entity) const {
    const auto words = [&](const Entity& e) {
      return std::string_view(task_.text).substr(e.span.begin, e.span.end - e.span.begin);
    };
    const auto same = [&](const Entity& e) {
      return e.label == entity.label && words(e) == words(entity);
    };
    if (std::ranges::none_of(record, same)) record.push_back(entity);
  }

  const Pipeline& pipeline_;
  const Task& task_;
  ReferenceTime reference_;
  WindowReader::Next looked_through_;  // by prepare()
  bool prepared_ = false;
  std::vector<bool> present_;  // of each label: the text has something of its type
  std::optional<WindowReader> reader_;
  bool one_window_ = false;
  std::vector<bool> told_;  // of each label: decided() has given it
  size_t windows_ = 0;
  size_t all_windows_ = 0;
  std::vector<Finding> findings_;
  std::vector<Warning> warnings_;
  bool ends_judged_ = false;  // by the boundary head
  // For records.
  std::vector<size_t> read_from_;  // of each unit, where its rest began when it was read last
  bool seeking_keys_ = false;
  std::optional<KeyLayout> layout_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_extraction_job(const Pipeline& pipeline, const Task& task) {
  SEQGPT_TRY(pipeline.vocabulary());
  const std::string& record = task.options.record;
  if (!record.empty() && find_record_label(task) == task.labels.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 "record must be one of the labels; \"" + record + "\" is none of them", "record"};
  }
  SEQGPT_ASSIGN(const ReferenceTime reference, reference_of(task));
  return std::unique_ptr<Job>(std::make_unique<ExtractionJob>(pipeline, task, reference));
}

}  // namespace seqgpt
