// SPDX-License-Identifier: Apache-2.0
// Constrained greedy decoding against a full masked argmax; forced tokens; ends and dead ends.
#include <gtest/gtest.h>

#include "engine/fixture.h"
#include "support/poison_backend.h"

namespace seqgpt::testing_support {
namespace {

/// Decoding by the book: one token at a time, all logits, everything outside the automaton masked.
std::vector<TokenChoice> masked_argmax(Engine& engine, const Ids& prompt, const Constraint& grammar,
                                       size_t most) {
  std::vector<TokenChoice> choices;
  Ids all = prompt;
  auto state = grammar.start();
  while (!grammar.finished(state) && choices.size() < most) {
    Ids ids;
    grammar.forced(state, ids);
    TokenChoice choice{.id = ids.empty() ? 0 : ids[0]};
    if (ids.empty()) {
      grammar.allowed(state, ids);
      const auto logits = last_logits(engine, all);
      std::vector<float> values;
      for (const int32_t id : ids) values.push_back(logits[static_cast<size_t>(id)]);
      const size_t best = index_of_max(values);
      choice = {ids[best], true, static_cast<int>(ids.size()),
                static_cast<float>(log_softmax(values)[best])};
    }
    choices.push_back(choice);
    all.push_back(choice.id);
    state = grammar.advance(state, choice.id);
  }
  return choices;
}

class Constrained : public ::testing::TestWithParam<int> {};

TEST_P(Constrained, ChoosesAsAFullMaskedArgmax) {
  const LoadedModel loaded = random_model(3);
  const auto engine = make_engine(*loaded.model, 20);
  const auto seed = static_cast<uint32_t>(GetParam());
  std::mt19937 random(seed);
  const Ids prompt = random_ids(random, 1 + random() % 60, 150);
  const auto grammar = std::make_shared<ToyConstraint>(seed, 30, 150);
  for (const int most : {1, 5, 100}) {
    const auto expected = masked_argmax(*engine, prompt, *grammar, static_cast<size_t>(most));
    const auto got =
        engine->generate({.prompt = prompt, .max_new_tokens = most, .constraint = grammar});
    ASSERT_TRUE(got.ok()) << got.error().message;
    ASSERT_EQ(got->choices.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got->choices[i].id, expected[i].id) << i;
      EXPECT_EQ(got->choices[i].chosen, expected[i].chosen) << i;
      EXPECT_EQ(got->choices[i].candidates, expected[i].candidates) << i;
      EXPECT_NEAR(got->choices[i].logprob, expected[i].logprob, 1e-5) << i;
    }
    EXPECT_EQ(got->final_state.word[1], expected.size());
    const bool ended = grammar->finished(got->final_state);
    EXPECT_EQ(got->finish == Generation::Finish::kConstraint, ended);
    EXPECT_TRUE(ended || expected.size() == static_cast<size_t>(most));
  }
}

INSTANTIATE_TEST_SUITE_P(Automata, Constrained, ::testing::Range(0, 12));

/// Forces `before`, then a choice among `choice`, then forces `after`.
class Sandwich final : public Constraint {
 public:
  Sandwich(Ids before, Ids choice, Ids after)
      : before_(std::move(before)), choice_(std::move(choice)), after_(std::move(after)) {}
  State start() const override { return {}; }
  bool finished(const State& state) const override {
    return state.word[0] == before_.size() + (choice_.empty() ? 0 : 1) + after_.size();
  }
  void forced(const State& state, Ids& ids) const override {
    const size_t at = state.word[0];
    if (at < before_.size())
      ids.assign(before_.begin() + static_cast<ptrdiff_t>(at), before_.end());
    if (at > before_.size() || (choice_.empty() && at == before_.size())) ids = after_;
  }
  void allowed(const State&, Ids& ids) const override { ids = choice_; }
  State advance(const State& state, int32_t) const override {
    State next;
    next.word[0] = state.word[0] + 1;
    return next;
  }

 private:
  Ids before_;
  Ids choice_;
  Ids after_;
};

class ConstrainedSteps : public ::testing::Test {
 protected:
  ConstrainedSteps() {
    auto backend = std::make_unique<PoisonBackend>(cpu());
    spy_ = backend.get();
    loaded_ = random_model(4, std::move(backend));
    engine_ = make_engine(*loaded_.model, 8);
  }
  Generation run(std::shared_ptr<const Constraint> constraint, int most = 50, int beams = 1) {
    auto got = engine_->generate({.prompt = {1, 2, 3},
                                  .max_new_tokens = most,
                                  .beams = beams,
                                  .constraint = std::move(constraint)});
    if (!got.ok()) throw std::runtime_error(got.error().message);
    return std::move(got).value();
  }

