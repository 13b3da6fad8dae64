// SPDX-License-Identifier: Apache-2.0
// Extraction: labels in groups of at most six, one constrained generation a group, values as spans.
#include <algorithm>
#include <cmath>

#include "constrain/extraction.h"
#include "constrain/narrowing.h"
#include "pipeline/job.h"

namespace seqgpt {
namespace {

/// Room for an answer: a few values each of the labels, or most of the text twice over; the rest is
/// cut with a warning. KV memory is set aside for all of it at admission.
int answer_room(size_t prompt_tokens) {
  return static_cast<int>(std::min<size_t>(256 + 2 * prompt_tokens, 2048));
}

/// Labels [first, first + count) of the task, asked in one prompt.
struct Group {
  size_t first = 0;
  size_t count = 0;
  std::shared_ptr<const ExtractionConstraint> constraint;
  std::vector<int32_t> prompt;
  RequestId request = 0;
};

/// The probability that the model gave the value's decisions (its first token against None and
/// other beginnings, each choice within it, and where it stops), among their competitors under the
/// constraint.
double value_confidence(const ExtractedValue& value, const std::vector<TokenChoice>& choices) {
  double logprob = 0;
  const auto end = std::min<size_t>(choices.size(), static_cast<size_t>(value.stop_token) + 1);
  for (auto i = static_cast<size_t>(value.first_token); i < end; ++i) {
    if (choices[i].chosen) logprob += choices[i].logprob;
  }
  return std::exp(logprob);
}

class ExtractionJob final : public Job {
 public:
  explicit ExtractionJob(const Task& task) : task_(task) {}

  Status prepare(const Pipeline& pipeline) {
    SEQGPT_ASSIGN(const auto vocabulary, pipeline.vocabulary());
    SEQGPT_ASSIGN(SpanIndex index, SpanIndex::build(task_.text));
    const auto shared = std::make_shared<const SpanIndex>(std::move(index));
    SEQGPT_ASSIGN(const auto indices, narrow_to_labels(shared, task_.labels));
    size_t first = 0;
    for (const size_t count : group_sizes(task_.labels.size())) {
      Group group;
      group.first = first;
      group.count = count;
      std::vector<std::string> names;
      for (size_t i = 0; i < count; ++i) names.push_back(prompt_name(task_.labels[first + i]));
      const auto from = indices.begin() + static_cast<std::ptrdiff_t>(first);
      SEQGPT_ASSIGN(group.constraint,
                    ExtractionConstraint::build({from, from + static_cast<std::ptrdiff_t>(count)},
                                                vocabulary, pipeline.tokenizer(), names));
      group.prompt = pipeline.encode_prompt(render_prompt(TaskKind::kExtract, task_.text, names));
      groups_.push_back(std::move(group));
      first += count;
    }
    return {};
  }

  Status submit(Engine& engine) override {
    for (size_t i = 0; i < groups_.size(); ++i) {
      Status submitted = submit_group(engine, groups_[i]);
      if (submitted.ok()) continue;
      withdraw(engine, i);
      return submitted;
    }
    return {};
  }

  bool ready(const Engine& engine) const override {
    return std::ranges::all_of(groups_,
                               [&](const Group& group) { return engine.done(group.request); });
  }

  Result<Answer> collect(Engine& engine) override {
    Answer answer;
    answer.labels = task_.labels;
    for (const Group& group : groups_) {
      SEQGPT_ASSIGN(const Generation generation, engine.take_generation(group.request));
      for (const ExtractedValue& value : group.constraint->values(generation.final_state)) {
        add(answer, group, value, generation.choices);
      }
      if (generation.finish == Generation::Finish::kLength)
        warn_of_cut(answer, group, generation.choices.size());
    }
    std::ranges::stable_sort(answer.entities, {},
                             [](const Entity& e) { return std::pair(e.label, e.span.begin); });
    return answer;
  }

 private:
  static void add(Answer& answer, const Group& group, const ExtractedValue& value,
                  const std::vector<TokenChoice>& choices) {
    const size_t label = group.first + static_cast<size_t>(value.label);
    std::vector<ByteSpan> places{value.source};
    if (answer.labels[label].mentions == Mentions::kAll) places = group.constraint->places(value);
    for (const ByteSpan& place : places) {
      // With and without an OCR space a value may be emitted twice, yet it is one span of the text.
      const auto same = [&](const Entity& e) { return e.label == label && e.span == place; };
      if (std::ranges::none_of(answer.entities, same)) {
        answer.entities.push_back({label, place, value_confidence(value, choices)});
      }
    }
    if (!value.capped) return;
    answer.warnings.push_back({"cap_reached",
                               "a value ended at " + std::to_string(kMaxValueCharacters) +
                                   " characters, or the label at " +
                                   std::to_string(kMaxValuesPerLabel) +
                                   " values; there may be more",
                               answer.labels[label].name});
  }

  static Status submit_group(Engine& engine, Group& group) {
    GenerateRequest request;
    request.max_new_tokens = answer_room(group.prompt.size());
    request.prompt = std::move(group.prompt);
    request.constraint = group.constraint;
    SEQGPT_ASSIGN(group.request, engine.submit(std::move(request)));
    return {};
  }

  /// Takes back the first `count` groups, results included: nobody will collect them.
  void withdraw(Engine& engine, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      engine.cancel(groups_[i].request);
      (void)engine.take_generation(groups_[i].request);
    }
  }

  static void warn_of_cut(Answer& answer, const Group& group, size_t tokens) {
    answer.warnings.push_back({"answer_cut",
                               "the model's answer for " + std::to_string(group.count) +
                                   " labels from \"" + answer.labels[group.first].name +
                                   "\" on was cut at " + std::to_string(tokens) +
                                   " tokens; its last fields may be missing",
                               "labels[" + std::to_string(group.first) + "]"});
  }

  const Task& task_;
  std::vector<Group> groups_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_extraction_job(const Pipeline& pipeline, const Task& task) {
  auto job = std::make_unique<ExtractionJob>(task);
  SEQGPT_TRY(job->prepare(pipeline));
  return std::unique_ptr<Job>(std::move(job));
}

}  // namespace seqgpt
