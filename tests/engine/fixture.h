// SPDX-License-Identifier: Apache-2.0
// What engine tests share: a small random model with an engine on it, and questions answered
// naively.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "support/models.h"

namespace seqgpt::testing_support {

/// Bytes of one KV block of `model`.
inline size_t kv_block_bytes(const Model& model) {
  return model.backend().kv_block_bytes(model.kv_shape());
}

inline std::unique_ptr<Engine> make_engine(Model& model, int blocks, EngineOptions options = {}) {
  options.kv_bytes = kv_block_bytes(model) * static_cast<size_t>(blocks);
  auto engine = Engine::create(model, options);
  if (!engine.ok()) throw std::runtime_error(engine.error().message);
  EXPECT_EQ((*engine)->counters().kv_blocks_total, blocks);
  return std::move(engine).value();
}

inline std::vector<float> last_logits(Engine& engine, const Ids& prompt) {
  auto answer = engine.logits({prompt, {static_cast<int>(prompt.size()) - 1}});
  if (!answer.ok()) throw std::runtime_error(answer.error().message);
  return std::move(answer->values.at(0));
}

inline std::vector<double> log_softmax(const std::vector<float>& values) {
  double top = values[0];
  for (const float value : values) top = std::max<double>(top, value);
  double sum = 0;
  for (const float value : values) sum += std::exp(value - top);
  std::vector<double> out;
  for (const float value : values) out.push_back(value - top - std::log(sum));
  return out;
}

inline void expect_same(const Generation& got, const Generation& expected) {
  EXPECT_EQ(got.finish, expected.finish);
  ASSERT_EQ(got.sequences.size(), expected.sequences.size());
  for (size_t i = 0; i < got.sequences.size(); ++i) {
    EXPECT_EQ(got.sequences[i].tokens, expected.sequences[i].tokens);
    EXPECT_EQ(got.sequences[i].score, expected.sequences[i].score);  // the very bits
    EXPECT_EQ(got.sequences[i].ended_by_eos, expected.sequences[i].ended_by_eos);
  }
  ASSERT_EQ(got.choices.size(), expected.choices.size());
  for (size_t i = 0; i < got.choices.size(); ++i) {
    EXPECT_EQ(got.choices[i].id, expected.choices[i].id);
    EXPECT_EQ(got.choices[i].chosen, expected.choices[i].chosen);
    EXPECT_EQ(got.choices[i].candidates, expected.choices[i].candidates);
    EXPECT_EQ(got.choices[i].logprob, expected.choices[i].logprob);
  }
}

/// A random finite automaton over token ids: some states force, some choose, one is the end.
class ToyConstraint final : public Constraint {
 public:
  ToyConstraint(uint32_t seed, int states, int vocabulary) : edges_(static_cast<size_t>(states)) {
    std::mt19937 random(seed);
    for (size_t state = 0; state + 1 < edges_.size(); ++state) {
      const size_t count = random() % 2 == 0 ? 1 : 2 + random() % 20;
      while (edges_[state].size() < count) {
        const auto id = static_cast<int32_t>(random() % static_cast<uint32_t>(vocabulary));
        // Forward or a little back: loops exist, and the end is reached at last.
        const size_t ahead = state + 1 + random() % 3;
        const size_t to = random() % 4 == 0 && count > 1 ? state / 2 : ahead;
        edges_[state][id] = std::min(to, edges_.size() - 1);
      }
    }
  }

  State start() const override { return {}; }
  bool finished(const State& state) const override { return edges(state).empty(); }
  void forced(const State& state, Ids& ids) const override {
    size_t at = state.word[0];
    while (edges_[at].size() == 1) {
      ids.push_back(edges_[at].begin()->first);
      at = edges_[at].begin()->second;
    }
  }
  void allowed(const State& state, Ids& ids) const override {
    ids.clear();
    for (const auto& [id, to] : edges(state)) ids.push_back(id);
  }
  State advance(const State& state, int32_t id) const override {
    State next;
    next.word[0] = static_cast<uint32_t>(edges(state).at(id));
    next.word[1] = state.word[1] + 1;
    return next;
  }

 private:
  const std::map<int32_t, size_t>& edges(const State& state) const {
    return edges_.at(state.word[0]);
  }

  std::vector<std::map<int32_t, size_t>> edges_;  // by state: id -> next; none: the end
};

/// All kinds of requests at once, the same for the same seed.
struct MixedRequests {
  std::vector<GenerateRequest> generations;
  std::vector<ScoreRequest> scores;
  std::vector<LogitsQuery> queries;

