// SPDX-License-Identifier: Apache-2.0
// The whole story: load a model, turn tasks into jobs, run the engine until they are done, read the
// record.
#include "pipeline/pipeline.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/utf8.h"
#include "pipeline/fingerprint.h"
#include "pipeline/job.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

Status check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config) {
  if (tokenizer.size() <= config.vocabulary) return {};
  return Error{ErrorCode::kBadFile,
               "tokenizer.json has ids up to " + std::to_string(tokenizer.size() - 1) +
                   ", beyond the model's vocab_size of " + std::to_string(config.vocabulary)};
}

std::string directory_name(const std::filesystem::path& directory) {
  const std::filesystem::path absolute = std::filesystem::absolute(directory).lexically_normal();
  return absolute.filename().empty() ? absolute.parent_path().filename().string()
                                     : absolute.filename().string();
}

Result<std::unique_ptr<Job>> make_job(const Pipeline& pipeline, const ModelConfig& config,
                                      const Task& task) {
  const bool extract = task.kind == TaskKind::kExtract;
  switch (config.head) {
    case Head::kCausalLm:
      return extract ? make_extraction_job(pipeline, task)
                     : make_classification_job(pipeline, task);
    case Head::kTokenClassification:
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

/// What is left out, as a warning of the answer.
struct Cut {
  double coverage = 1;
  std::optional<Warning> warning;
};

/// Cuts the text to what long_text lets be read.
Result<Cut> cut_long_text(Task& task, const Tokenizer& tokenizer) {
  const TaskOptions& options = task.options;
  const ByteSpan first = window_from(tokenizer, task.text, 0, options.window_tokens);
  if (first.end == task.text.size() || options.long_text == LongText::kWindow) return Cut{};
  if (options.long_text == LongText::kReject) return longer_than_window(options.window_tokens);
  const size_t kept = leading_sentences(task.text, options.max_chars);
  if (kept == task.text.size()) return Cut{};
  const size_t all = utf8_count(task.text);
  task.text.resize(kept);
  const size_t left = utf8_count(task.text);
  return Cut{
      static_cast<double>(left) / static_cast<double>(all),
      Warning{"text_truncated",
              "已智能截取关键段落: characters 0 to " + std::to_string(left) + " of " +
                  std::to_string(all) + " were read, the rest was not (long_text is truncate)",
              "text"}};
}

/// A task on its way: its checked copy, then its job, or the error that ended it.
struct Running {
  Task task;
  Cut cut;
  std::unique_ptr<Job> job;
  std::optional<Result<Answer>> ended;

  void advance(Engine& engine) {
    const Result<bool> complete = job->advance(engine);
    if (!complete.ok()) {
      ended = complete.error();
    } else if (*complete) {
      ended = finished();
    }
  }

  Answer finished() {
    Answer answer = job->answer();
    answer.coverage = cut.coverage;
    if (cut.warning) {
      answer.truncated = true;
      answer.warnings.push_back(*std::move(cut.warning));
    }
    return answer;
  }
};

Status begin(Running& running, const Task& task, Pipeline& pipeline) {
  const ModelConfig& config = pipeline.model().config();
  SEQGPT_ASSIGN(running.task, checked(task, pipeline, config));
  SEQGPT_ASSIGN(running.cut, cut_long_text(running.task, pipeline.tokenizer()));
  SEQGPT_ASSIGN(running.job, make_job(pipeline, config, running.task));
  return {};
}

}  // namespace

Pipeline::~Pipeline() = default;

Result<std::unique_ptr<Pipeline>> Pipeline::load(Backend& backend, const PipelineOptions& options) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline());
  SEQGPT_ASSIGN(pipeline->model_, Model::load(options.model, backend, options.weights));
  SEQGPT_ASSIGN(Tokenizer tokenizer, Tokenizer::load(options.model / "tokenizer.json"));
  SEQGPT_TRY(check_vocabulary(tokenizer, pipeline->model_->config()));
  pipeline->tokenizer_ = std::make_unique<Tokenizer>(std::move(tokenizer));
  if (pipeline->model_->config().head == Head::kCausalLm) {
    pipeline->vocabulary_ =
        VocabularyTrie::build(*pipeline->tokenizer_, pipeline->model_->config().vocabulary);
  }
  SEQGPT_ASSIGN(pipeline->engine_, Engine::create(*pipeline->model_, options.engine));
  SEQGPT_ASSIGN(pipeline->fingerprint_, model_fingerprint(options.model, *pipeline->model_));
  SEQGPT_ASSIGN(pipeline->calibration_, load_calibration(options.model));
  SEQGPT_ASSIGN(pipeline->label_map_, LabelMap::load(options.model));
  pipeline->max_text_characters_ = options.max_text_characters;
  pipeline->model_name_ = directory_name(options.model);
  pipeline->gen_id_ = pipeline->tokenizer_->find(kGenToken).value_or(-1);
  return pipeline;
}

std::vector<int32_t> Pipeline::encode_prompt(std::string_view rendered) const {
  if (gen_id_ < 0) return tokenizer_->encode(std::string(rendered) + std::string(kGenToken));
  std::vector<int32_t> ids = tokenizer_->encode(rendered);
  ids.push_back(gen_id_);
  return ids;
}

Result<Answer> Pipeline::run(const Task& task) {
  return std::move(run_all({&task, 1}).front());
}

std::vector<Result<Answer>> Pipeline::run_all(std::span<const Task> tasks) {
  std::vector<Running> all(tasks.size());  // never resized: jobs hold references to their tasks
  for (size_t i = 0; i < tasks.size(); ++i) {
    Status begun = begin(all[i], tasks[i], *this);
    if (!begun.ok()) all[i].ended = std::move(begun).error();
  }
  [[maybe_unused]] int idle = 0;
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (Running& running : all) {
      if (!running.ended) running.advance(*engine_);
      waiting = waiting || !running.ended;
    }
    idle = engine_->step() ? 0 : idle + 1;
    assert(!waiting || idle < 3);  // something always is under way, or has just ended
  }
  std::vector<Result<Answer>> answers;
  for (Running& running : all) answers.push_back(*std::move(running.ended));
  return answers;
}

}  // namespace seqgpt
