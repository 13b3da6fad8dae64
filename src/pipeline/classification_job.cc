// SPDX-License-Identifier: Apache-2.0
// Classification by the language model: every label scored over one prompt, probabilities that sum
// to one.
#include <algorithm>
#include <cmath>

#include "constrain/classification.h"
#include "pipeline/job.h"

namespace seqgpt {
namespace {

class ClassificationJob final : public Job {
 public:
  explicit ClassificationJob(const Task& task) : task_(task) {}

  Status prepare(const Pipeline& pipeline, int32_t end_id) {
    std::vector<std::string> names;
    for (const Label& label : task_.labels) names.push_back(prompt_name(label));
    request_.prompt = pipeline.encode_prompt(render_prompt(TaskKind::kClassify, task_.text, names));
    SEQGPT_ASSIGN(request_.continuations, label_continuations(pipeline.tokenizer(), names, end_id));
    return {};
  }

  Status submit(Engine& engine) override {
    SEQGPT_ASSIGN(id_, engine.submit(std::move(request_)));
    return {};
  }

  bool ready(const Engine& engine) const override { return engine.done(id_); }

  Result<Answer> collect(Engine& engine) override {
    SEQGPT_ASSIGN(const Scores scores, engine.take_scores(id_));
    Answer answer;
    answer.kind = TaskKind::kClassify;
    answer.labels = task_.labels;
    for (size_t i = 0; i < scores.logprobs.size(); ++i) {
      double logprob = 0;
      for (const float step : scores.logprobs[i]) logprob += step;
      answer.classes.push_back({i, std::exp(logprob)});
    }
    std::ranges::stable_sort(answer.classes, std::greater{}, &ClassScore::probability);
    return answer;
  }

 private:
  const Task& task_;
  ScoreRequest request_;
  RequestId id_ = 0;
};

}  // namespace

Result<std::unique_ptr<Job>> make_classification_job(const Pipeline& pipeline, const Task& task) {
  auto job = std::make_unique<ClassificationJob>(task);
  SEQGPT_TRY(job->prepare(pipeline, pipeline.end_id()));
  return std::unique_ptr<Job>(std::move(job));
}

}  // namespace seqgpt
