// SPDX-License-Identifier: Apache-2.0
// Free prompts: the user's own words, with or without SeqGPT's template, written freely or held to
// choices.
#include <algorithm>
#include <numeric>

#include "constrain/choice.h"
#include "constrain/classification.h"
#include "pipeline/pipeline.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxAnswers = 1000;

Error invalid(const std::string& param, const std::string& message) {
  return {ErrorCode::kInvalidArgument, param + " " + message, param};
}

/// Where the first stop string begins in an answer, or npos.
size_t stop_position(const std::string& answer, const std::vector<std::string>& stop) {
  size_t first = std::string::npos;
  for (const std::string& text : stop) first = std::min(first, answer.find(text));
  return first;
}

Status check_choice(const FreePrompt& prompt) {
  for (const std::string& stop : prompt.stop) {
    if (stop.empty()) return invalid("stop", "must not be an empty string");
  }
  if (!prompt.copy_only && prompt.one_of.empty()) return {};
  const char* param = prompt.copy_only ? "copy_only" : "one_of";
  if (prompt.copy_only && !prompt.one_of.empty())
    return invalid("copy_only", "and one_of exclude each other; take one");
  if (prompt.beams != 1 || prompt.repetition_penalty != 1 || !prompt.stop.empty())
    return invalid(param, "takes no beams, repetition_penalty or stop; leave them out");
  if (prompt.one_of.size() > kMaxAnswers) return invalid("one_of", "has more than 1000 answers");
  return {};
}

}  // namespace

Result<std::vector<int32_t>> Pipeline::free_prompt_ids(const FreePrompt& prompt) const {
  if (prompt.task_word.empty()) {
    if (!prompt.labels.empty()) return invalid("labels", "need a task_word, e.g. 抽取");
    std::string_view text = prompt.text;
    if (gen_id_ >= 0 && text.ends_with(kGenToken))
      text.remove_suffix(kGenToken.size());  // appended below as a token
    std::vector<int32_t> ids = tokenizer_->encode(text);
    if (gen_id_ >= 0) ids.push_back(gen_id_);
    return ids;
  }
  SEQGPT_ASSIGN(const std::vector<Label> word, check_labels({{prompt.task_word, {}, {}}}));
  SEQGPT_ASSIGN(const std::vector<Label> labels, check_labels(prompt.labels));
  std::vector<std::string> names;
  for (const Label& label : labels) names.push_back(prompt_name(label));
  return encode_prompt(render_prompt(prompt_name(word.front()), prompt.text, names));
}

Result<FreeAnswer> Pipeline::prompt(const FreePrompt& prompt) {
  if (model_->config().head != Head::kCausalLm) {
    return Error{ErrorCode::kUnsupported,
                 "this checkpoint has a classification head: it cannot write free text"};
  }
  SEQGPT_TRY(check_text(prompt.text, max_text_characters_));
  SEQGPT_TRY(check_choice(prompt));
  SEQGPT_ASSIGN(std::vector<int32_t> ids, free_prompt_ids(prompt));
  const auto prompt_tokens = static_cast<int>(ids.size());
  Result<FreeAnswer> answer = prompt.copy_only        ? copy_part(prompt, std::move(ids))
                              : prompt.one_of.empty() ? write_freely(prompt, std::move(ids))
                                                      : choose_answer(prompt, std::move(ids));
  if (answer.ok()) answer->prompt_tokens = prompt_tokens;
  return answer;
}

Result<FreeAnswer> Pipeline::write_freely(const FreePrompt& prompt, std::vector<int32_t> ids) {
  GenerateRequest request;
  request.prompt = std::move(ids);
  request.max_new_tokens = prompt.max_new_tokens;
  request.beams = prompt.beams;
  request.repetition_penalty = static_cast<float>(prompt.repetition_penalty);
  request.eos = {end_id()};
  if (!prompt.stop.empty()) {
    request.stop = [this, &prompt](std::span<const int32_t> generated) {
      return stop_position(tokenizer_->decode(generated, true), prompt.stop) != std::string::npos;
    };
  }
  SEQGPT_ASSIGN(const Generation generation, engine_->generate(std::move(request)));
  const GeneratedSequence& best = generation.sequences.front();
  FreeAnswer answer;
  answer.completion_tokens = static_cast<int>(best.tokens.size());
  answer.text = tokenizer_->decode(best.tokens, true);
  const size_t cut = stop_position(answer.text, prompt.stop);
  answer.stopped = best.ended_by_eos || cut != std::string::npos;
  answer.text.resize(std::min(cut, answer.text.size()));
  return answer;
}

Result<FreeAnswer> Pipeline::copy_part(const FreePrompt& prompt, std::vector<int32_t> ids) {
  SEQGPT_ASSIGN(const auto vocabulary, vocabulary_);
  SEQGPT_ASSIGN(SpanIndex index, SpanIndex::build(prompt.text));
  const auto constraint = std::make_shared<const CopyConstraint>(
      std::make_shared<const SpanIndex>(std::move(index)), vocabulary, end_id());
  GenerateRequest request;
  request.prompt = std::move(ids);
  request.max_new_tokens = prompt.max_new_tokens;
  request.constraint = constraint;
  SEQGPT_ASSIGN(const Generation generation, engine_->generate(std::move(request)));
  FreeAnswer answer;
  answer.completion_tokens = static_cast<int>(generation.sequences.front().tokens.size());
  answer.stopped = generation.finish == Generation::Finish::kConstraint;
  if (!answer.stopped) {  // cut by max_new_tokens: what was copied may end anywhere
    answer.text = tokenizer_->decode(generation.sequences.front().tokens, true);
    return answer;
  }
  answer.span = constraint->source(generation.final_state);
  answer.text = prompt.text.substr(answer.span->begin, answer.span->end - answer.span->begin);
  return answer;
}

Result<FreeAnswer> Pipeline::choose_answer(const FreePrompt& prompt, std::vector<int32_t> ids) {
  Result<std::vector<ScoreRequest::Continuation>> answers =
      label_continuations(*tokenizer_, prompt.one_of, end_id());
  if (!answers.ok()) {
    std::string message = answers.error().message;
    if (message.starts_with("labels")) message.replace(0, 6, "one_of");
    return Error{answers.error().code, message, "one_of"};
  }
  ScoreRequest request;
  request.prompt = std::move(ids);
  request.continuations = *answers;
  SEQGPT_ASSIGN(const Scores scores, engine_->score(std::move(request)));
  size_t best = 0;
  double best_score = 0;
  for (size_t i = 0; i < scores.logprobs.size(); ++i) {
    const double score = std::accumulate(scores.logprobs[i].begin(), scores.logprobs[i].end(), 0.0);
    if (i > 0 && score <= best_score) continue;
    best = i;
    best_score = score;
  }
  FreeAnswer answer;
  answer.text = prompt.one_of[best];
  answer.stopped = true;
  answer.completion_tokens = static_cast<int>((*answers)[best].tokens.size());
  return answer;
}

}  // namespace seqgpt
