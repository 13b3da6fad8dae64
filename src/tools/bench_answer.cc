// SPDX-License-Identifier: Apache-2.0
// The script of an answer: five lines of a forced label, a value of three tokens and its end.
#include "tools/bench_answer.h"

#include <algorithm>
#include <random>

namespace seqgpt {
namespace {

constexpr int kTextTokens = 200;
constexpr int kLabels = 5;
constexpr int kLabelTokens = 4;   // with its colon
constexpr int kChosenTokens = 4;  // a value of three and the token that ends it
constexpr int kNear = 4;  // rows that compete where a value goes on; its first token has the text's
// SeqGPT's template around a text, and what parts the labels.
constexpr int kHeadTokens = 3;
constexpr int kTaskTokens = 3;
constexpr int kTailTokens = 4;

using Ids = std::vector<int32_t>;

Ids random_ids(std::mt19937& random, int vocabulary, int count) {
  Ids ids(static_cast<size_t>(count));
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % static_cast<uint32_t>(vocabulary));
  return ids;
}

Ids distinct(std::span<const int32_t> ids) {
  Ids sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  return sorted;
}

void append(Ids& ids, const Ids& more) {
  ids.insert(ids.end(), more.begin(), more.end());
}

/// What may stand at the chosen tokens of a value that is copied from `place` of the text on.
void append_value(std::vector<ScriptedAnswer::Token>& answer, const Ids& text, size_t place) {
  answer.push_back({.ids = distinct(text)});
  for (size_t i = 1; i < kChosenTokens; ++i)
    answer.push_back({.ids = distinct(std::span(text).subspan(place + i, kNear))});
}

}  // namespace

void ScriptedAnswer::forced(const State& state, std::vector<int32_t>& ids) const {
  for (size_t i = state.word[0]; i < tokens_.size() && tokens_[i].ids.size() == 1; ++i)
    ids.push_back(tokens_[i].ids.front());
}

void ScriptedAnswer::allowed(const State& state, std::vector<int32_t>& ids) const {
  const Ids& allowed = tokens_[state.word[0]].ids;
  ids.assign(allowed.begin(), allowed.end());
}

Constraint::State ScriptedAnswer::advance(const State& state, int32_t) const {
  State after = state;
  ++after.word[0];
  return after;
}

std::shared_ptr<const ScriptedAnswer> ScriptedAnswer::with_guesses(
    std::span<const TokenChoice> answer, std::span<const Guess> guesses) const {
  std::vector<Token> tokens = tokens_;
  size_t choice = 0;
  for (size_t i = 0; i < std::min(tokens.size(), answer.size()); ++i) {
    if (!answer[i].chosen || choice == guesses.size()) continue;
    const Guess guess = guesses[choice++];
    const Ids& ids = tokens[i].ids;
    const int32_t wrong = ids.front() == answer[i].id ? ids.back() : ids.front();
    if (guess != Guess::kNone) tokens[i].guess = guess == Guess::kRight ? answer[i].id : wrong;
  }
  return std::make_shared<const ScriptedAnswer>(std::move(tokens));
}

BenchRequest make_bench_request(int vocabulary, uint32_t text) {
  std::mt19937 random(text);
  const Ids words = random_ids(random, vocabulary, kTextTokens);
  BenchRequest request;
  append(request.prompt, random_ids(random, vocabulary, kHeadTokens));
  append(request.prompt, words);
  append(request.prompt, random_ids(random, vocabulary, kTaskTokens));
  std::vector<ScriptedAnswer::Token> answer;
  size_t place = 0;  // of the value in the text
  for (int i = 0; i < kLabels; ++i) {
    const Ids label = random_ids(random, vocabulary, kLabelTokens);  // a separator for its colon
    append(request.prompt, label);
    for (const int32_t id : label) answer.push_back({.ids = {id}});
    append_value(answer, words, place);
    place += kTextTokens / kLabels;
  }
  append(request.prompt, random_ids(random, vocabulary, kTailTokens));
  request.answer = std::make_shared<const ScriptedAnswer>(std::move(answer));
  return request;
}

BenchRequest with_usual_guesses(const BenchRequest& request, const Generation& answer) {
  using enum ScriptedAnswer::Guess;
  // A line each: how a value begins is seldom guessed, how it goes on nearly always.
  static constexpr ScriptedAnswer::Guess kUsual[kLabels * kChosenTokens] = {
      kNone,  kRight, kRight, kRight,  //
      kWrong, kRight, kRight, kRight,  //
      kNone,  kRight, kRight, kRight,  //
      kWrong, kRight, kWrong, kRight,  //
      kNone,  kRight, kRight, kRight};
  return {request.prompt, request.answer->with_guesses(answer.choices, kUsual)};
}

}  // namespace seqgpt
