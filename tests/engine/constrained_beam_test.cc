// SPDX-License-Identifier: Apache-2.0
// Beams under a constraint against a literal restatement of HF's search over the allowed tokens.
#include <gtest/gtest.h>

#include "engine/fixture.h"

namespace seqgpt::testing_support {
namespace {

struct Hypothesis {
  Ids tokens;
  double sum = 0;
  double score = 0;
  bool whole = false;
};

/// One token at a time, all logits, everything outside the automaton masked before the softmax; the
/// length rule and the end of the search as in transformers (GenerationMixin._beam_search).
struct MaskedBeamSearch {
  Engine& engine;
  const GenerateRequest& request;
  std::vector<std::vector<Ids>> running_by_length = {};  // for the question of what was pruned

  Constraint::State state_after(const Ids& tokens) const {
    auto state = request.constraint->start();
    for (const int32_t id : tokens) state = request.constraint->advance(state, id);
    return state;
  }

  std::vector<Hypothesis> continuations(const Hypothesis& beam) const {
    const auto state = state_after(beam.tokens);
    Ids ids;
    request.constraint->allowed(state, ids);  // a single one where it is forced
    Ids all = request.prompt;
    all.insert(all.end(), beam.tokens.begin(), beam.tokens.end());
    const auto logits = last_logits(engine, all);
    std::vector<float> values;
    for (const int32_t id : ids) values.push_back(logits[static_cast<size_t>(id)]);
    const auto logprobs = log_softmax(values);
    std::vector<Hypothesis> next;
    for (size_t i = 0; i < ids.size(); ++i) {
      next.push_back({beam.tokens, beam.sum + logprobs[i]});
      next.back().tokens.push_back(ids[i]);
      next.back().whole = request.constraint->finished(state_after(next.back().tokens));
    }
    return next;
  }

  std::vector<Hypothesis> run() {
    const auto beams = static_cast<size_t>(request.beams);
    std::vector<Hypothesis> running(1);
    std::vector<Hypothesis> kept;
    for (int length = 1;; ++length) {
      std::vector<Hypothesis> top;
      for (const Hypothesis& beam : running) {
        for (Hypothesis& next : continuations(beam)) top.push_back(std::move(next));
      }
      std::ranges::stable_sort(top, std::greater<>(), &Hypothesis::sum);
      running.clear();
      for (size_t rank = 0; rank < top.size(); ++rank) {
        top[rank].score = top[rank].sum / length;
        if (!top[rank].whole && length < request.max_new_tokens) {
          if (running.size() < beams) running.push_back(top[rank]);
        } else if (rank < beams) {
          kept.push_back(top[rank]);
        }
      }
      std::ranges::stable_sort(kept, std::greater<>(), &Hypothesis::score);
      kept.resize(std::min(kept.size(), beams));
      running_by_length.emplace_back();
      for (const Hypothesis& beam : running) running_by_length.back().push_back(beam.tokens);
      const bool improvable =
          !running.empty() && (kept.size() < beams || running[0].sum / length > kept.back().score);
      if (!improvable) return kept;
    }
  }

  /// Whether the search threw a beginning of these tokens away, or ended before it had them all.
  bool lost(const Ids& tokens) const {
    for (size_t length = 1; length < tokens.size(); ++length) {
      if (length > running_by_length.size()) return true;
      const Ids begin(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(length));
      if (std::ranges::find(running_by_length[length - 1], begin) ==
          running_by_length[length - 1].end())
        return true;
    }
    return running_by_length.size() < tokens.size();
  }
};

class ConstrainedBeams : public ::testing::TestWithParam<int> {
 protected:
  ConstrainedBeams() : seed_(static_cast<uint32_t>(GetParam())), loaded_(random_model(seed_ % 4)) {}
  GenerateRequest request(int most, int beams) {
    GenerateRequest made{.prompt = random_ids(random_, 1 + random_() % 60, 150)};
    made.max_new_tokens = most;
    made.beams = beams;
    made.constraint = std::make_shared<ToyConstraint>(seed_, 30, 150);
    return made;
  }