  MixedRequests(uint32_t seed, int vocabulary, int max_prompt) {
    std::mt19937 random(seed);
    const auto prompt = [&] {
      return random_ids(random, 1 + random() % static_cast<uint32_t>(max_prompt), vocabulary);
    };
    for (int i = 0; i < 12; ++i) {
      GenerateRequest request{.prompt = prompt(), .max_new_tokens = 1 + i * 3};
      request.eos = random_ids(random, 1 + random() % 2, vocabulary);
      request.beams = i % 4 == 1 ? 3 : 1;
      if (i % 4 == 2) request.repetition_penalty = 1.5F;
      if (i % 4 == 3) {
        request.constraint =
            std::make_shared<ToyConstraint>(seed + static_cast<uint32_t>(i), 40, vocabulary);
        if (i == 7) request.beams = 4;
      }
      generations.push_back(request);
    }
    for (int i = 0; i < 4; ++i) {
      ScoreRequest request{prompt(), {}};
      for (size_t k = 0; k < 1 + random() % 9; ++k) {
        request.continuations.push_back({random_ids(random, random() % 40, vocabulary), {}});
        if (k % 2 == 0) continue;
        for (const int32_t id : request.continuations.back().tokens) {
          Ids allowed = random_ids(random, random() % 5, vocabulary);
          allowed.push_back(id);
          std::sort(allowed.begin(), allowed.end());
          allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
          request.continuations.back().ids_allowed.push_back(allowed);
        }
      }
      scores.push_back(request);
    }
    for (int i = 0; i < 4; ++i) {
      LogitsQuery query{prompt(), {}};
      for (int at = 0; at < static_cast<int>(query.prompt.size()); at += 1 + random() % 20) {
        query.positions.push_back(at);
      }
      queries.push_back(query);
    }
  }
};

/// The answers to mixed requests, comparable to the bit.
struct MixedAnswers {
  std::vector<Generation> generations;
  std::vector<Scores> scores;
  std::vector<LogitsAnswer> queries;

  static MixedAnswers one_by_one(Engine& engine, const MixedRequests& requests) {
    MixedAnswers answers;
    for (const auto& one : requests.generations) answers.take(engine.generate(one));
    for (const auto& one : requests.scores) answers.take(engine.score(one));
    for (const auto& one : requests.queries) answers.take(engine.logits(one));
    return answers;
  }

  static MixedAnswers together(Engine& engine, const MixedRequests& requests) {
    std::vector<RequestId> ids;
    const auto note = [&](const Result<RequestId>& id) {
      EXPECT_TRUE(id.ok());
      ids.push_back(id.ok() ? *id : 0);
    };
    for (const auto& one : requests.queries) note(engine.submit(one));
    for (const auto& one : requests.generations) note(engine.submit(one));
    for (const auto& one : requests.scores) note(engine.submit(one));
    while (engine.step()) {
    }
    MixedAnswers answers;
    auto id = ids.begin();
    for (size_t i = 0; i < requests.queries.size(); ++i) answers.take(engine.take_logits(*id++));
    for (size_t i = 0; i < requests.generations.size(); ++i) {
      answers.take(engine.take_generation(*id++));
    }
    for (size_t i = 0; i < requests.scores.size(); ++i) answers.take(engine.take_scores(*id++));
    return answers;
  }

  void expect_equal(const MixedAnswers& expected) const {
    ASSERT_EQ(generations.size(), expected.generations.size());
    for (size_t i = 0; i < generations.size(); ++i) {
      SCOPED_TRACE("generation " + std::to_string(i));
      expect_same(generations[i], expected.generations[i]);
    }
    ASSERT_EQ(scores.size(), expected.scores.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      EXPECT_EQ(scores[i].logprobs, expected.scores[i].logprobs) << "score " << i;
    }
    ASSERT_EQ(queries.size(), expected.queries.size());
    for (size_t i = 0; i < queries.size(); ++i) {
      EXPECT_EQ(queries[i].values, expected.queries[i].values) << "query " << i;
    }
  }

 private:
  void take(Result<Generation> answer) { keep(std::move(answer), generations); }
  void take(Result<Scores> answer) { keep(std::move(answer), scores); }
  void take(Result<LogitsAnswer> answer) { keep(std::move(answer), queries); }

  template <typename T>
  static void keep(Result<T> answer, std::vector<T>& into) {
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    into.push_back(std::move(answer).value());
  }
};

}  // namespace seqgpt::testing_support
