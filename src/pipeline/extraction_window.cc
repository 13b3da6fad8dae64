// SPDX-License-Identifier: Apache-2.0
// Prompts, constraints and records of one window.
#include "pipeline/extraction_window.h"

#include <algorithm>

#include "constrain/narrowing.h"
#include "pipeline/occurrence.h"

namespace seqgpt {
namespace {

constexpr int kLeastRoom = 256;
constexpr int kMostRoom = 2048;

/// Room for an answer: a few values each of the labels, or most of the text twice over; the rest is
/// cut with a warning. KV memory is set aside for all of it at admission, once for each beam, so
/// beams share the room as long as each has the least.
int answer_room(size_t prompt_tokens, int beams) {
  const auto room = static_cast<int>(std::min<size_t>(kLeastRoom + 2 * prompt_tokens, kMostRoom));
  return std::min(room, std::max(kMostRoom / beams, kLeastRoom));
}

}  // namespace

Result<std::unique_ptr<ExtractionWindow>> ExtractionWindow::make(const Pipeline& pipeline,
                                                                 const Task& task,
                                                                 const std::vector<size_t>& labels,
                                                                 const std::vector<bool>& present,
                                                                 ByteSpan window) {
  std::unique_ptr<ExtractionWindow> work(new ExtractionWindow(task, window));
  SEQGPT_ASSIGN(SpanIndex index, SpanIndex::build(work->text()));
  std::vector<Label> asked;
  std::vector<bool> asked_present;
  for (const size_t label : labels) {
    asked.push_back(task.labels[label]);
    asked_present.push_back(present[label]);
  }
  SEQGPT_ASSIGN(
      const auto indices,
      narrow_to_labels(std::make_shared<const SpanIndex>(std::move(index)), asked, asked_present));
  auto first = labels.begin();
  auto own_index = indices.begin();
  for (const size_t count : group_sizes(labels.size())) {
    const auto end = first + static_cast<ptrdiff_t>(count);
    const auto end_index = own_index + static_cast<ptrdiff_t>(count);
    SEQGPT_TRY(work->add_group(pipeline, {own_index, end_index}, {first, end}));
    own_index = end_index;
    first = end;
  }
  return work;
}

std::string_view ExtractionWindow::text() const {
  return std::string_view(task_.text).substr(window_.begin, window_.end - window_.begin);
}

Status ExtractionWindow::add_group(const Pipeline& pipeline,
                                   std::vector<std::shared_ptr<const SpanIndex>> indices,
                                   std::vector<size_t> labels) {
  SEQGPT_ASSIGN(const auto vocabulary, pipeline.vocabulary());
  std::vector<std::string> names;
  for (const size_t label : labels) names.push_back(prompt_name(task_.labels[label]));
  Group group;
  SEQGPT_ASSIGN(group.constraint, ExtractionConstraint::build(std::move(indices), vocabulary,
                                                              pipeline.tokenizer(), names));
  group.prompt = pipeline.encode_prompt(render_prompt(TaskKind::kExtract, text(), names));
  group.labels = std::move(labels);
  groups_.push_back(std::move(group));
  return {};
}

Status ExtractionWindow::submit(Engine& engine) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    GenerateRequest request;
    request.beams = task_.options.beams;
    request.max_new_tokens = answer_room(groups_[i].prompt.size(), request.beams);
    request.prompt = std::move(groups_[i].prompt);
    request.constraint = groups_[i].constraint;
    Result<RequestId> submitted = engine.submit(std::move(request));
    if (!submitted.ok()) {
      withdraw_from(engine, 0, i);
      return std::move(submitted).error();
    }
    groups_[i].request = *submitted;
  }
  return {};
}

bool ExtractionWindow::ready(const Engine& engine) const {
  return std::ranges::all_of(groups_,
                             [&](const Group& group) { return engine.done(group.request); });
}

bool ExtractionWindow::has_chosen(const Engine& engine) const {
  return std::ranges::any_of(groups_, [&](const Group& group) {
    const Generation* generation = engine.peek_generation(group.request);
    return generation && std::ranges::any_of(generation->choices, &TokenChoice::chosen);
  });
}

Status ExtractionWindow::collect(Engine& engine) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    Result<Generation> generation = engine.take_generation(group.request);
    if (!generation.ok()) {
      withdraw_from(engine, i + 1, groups_.size());
      return std::move(generation).error();
    }
    for (const ExtractedValue& value : group.constraint->values(generation->final_state))
      add(group, value, generation->choices);
    if (generation->finish == Generation::Finish::kLength)
      warn_of_cut(group, generation->choices.size());
  }
  return {};
}

std::vector<Finding> ExtractionWindow::findings_so_far(const Engine& engine,
                                                       std::vector<bool>& decided) const {
  std::vector<Finding> findings;
  for (const Group& group : groups_) {
    const Generation* generation = engine.peek_generation(group.request);
    if (!generation) continue;
    const size_t count =
        std::min(group.constraint->decided_labels(generation->final_state), group.labels.size());
    for (size_t i = 0; i < count; ++i) decided[group.labels[i]] = true;
    for (const ExtractedValue& value : group.constraint->values(generation->final_state)) {
      if (static_cast<size_t>(value.label) < count)
        findings.push_back(finding_of(group, value, generation->choices));
    }
  }
  return findings;
}

Finding ExtractionWindow::finding_of(const Group& group, const ExtractedValue& value,
                                     const std::vector<TokenChoice>& choices) const {
  const size_t label = group.labels[static_cast<size_t>(value.label)];
  const ByteSpan meant = occurrence_of_label(text(), value.source, group.constraint->places(value),
                                             task_.labels[label].name);
  Finding finding;
  finding.label = label;
  finding.span = {window_.begin + meant.begin, window_.begin + meant.end};
  finding.cut = (meant.begin == 0 && window_.begin > 0) ||
                (meant.end == text().size() && window_.end < task_.text.size());
  finding.evidence = evidence_of(value, choices);
  return finding;
}

void ExtractionWindow::add(const Group& group, const ExtractedValue& value,
                           const std::vector<TokenChoice>& choices) {
  findings_.push_back(finding_of(group, value, choices));
  if (!value.capped) return;
  warnings_.push_back({"cap_reached",
                       "a value ended at " + std::to_string(kMaxValueCharacters) +
                           " characters, or the label at " + std::to_string(kMaxValuesPerLabel) +
                           " values; there may be more",
                       task_.labels[findings_.back().label].name});
}

void ExtractionWindow::warn_of_cut(const Group& group, size_t tokens) {
  const size_t first = group.labels.front();
  warnings_.push_back({"answer_cut",
                       "the model's answer for " + std::to_string(group.labels.size()) +
                           " labels from \"" + task_.labels[first].name + "\" on was cut at " +
                           std::to_string(tokens) + " tokens; its last fields may be missing",
                       "labels[" + std::to_string(first) + "]"});
}

void ExtractionWindow::withdraw_from(Engine& engine, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    engine.cancel(groups_[i].request);
    (void)engine.take_generation(groups_[i].request);
  }
}

}  // namespace seqgpt
