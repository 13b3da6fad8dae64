// SPDX-License-Identifier: Apache-2.0
// Checking a task, cutting its text where it asks for that, choosing its job by the model's head.
#include "pipeline/running_task.h"

#include "base/utf8.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

Result<std::unique_ptr<Job>> make_job(const Pipeline& pipeline, const ModelConfig& config,
                                      const Task& task) {
  const bool extract = task.kind == TaskKind::kExtract;
  switch (config.head) {
    case Head::kCausalLm:
      return extract ? make_extraction_job(pipeline, task)
                     : make_classification_job(pipeline, task);
    case Head::kTokenClassification:
      if (extract && task.options.beams > 1) {
        return Error{ErrorCode::kUnsupported,
                     "this checkpoint tags tokens and searches nothing: leave beams out", "beams"};
      }
      if (extract) return make_tagging_job(pipeline, config, task);
      return Error{ErrorCode::kUnsupported,
                   "this checkpoint has a token-classification head: it can extract, not classify"};
    case Head::kSequenceClassification:
      if (!extract) return make_head_classification_job(pipeline, config, task);
      return Error{
          ErrorCode::kUnsupported,
          "this checkpoint has a sequence-classification head: it can classify, not extract"};
  }
  return Error{ErrorCode::kInternal, "unknown head"};
}

/// A checked copy of the task. Checkpoints with their own classes may be asked without labels.
Result<Task> checked(const Task& task, const Pipeline& pipeline, const ModelConfig& config) {
  SEQGPT_TRY(check_options(task.options));
  SEQGPT_TRY(check_text(task.text, pipeline.max_text_characters()));
  Task copy = task;
  if (config.head != Head::kCausalLm && task.labels.empty()) return copy;
  SEQGPT_ASSIGN(copy.labels, check_labels(task.labels));
  return copy;
}

Error longer_than_window(int window_tokens) {
  return {ErrorCode::kTooLarge,
          "text is longer than one window of " + std::to_string(window_tokens) +
              " tokens and long_text is reject; take window or truncate, or a larger window_tokens",
          "text"};
}

}  // namespace

RunningTask::RunningTask(const Task& task, Pipeline& pipeline) {
  Status begun = begin(task, pipeline);
  if (!begun.ok()) ended_ = std::move(begun).error();
}

Status RunningTask::begin(const Task& task, Pipeline& pipeline) {
  const ModelConfig& config = pipeline.model().config();
  SEQGPT_ASSIGN(task_, checked(task, pipeline, config));
  SEQGPT_TRY(cut_long_text(pipeline.tokenizer()));
  SEQGPT_ASSIGN(job_, make_job(pipeline, config, task_));
  return {};
}

Status RunningTask::cut_long_text(const Tokenizer& tokenizer) {
  const TaskOptions& options = task_.options;
  if (options.long_text == LongText::kWindow) return {};
  if (options.long_text == LongText::kReject) {
    const ByteSpan first = window_from(tokenizer, task_.text, 0, options.window_tokens);
    if (first.end == task_.text.size()) return {};
    return longer_than_window(options.window_tokens);
  }
  const size_t kept = leading_sentences(task_.text, static_cast<size_t>(options.max_chars));
  if (kept == task_.text.size()) return {};
  const size_t all = utf8_count(task_.text);
  task_.text.resize(kept);
  const size_t left = utf8_count(task_.text);
  coverage_ = static_cast<double>(left) / static_cast<double>(all);
  cut_ = {"text_truncated",
          "已智能截取关键段落: characters 0 to " + std::to_string(left) + " of " +
              std::to_string(all) + " were read, the rest was not (long_text is truncate)",
          "text"};
  return {};
}

void RunningTask::advance(Engine& engine) {
  engine.set_owner(task_.owner);
  const Result<bool> complete = job_->advance(engine);
  if (!complete.ok()) {
    ended_ = complete.error();
  } else if (*complete) {
    clock_.has_decided();
    ended_ = finished();
    clock_.has_normalized();
  } else if (clock_.times().read < 0 && !job_->reading(engine)) {
    clock_.has_read();
  }
}

Answer RunningTask::finished() {
  Answer answer = job_->answer();
  answer.reference_time = task_.options.reference_time;
  answer.coverage = coverage_;
  answer.truncated = cut_.has_value();
  if (cut_) answer.warnings.push_back(*std::move(cut_));
  return answer;
}

}  // namespace seqgpt