  uint32_t seed_;
  std::mt19937 random_{seed_};
  LoadedModel loaded_;
};

TEST_P(ConstrainedBeams, SearchAsTransformersOverTheAllowedTokens) {
  const auto engine = make_engine(*loaded_.model, 80);
  for (const auto& [most, beams] : {std::pair{1, 3}, {6, 2}, {60, 4}, {60, 16}}) {
    SCOPED_TRACE(std::to_string(beams) + " beams");
    const GenerateRequest asked = request(most, beams);
    const auto got = make_engine(*loaded_.model, 80)->generate(asked);
    ASSERT_TRUE(got.ok()) << got.error().message;
    MaskedBeamSearch reference{*engine, asked};
    const auto expected = reference.run();
    ASSERT_EQ(got->sequences.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got->sequences[i].tokens, expected[i].tokens) << "rank " << i;
      EXPECT_NEAR(got->sequences[i].score, expected[i].score, 1e-5);
    }
    EXPECT_EQ(got->finish == Generation::Finish::kConstraint, expected[0].whole);
    EXPECT_EQ(got->final_state.word[1], expected[0].tokens.size());
    double sum = 0;
    ASSERT_EQ(got->choices.size(), expected[0].tokens.size());
    for (size_t i = 0; i < got->choices.size(); ++i) {
      EXPECT_EQ(got->choices[i].id, expected[0].tokens[i]);
      sum += got->choices[i].logprob;
    }
    EXPECT_NEAR(sum, expected[0].sum, 1e-5);
  }
}

/// A search may prune what greedy finds, and HF's may end before it; else it is no worse.
TEST_P(ConstrainedBeams, AreNoWorseThanGreedyUnlessItWasPruned) {
  const auto engine = make_engine(*loaded_.model, 80);
  for (const int beams : {2, 4, 8}) {
    const GenerateRequest asked = request(60, beams);
    GenerateRequest greedy = asked;
    greedy.beams = 1;
    const auto one = engine->generate(greedy);
    const auto many = engine->generate(asked);
    ASSERT_TRUE(one.ok() && many.ok());
    MaskedBeamSearch reference{*engine, asked};
    (void)reference.run();
    if (reference.lost(one->sequences[0].tokens)) continue;
    EXPECT_GE(many->sequences[0].score, one->sequences[0].score - 1e-9);
  }
}

TEST_P(ConstrainedBeams, ComputeTheAllowedRowsOnlyAndGiveTheirBlocksBack) {
  const auto engine = make_engine(*loaded_.model, 80, {.prefix_cache_bytes = 0});
  const auto got = engine->generate(request(60, 4));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(engine->counters().full_rows, 0U);
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  const auto id = engine->submit(request(60, 4));
  while (!engine->done(*id) && engine->counters().kv_blocks_used == 0) ASSERT_TRUE(engine->step());
  engine->step();
  engine->cancel(*id);
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
}

INSTANTIATE_TEST_SUITE_P(Automata, ConstrainedBeams, ::testing::Range(0, 12));

/// A choice of two, forever.
struct Fork final : Constraint {
  State start() const override { return {}; }
  bool finished(const State&) const override { return false; }
  void forced(const State&, Ids&) const override {}
  void allowed(const State&, Ids& ids) const override { ids = {3, 4}; }
  State advance(const State& state, int32_t) const override { return state; }
};

TEST(ConstrainedBeamMemory, TheReservedBlocksSuffice) {
  const LoadedModel loaded = random_model(5);
  std::mt19937 random(5);
  for (const size_t length : {1, 31, 32, 33, 64}) {
    const GenerateRequest request{.prompt = random_ids(random, length, 150),
                                  .max_new_tokens = 40,
                                  .beams = 4,
                                  .constraint = std::make_shared<Fork>()};
    const int shared = static_cast<int>(length) / kKvBlockTokens;
    const int whole = (static_cast<int>(length) + 39 + kKvBlockTokens - 1) / kKvBlockTokens;
    const int blocks = shared + 4 * (whole - shared);
    const auto tight = make_engine(*loaded.model, blocks);
    const auto got = tight->generate(request);
    ASSERT_TRUE(got.ok()) << got.error().message;
    expect_same(*got, *make_engine(*loaded.model, 200)->generate(request));
    EXPECT_EQ(tight->counters().kv_blocks_used, 0);
    EXPECT_EQ(make_engine(*loaded.model, blocks - 1)->generate(request).error().code,
              ErrorCode::kTooLarge);
  }
}

}  // namespace
}  // namespace seqgpt::testing_support
