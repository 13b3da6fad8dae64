// SPDX-License-Identifier: Apache-2.0
// A request of the bench: a text of 200 tokens with 5 labels, and what its answer of 40 consists
// of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace seqgpt {

/// An answer of fixed length and form that works as an extraction's does: labels are forced, each
/// token of a value is the model's choice among rows of the text. Which choice it makes changes
/// nothing that follows: neither how many tokens come, nor which are forced, nor among which rows
/// the next is chosen. So a request costs the same whatever the weights: random ones, which would
/// end an extraction anywhere, included.
///
/// Guesses need an answer to be right about: with_guesses() takes the model's own, asked before
/// without them, and is right and wrong at fixed places. So the number of passes too is the same on
/// every machine, and every guess is checked by the model as in earnest.
class ScriptedAnswer final : public Constraint {
 public:
  struct Token {
    std::vector<int32_t> ids = {};  // ascending; one: forced, more: chosen among these
    int32_t guess = kNoGuess;
  };
  explicit ScriptedAnswer(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  int size() const { return static_cast<int>(tokens_.size()); }

  State start() const override { return {}; }
  bool finished(const State& state) const override { return state.word[0] == tokens_.size(); }
  void forced(const State& state, std::vector<int32_t>& ids) const override;
  void allowed(const State& state, std::vector<int32_t>& ids) const override;
  State advance(const State& state, int32_t id) const override;
  int32_t guess(const State& state) const override { return tokens_[state.word[0]].guess; }

  /// What is guessed at the choices of an answer.
  enum class Guess : uint8_t { kNone, kRight, kWrong };
  /// The same, guessing at the i-th choice what guesses[i] says (none beyond its end) of `answer`,
  /// which is one that this constraint led to.
  std::shared_ptr<const ScriptedAnswer> with_guesses(std::span<const TokenChoice> answer,
                                                     std::span<const Guess> guesses) const;

 private:
  std::vector<Token> tokens_;
};

struct BenchRequest {
  std::vector<int32_t> prompt;
  std::shared_ptr<const ScriptedAnswer> answer;

  GenerateRequest generate() const {
    return {.prompt = prompt, .max_new_tokens = answer->size(), .constraint = answer};
  }
  int positions() const { return static_cast<int>(prompt.size()) + answer->size(); }
};

/// The request on text number `text`, nothing guessed. Its ids are pseudo-random: equal on every
/// machine for an equal vocabulary (4 rows or more), other for each text.
BenchRequest make_bench_request(int vocabulary, uint32_t text);

/// The same request with guesses as good as extraction's are on average (docs/performance.md): of
/// 20 choices 13 need no pass of their own, of 23 guesses checked 13 are right.
BenchRequest with_usual_guesses(const BenchRequest& request, const Generation& answer);

}  // namespace seqgpt
