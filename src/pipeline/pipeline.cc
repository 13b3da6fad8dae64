// SPDX-License-Identifier: Apache-2.0
// The whole story: load a model, turn tasks into jobs, run the engine until they are done, read the
// record.
#include "pipeline/pipeline.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "pipeline/fingerprint.h"
#include "pipeline/job.h"

namespace seqgpt {
namespace {

constexpr std::string_view kGenToken = "[GEN]";

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
Result<Task> checked(const Task& task, const ModelConfig& config) {
  SEQGPT_TRY(check_text(task.text, kMaxTextCharacters));
  Task copy{task.kind, task.text, {}};
  if (config.head != Head::kCausalLm && task.labels.empty()) return copy;
  SEQGPT_ASSIGN(copy.labels, check_labels(task.labels));
  return copy;
}

Status try_begin(RunningTask& running, const Task& task, Pipeline& pipeline) {
  const ModelConfig& config = pipeline.model().config();
  SEQGPT_ASSIGN(running.task, checked(task, config));
  SEQGPT_ASSIGN(running.job, make_job(pipeline, config, running.task));
  return running.job->submit(pipeline.engine());
}

}  // namespace

void begin(RunningTask& running, const Task& task, Pipeline& pipeline) {
  Status begun = try_begin(running, task, pipeline);
  if (!begun.ok()) running.error = std::move(begun).error();
}

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
  std::vector<RunningTask> all(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) begin(all[i], tasks[i], *this);
  while (engine_->step()) {
  }
  std::vector<Result<Answer>> answers;
  for (RunningTask& running : all) {
    answers.push_back(running.error ? Result<Answer>(*std::move(running.error))
                                    : running.job->collect(*engine_));
  }
  return answers;
}

/// Where the first stop string begins in an answer, or npos.
static size_t stop_position(const std::string& answer, const std::vector<std::string>& stop) {
  size_t first = std::string::npos;
  for (const std::string& text : stop) first = std::min(first, answer.find(text));
  return first;
}

Result<GenerateRequest> Pipeline::free_request(const FreePrompt& prompt) const {
  if (model_->config().head != Head::kCausalLm) {
    return Error{ErrorCode::kUnsupported,
                 "this checkpoint has a classification head: it cannot write free text"};
  }
  SEQGPT_TRY(check_text(prompt.text, kMaxTextCharacters));
  std::string_view text = prompt.text;
  if (gen_id_ >= 0 && text.ends_with(kGenToken))
    text.remove_suffix(kGenToken.size());  // appended below as a token
  GenerateRequest request;
  request.prompt = tokenizer_->encode(text);
  if (gen_id_ >= 0) request.prompt.push_back(gen_id_);
  request.max_new_tokens = prompt.max_new_tokens;
  request.beams = prompt.beams;
  request.repetition_penalty = prompt.repetition_penalty;
  request.eos = {end_id()};
  if (!prompt.stop.empty()) {
    request.stop = [this, &prompt](std::span<const int32_t> generated) {
      return stop_position(tokenizer_->decode(generated, true), prompt.stop) != std::string::npos;
    };
  }
  return request;
}

Result<FreeAnswer> Pipeline::prompt(const FreePrompt& prompt) {
  SEQGPT_ASSIGN(GenerateRequest request, free_request(prompt));
  FreeAnswer answer;
  answer.prompt_tokens = static_cast<int>(request.prompt.size());
  SEQGPT_ASSIGN(const Generation generation, engine_->generate(std::move(request)));
  const GeneratedSequence& best = generation.sequences.front();
  answer.completion_tokens = static_cast<int>(best.tokens.size());
  answer.text = tokenizer_->decode(best.tokens, true);
  const size_t cut = stop_position(answer.text, prompt.stop);
  answer.stopped = best.ended_by_eos || cut != std::string::npos;
  answer.text.resize(std::min(cut, answer.text.size()));
  return answer;
}

}  // namespace seqgpt