  PoisonBackend* spy_ = nullptr;
  LoadedModel loaded_;
  std::unique_ptr<Engine> engine_;
};

/// Tokens forced at the start ride with the prompt, tokens forced at the end are never computed.
TEST_F(ConstrainedSteps, ForcedTokensTakeNoStepOfTheirOwn) {
  const auto got = run(std::make_shared<Sandwich>(Ids{7, 8}, Ids{10, 20, 30}, Ids{9, 9, 9}));
  EXPECT_EQ(got.finish, Generation::Finish::kConstraint);
  EXPECT_EQ(got.choices.size(), 6U);
  EXPECT_EQ(spy_->rows_of_steps(), (std::vector<size_t>{5}));
  EXPECT_EQ(engine_->counters().steps, 1U);
  EXPECT_EQ(engine_->counters().prompt_tokens, 3U);
  EXPECT_EQ(engine_->counters().forced_tokens, 5U);
  EXPECT_EQ(engine_->counters().decoded_tokens, 1U);
  EXPECT_EQ(engine_->counters().logits_rows, 3U);  // the allowed ones, no other
}

/// Three beams of one forced beginning, each with its forced end: one pass answers them all.
TEST_F(ConstrainedSteps, ForcedTokensOfBeamsTakeNoStepOfTheirOwnEither) {
  const auto got = run(std::make_shared<Sandwich>(Ids{7, 8}, Ids{10, 20, 30}, Ids{9, 9, 9}), 50, 3);
  EXPECT_EQ(got.finish, Generation::Finish::kConstraint);
  EXPECT_EQ(got.sequences.size(), 3U);
  EXPECT_EQ(got.choices.size(), 6U);
  EXPECT_EQ(spy_->rows_of_steps(), (std::vector<size_t>{5}));
  EXPECT_EQ(engine_->counters().logits_rows, 3U);
  EXPECT_EQ(engine_->counters().full_rows, 0U);
  EXPECT_EQ(engine_->counters().kv_blocks_used, 0);
}

TEST_F(ConstrainedSteps, BeamsWithoutAChoiceNeedNoStepAtAll) {
  for (const Ids& forced : {Ids{7, 8}, Ids{}}) {
    const auto got = run(std::make_shared<Sandwich>(forced, Ids{}, Ids{}), 50, 2);
    EXPECT_EQ(got.sequences.size(), 1U);
    EXPECT_EQ(got.sequences[0].tokens, forced);
    EXPECT_EQ(got.sequences[0].score, 0);
    EXPECT_EQ(got.finish, Generation::Finish::kConstraint);
  }
  EXPECT_EQ(engine_->counters().steps, 0U);
}

TEST_F(ConstrainedSteps, TheLimitCutsBeamsInTheirForcedTokens) {
  const auto got = run(std::make_shared<Sandwich>(Ids{7}, Ids{10, 20}, Ids{9, 9}), 3, 2);
  ASSERT_EQ(got.sequences.size(), 2U);
  EXPECT_EQ(got.sequences[0].tokens.size(), 3U);
  EXPECT_EQ(got.finish, Generation::Finish::kLength);
  EXPECT_EQ(got.final_state.word[0], 3U);
}

TEST_F(ConstrainedSteps, AllForcedNeedsNoStepAtAll) {
  const auto got = run(std::make_shared<Sandwich>(Ids{7, 8}, Ids{}, Ids{}));
  EXPECT_EQ(got.sequences[0].tokens, (Ids{7, 8}));
  EXPECT_EQ(got.finish, Generation::Finish::kConstraint);
  EXPECT_EQ(engine_->counters().steps, 0U);
  EXPECT_EQ(engine_->counters().finished, 1U);
  const auto empty = run(std::make_shared<Sandwich>(Ids{}, Ids{}, Ids{}));
  EXPECT_TRUE(empty.sequences[0].tokens.empty());
  EXPECT_EQ(empty.sequences[0].score, 0);
}

TEST_F(ConstrainedSteps, TheLimitCutsForcedTokensToo) {
  const auto got = run(std::make_shared<Sandwich>(Ids{7, 8, 9}, Ids{10, 20}, Ids{}), 2);
  EXPECT_EQ(got.sequences[0].tokens, (Ids{7, 8}));
  EXPECT_EQ(got.finish, Generation::Finish::kLength);
  EXPECT_EQ(got.final_state.word[0], 2U);
  const auto exact = run(std::make_shared<Sandwich>(Ids{7, 8, 9}, Ids{}, Ids{}), 3);
  EXPECT_EQ(exact.finish, Generation::Finish::kConstraint);
}

TEST_F(ConstrainedSteps, EqualLogitsGoToTheLowestId) {
  // The same row twice cannot be had from a model; the same id twice can, and the first must win.
  const auto got = run(std::make_shared<Sandwich>(Ids{}, Ids{5, 5}, Ids{}));
  EXPECT_EQ(got.choices[0].id, 5);
  EXPECT_NEAR(got.choices[0].logprob, -std::log(2.0), 1e-6);
}

TEST_F(ConstrainedSteps, WhatAConstraintGetsWrongFailsItsRequestAlone) {
  struct NoWay final : Constraint {
    Ids allow, force;
    State start() const override { return {}; }
    bool finished(const State&) const override { return false; }
    void forced(const State&, Ids& ids) const override { ids = force; }
    void allowed(const State&, Ids& ids) const override { ids = allow; }
    State advance(const State& state, int32_t) const override { return state; }
  };
  const auto healthy = engine_->submit(GenerateRequest{.prompt = {1, 2}, .max_new_tokens = 5});
  for (const auto& [allow, force] :
       std::vector<std::pair<Ids, Ids>>{{{}, {}}, {{1, 150}, {}}, {{-1, 3}, {}}, {{}, {999}}}) {
    auto constraint = std::make_shared<NoWay>();
    constraint->allow = allow;
    constraint->force = force;
    const auto got = engine_->generate({.prompt = {4}, .constraint = constraint});
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code, ErrorCode::kInternal);
    const auto beams = engine_->generate(
        {.prompt = {4}, .max_new_tokens = 20, .beams = 3, .constraint = constraint});
    ASSERT_FALSE(beams.ok());
    EXPECT_EQ(beams.error().code, ErrorCode::kInternal);
  }
  EXPECT_EQ(engine_->counters().failed, 8U);
  while (engine_->step()) {
  }
  EXPECT_TRUE(engine_->take_generation(*healthy).ok());
  EXPECT_EQ(engine_->counters().kv_blocks_used, 0);
}

}  // namespace
}  // namespace seqgpt::testing_support
