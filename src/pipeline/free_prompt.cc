// SPDX-License-Identifier: Apache-2.0
// Free prompts: the user's own words, with or without SeqGPT's template, written freely or held to
// choices.
#include <algorithm>
#include <numeric>

#include "constrain/choice.h"
#include "constrain/classification.h"
#include "pipeline/answerer.h"
#include "pipeline/running_prompt.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxAnswers = 1000;
constexpr size_t kBytesASlice = 8192;  // of a prompt, encoded at once: a few milliseconds
constexpr std::string_view kReplacement =
    "\xEF\xBF\xBD";  // U+FFFD, for bytes that are no character

Error invalid(const std::string& param, const std::string& message) {
  return {ErrorCode::kInvalidArgument, param + " " + message, param};
}

/// Where the first stop string begins in an answer, or npos.
size_t stop_position(const std::string& answer, const std::vector<std::string>& stop) {
  size_t first = std::string::npos;
  for (const std::string& text : stop) first = std::min(first, answer.find(text));
  return first;
}

/// How much of the end of `text` may be the beginning of a stop string.
size_t held_for_stop(std::string_view text, const std::vector<std::string>& stop) {
  size_t held = 0;
  for (const std::string& one : stop) {
    for (size_t size = std::min(one.size() - 1, text.size()); size > held; --size) {
      if (text.ends_with(std::string_view(one).substr(0, size))) held = size;
    }
  }
  return held;
}

