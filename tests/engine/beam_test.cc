// SPDX-License-Identifier: Apache-2.0
// Beam search against a literal restatement of HF's vectorised search, on models where EOS is
// likely.
#include <gtest/gtest.h>

#include "engine/fixture.h"

namespace seqgpt::testing_support {
namespace {

constexpr double kNone = -1e9;  // HF's score of what is not there

struct Hypothesis {
  Ids tokens;  // generated, EOS included
  double score = kNone;
  bool finished = false;
};

/// transformers >= 4.50, GenerationMixin._beam_search, for one prompt, length_penalty 1,
/// early_stopping False, its arrays as vectors: running_sequences, running_beam_scores, sequences,
/// beam_scores.
struct HfBeamSearch {
  Engine& engine;
  const GenerateRequest& request;

  bool is_eos(int32_t id) const {
    return std::find(request.eos.begin(), request.eos.end(), id) != request.eos.end();
  }

  std::vector<double> log_probs(const Ids& generated) const {
    Ids all = request.prompt;
    all.insert(all.end(), generated.begin(), generated.end());
    auto values = log_softmax(last_logits(engine, all));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const int32_t id : all) {
      double& value = values[static_cast<size_t>(id)];
      value = value < 0 ? value * request.repetition_penalty : value / request.repetition_penalty;
    }
    return values;
  }

  static void keep_best(std::vector<Hypothesis>& all, size_t count) {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), count));
  }

  std::vector<Hypothesis> run() const {
    const auto beams = static_cast<size_t>(request.beams);
    const size_t beams_to_keep = std::max<size_t>(2, 1 + request.eos.size()) * beams;
    std::vector<Hypothesis> running(beams);
    running[0].score = 0;
    std::vector<Hypothesis> sequences(beams);
    for (int length = 1;; ++length) {
      std::vector<Hypothesis> top;
      for (const Hypothesis& beam : running) {
        if (beam.score <= kNone / 2) continue;
        const auto scores = log_probs(beam.tokens);
        for (size_t id = 0; id < scores.size(); ++id) {
          top.push_back({beam.tokens, beam.score + scores[id]});
          top.back().tokens.push_back(static_cast<int32_t>(id));
        }
        keep_best(top, beams_to_keep);
      }
      std::vector<Hypothesis> next;
      for (size_t rank = 0; rank < top.size(); ++rank) {
        const bool hits = is_eos(top[rank].tokens.back()) || length == request.max_new_tokens;
        next.push_back(top[rank]);
        if (!hits) continue;
        next.back().score += kNone;
        if (rank >= beams) continue;
        sequences.push_back({top[rank].tokens, top[rank].score / length, true});
      }
      keep_best(sequences, beams);
      keep_best(next, beams);
      running = next;
      const double worst =
          std::min_element(sequences.begin(), sequences.end(), [](auto& a, auto& b) {
            return a.score < b.score;
          })->score;
      const bool improvement_possible = running[0].score / length > worst;
      if (!improvement_possible || length == request.max_new_tokens) return sequences;
    }
  }
};

class Beams : public ::testing::TestWithParam<int> {};

TEST_P(Beams, AsTransformersSearches) {
  const auto seed = static_cast<uint32_t>(GetParam());
  const LoadedModel loaded = random_model(seed);
  const auto engine = make_engine(*loaded.model, 60);
  std::mt19937 random(seed);
  for (int round = 0; round < 4; ++round) {
    GenerateRequest request{.prompt = random_ids(random, 1 + random() % 70, 150)};
    request.max_new_tokens = 1 + static_cast<int>(random() % 12);
    request.beams = 2 + static_cast<int>(random() % 4);
    request.repetition_penalty = round % 2 == 0 ? 1.0F : 1.7F;
    // The likeliest next tokens end the answer: EOS then turns up at every rank.
    const auto logits = last_logits(*engine, request.prompt);
    request.eos = {static_cast<int32_t>(index_of_max(logits))};
    if (round > 1) request.eos.push_back(static_cast<int32_t>(random() % 150));
    const auto expected = HfBeamSearch{*engine, request}.run();
    const auto got = engine->generate(request);
    ASSERT_TRUE(got.ok()) << got.error().message;
    ASSERT_EQ(got->sequences.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      Ids tokens = expected[i].tokens;
      const bool eos =
          std::find(request.eos.begin(), request.eos.end(), tokens.back()) != request.eos.end();
      if (eos) tokens.pop_back();
      EXPECT_EQ(got->sequences[i].tokens, tokens) << "round " << round << " rank " << i;
      EXPECT_EQ(got->sequences[i].ended_by_eos, eos);
      EXPECT_NEAR(got->sequences[i].score, expected[i].score, 1e-5);
    }
    EXPECT_EQ(got->finish == Generation::Finish::kEos, got->sequences[0].ended_by_eos);
    EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Beams, ::testing::Range(1, 9));

/// Prompts around block borders with the least memory that admission grants: the worst case is
/// enough.
TEST(BeamMemory, TheReservedBlocksSuffice) {
  const LoadedModel loaded = random_model(5);
  std::mt19937 random(5);
  for (const size_t length : {1, 31, 32, 33, 64}) {
    const GenerateRequest request{
        .prompt = random_ids(random, length, 150), .max_new_tokens = 40, .beams = 4};
    const int shared = static_cast<int>(length) / kKvBlockTokens;
    const int whole = (static_cast<int>(length) + 39 + kKvBlockTokens - 1) / kKvBlockTokens;
    const int blocks = shared + 4 * (whole - shared);
    const auto tight = make_engine(*loaded.model, blocks);
    const auto roomy = make_engine(*loaded.model, 200);
    const auto got = tight->generate(request);
    ASSERT_TRUE(got.ok()) << got.error().message;
    expect_same(*got, *roomy->generate(request));
    EXPECT_EQ(tight->counters().kv_blocks_used, 0);
    EXPECT_EQ(make_engine(*loaded.model, blocks - 1)->generate(request).error().code,
              ErrorCode::kTooLarge);
  }
}

}  // namespace
}  // namespace seqgpt::testing_support
