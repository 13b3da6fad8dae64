// SPDX-License-Identifier: Apache-2.0
// The whole story: load a model, turn tasks into jobs, run the engine until they are done, read the
// record.
#include "pipeline/pipeline.h"

#include "pipeline/answerer.h"
#include "pipeline/fingerprint.h"

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
  SEQGPT_ASSIGN(pipeline->boundary_head_,
                BoundaryHead::load(options.model, pipeline->model_->config().hidden));
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
  const std::unique_ptr<LiveAnswerer> answerer = make_answerer(*this);
  std::vector<Ticket> tickets;
  for (const Task& task : tasks) tickets.push_back(answerer->submit(task));
  std::vector<Result<Answer>> answers;
  for (const Ticket ticket : tickets) {
    while (!answerer->ready(ticket)) answerer->work();
    answers.push_back(answerer->take(ticket));
  }
  return answers;
}

}  // namespace seqgpt