/// What of a text under way stays whatever comes: without a character that is not whole yet, and
/// without what a stop string may cut off.
std::string settled(std::string text, const std::vector<std::string>& stop) {
  if (const size_t cut = stop_position(text, stop); cut != std::string::npos) {
    text.resize(cut);
    return text;
  }
  while (text.ends_with(kReplacement)) text.resize(text.size() - kReplacement.size());
  text.resize(text.size() - held_for_stop(text, stop));
  return text;
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

RunningPrompt::RunningPrompt(const FreePrompt& prompt, Pipeline& pipeline)
    : prompt_(prompt), pipeline_(pipeline) {
  Status begun = begin();
  if (!begun.ok()) ended_ = std::move(begun).error();
}

Status RunningPrompt::begin() {
  if (pipeline_.model().config().head != Head::kCausalLm) {
    return Error{ErrorCode::kUnsupported,
                 "this checkpoint has a classification head: it cannot write free text"};
  }
  SEQGPT_TRY(check_text(prompt_.text, pipeline_.max_text_characters()));
  SEQGPT_TRY(check_choice(prompt_));
  SEQGPT_ASSIGN(words_, prompt_words());
  return {};
}

void RunningPrompt::prepare() {
  encoded_ = pipeline_.tokenizer().encode_part(words_, encoded_, kBytesASlice, ids_);
  if (encoded_ < words_.size()) return;
  if (pipeline_.gen_id() >= 0) ids_.push_back(pipeline_.gen_id());
  submitted_ = true;
  const Status submitted = submit(std::move(ids_));
  if (!submitted.ok()) ended_ = submitted.error();
}

Status RunningPrompt::submit(std::vector<int32_t> ids) {
  prompt_tokens_ = static_cast<int>(ids.size());
  pipeline_.engine().set_owner(prompt_.owner);
  if (prompt_.copy_only) return copy_part(std::move(ids));
  return prompt_.one_of.empty() ? write_freely(std::move(ids)) : choose_answer(std::move(ids));
}

/// Where the tokenizer has [GEN] it is a token behind them; else it is text, as HF encodes it then.
Result<std::string> RunningPrompt::prompt_words() const {
  const bool has_gen = pipeline_.gen_id() >= 0;
  if (prompt_.task_word.empty()) {
    if (!prompt_.labels.empty()) return invalid("labels", "need a task_word, e.g. 抽取");
    std::string words = prompt_.text;
    if (has_gen && words.ends_with(kGenToken)) words.resize(words.size() - kGenToken.size());
    return words;
  }
  SEQGPT_ASSIGN(const std::vector<Label> word, check_labels({{prompt_.task_word, {}, {}}}));
  SEQGPT_ASSIGN(const std::vector<Label> labels, check_labels(prompt_.labels));
  std::vector<std::string> names;
  for (const Label& label : labels) names.push_back(prompt_name(label));
  std::string words = render_prompt(prompt_name(word.front()), prompt_.text, names);
  if (!has_gen) words += kGenToken;
  return words;
}

std::string RunningPrompt::written_so_far(const Engine& engine) const {
  if (ended() || !submitted_ || prompt_.copy_only || !prompt_.one_of.empty()) return {};
  const Generation* generation = engine.peek_generation(request_);
  if (!generation) return {};
  std::vector<int32_t> ids;
  for (const TokenChoice& choice : generation->choices) ids.push_back(choice.id);
  return settled(pipeline_.tokenizer().decode(ids, true), prompt_.stop);
}

void RunningPrompt::advance(Engine& engine) {
  if (!engine.done(request_)) {
    const Generation* generation = engine.peek_generation(request_);
    if (generation && std::ranges::any_of(generation->choices, &TokenChoice::chosen))
      clock_.has_read();
    return;
  }
  ended_ = collect(engine);
  clock_.has_normalized();
  if (ended_->ok()) (*ended_)->prompt_tokens = prompt_tokens_;
}

Result<FreeAnswer> RunningPrompt::collect(Engine& engine) const {
  if (!prompt_.one_of.empty()) {
    SEQGPT_ASSIGN(const Scores scores, engine.take_scores(request_));
    return chosen(scores);
  }
  SEQGPT_ASSIGN(const Generation generation, engine.take_generation(request_));
  return copy_ ? copied(generation) : written(generation);
}

void RunningPrompt::withdraw(Engine& engine) {
  if (!submitted_) return;
  engine.cancel(request_);
  if (prompt_.one_of.empty()) {
    (void)engine.take_generation(request_);
  } else {
    (void)engine.take_scores(request_);
  }
}

Status RunningPrompt::write_freely(std::vector<int32_t> ids) {
  GenerateRequest request;
  request.prompt = std::move(ids);
  request.max_new_tokens = prompt_.max_new_tokens;
  request.beams = prompt_.beams;
  request.repetition_penalty = static_cast<float>(prompt_.repetition_penalty);
  request.eos = {pipeline_.end_id()};
  if (!prompt_.stop.empty()) {
    request.stop = [this](std::span<const int32_t> generated) {
      return stop_position(pipeline_.tokenizer().decode(generated, true), prompt_.stop) !=
             std::string::npos;
    };
  }
  SEQGPT_ASSIGN(request_, pipeline_.engine().submit(std::move(request)));
  return {};
}

Result<FreeAnswer> RunningPrompt::written(const Generation& generation) const {
  const GeneratedSequence& best = generation.sequences.front();
  FreeAnswer answer;
  answer.completion_tokens = static_cast<int>(best.tokens.size());
  answer.text = pipeline_.tokenizer().decode(best.tokens, true);
  const size_t cut = stop_position(answer.text, prompt_.stop);
  answer.stopped = best.ended_by_eos || cut != std::string::npos;
  answer.text.resize(std::min(cut, answer.text.size()));
  return answer;
}

Status RunningPrompt::copy_part(std::vector<int32_t> ids) {
  SEQGPT_ASSIGN(const auto vocabulary, pipeline_.vocabulary());
  SEQGPT_ASSIGN(SpanIndex index, SpanIndex::build(prompt_.text));
  copy_ = std::make_shared<const CopyConstraint>(
      std::make_shared<const SpanIndex>(std::move(index)), vocabulary, pipeline_.end_id());
  GenerateRequest request;
  request.prompt = std::move(ids);
  request.max_new_tokens = prompt_.max_new_tokens;
  request.constraint = copy_;
  SEQGPT_ASSIGN(request_, pipeline_.engine().submit(std::move(request)));
  return {};
}

Result<FreeAnswer> RunningPrompt::copied(const Generation& generation) const {
  const std::vector<int32_t>& tokens = generation.sequences.front().tokens;
  FreeAnswer answer;
  answer.completion_tokens = static_cast<int>(tokens.size());
  answer.stopped = generation.finish == Generation::Finish::kConstraint;
  if (!answer.stopped) {  // cut by max_new_tokens: what was copied may end anywhere
    answer.text = pipeline_.tokenizer().decode(tokens, true);
    return answer;
  }
  answer.span = copy_->source(generation.final_state);
  answer.text = prompt_.text.substr(answer.span->begin, answer.span->end - answer.span->begin);
  return answer;
}

Status RunningPrompt::choose_answer(std::vector<int32_t> ids) {
  Result<std::vector<ScoreRequest::Continuation>> answers =
      label_continuations(pipeline_.tokenizer(), prompt_.one_of, pipeline_.end_id());
  if (!answers.ok()) {
    std::string message = answers.error().message;
    if (message.starts_with("labels")) message.replace(0, 6, "one_of");
    return Error{answers.error().code, message, "one_of"};
  }
  ScoreRequest request;
  request.prompt = std::move(ids);
  request.continuations = *std::move(answers);
  for (const auto& answer : request.continuations) answer_tokens_.push_back(answer.tokens.size());
  SEQGPT_ASSIGN(request_, pipeline_.engine().submit(std::move(request)));
  return {};
}

Result<FreeAnswer> RunningPrompt::chosen(const Scores& scores) const {
  size_t best = 0;
  double best_score = 0;
  for (size_t i = 0; i < scores.logprobs.size(); ++i) {
    const double score = std::accumulate(scores.logprobs[i].begin(), scores.logprobs[i].end(), 0.0);
    if (i > 0 && score <= best_score) continue;
    best = i;
    best_score = score;
  }
  FreeAnswer answer;
  answer.text = prompt_.one_of[best];
  answer.stopped = true;
  answer.completion_tokens = static_cast<int>(answer_tokens_[best]);
  return answer;
}

Result<FreeAnswer> Pipeline::prompt(const FreePrompt& prompt) {
  const std::unique_ptr<LiveAnswerer> answerer = make_answerer(*this);
  const Ticket ticket = answerer->submit(prompt);
  while (!answerer->ready(ticket)) answerer->work();
  return answerer->take_free(ticket);
}

}  // namespace seqgpt
