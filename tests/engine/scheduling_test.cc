// SPDX-License-Identifier: Apache-2.0
// Queueing, chunks, decode before prefill, patience, cancelling, counters, and results taken once.
#include <gtest/gtest.h>

#include "engine/fixture.h"
#include "support/poison_backend.h"

namespace seqgpt::testing_support {
namespace {

class Scheduling : public ::testing::Test {
 protected:
  Scheduling() {
    auto backend = std::make_unique<PoisonBackend>(cpu());
    spy_ = backend.get();
    loaded_ = random_model(7, std::move(backend));
  }
  std::unique_ptr<Engine> engine(int blocks, EngineOptions options = {}) {
    return make_engine(*loaded_.model, blocks, options);
  }
  static GenerateRequest request(size_t prompt, int tokens) {
    return {.prompt = Ids(prompt, 11), .max_new_tokens = tokens};
  }
  static RequestId submit(Engine& engine, const GenerateRequest& request) {
    const auto id = engine.submit(request);
    EXPECT_TRUE(id.ok()) << id.error().message;
    return *id;
  }

  PoisonBackend* spy_ = nullptr;
  LoadedModel loaded_;
};

TEST_F(Scheduling, CountersOfOneGeneration) {
  const auto engine = this->engine(10, {.chunk_tokens = 8});
  const auto got = engine->generate(request(20, 5));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->finish, Generation::Finish::kLength);
  const EngineCounters& counters = engine->counters();
  EXPECT_EQ(counters.steps, 3U + 4U);  // 8, 8 and 4 rows; the fifth token is never computed
  EXPECT_EQ(spy_->rows_of_steps(), (std::vector<size_t>{8, 8, 4, 1, 1, 1, 1}));
  EXPECT_EQ(counters.prompt_tokens, 20U);
  EXPECT_EQ(counters.decoded_tokens, 5U);
  EXPECT_EQ(counters.forced_tokens, 0U);
  EXPECT_EQ(counters.logits_rows, 5U * 150);
  EXPECT_EQ(counters.finished, 1U);
  EXPECT_EQ(counters.running, 0);
  EXPECT_EQ(counters.waiting, 0);
  EXPECT_EQ(counters.kv_blocks_used, 0);
  EXPECT_EQ(counters.kv_blocks_total, 10);
}

TEST_F(Scheduling, AShortPromptPassesByALongOne) {
  const auto engine = this->engine(30, {.chunk_tokens = 8});
  const RequestId slow = submit(*engine, request(100, 1));
  engine->step();
  const RequestId quick = submit(*engine, request(6, 1));
  engine->step();
  EXPECT_TRUE(engine->done(quick));
  EXPECT_FALSE(engine->done(slow));
}

TEST_F(Scheduling, CountersOfBeamsAndQueries) {
  const auto engine = this->engine(30);
  auto beams = request(10, 4);
  beams.beams = 3;
  ASSERT_TRUE(engine->generate(beams).ok());
  EXPECT_EQ(engine->counters().steps, 4U);
  EXPECT_EQ(engine->counters().decoded_tokens, 1U + 3 + 3 + 3);
  EXPECT_EQ(engine->counters().logits_rows, (1U + 3 + 3 + 3) * 150);
  EXPECT_EQ(engine->counters().prompt_tokens, 10U);
  ASSERT_TRUE(engine->logits({Ids(50, 1), {0, 7, 40}}).ok());
  EXPECT_EQ(engine->counters().prompt_tokens, 10U + 41);  // nothing after the last asked position
  EXPECT_EQ(engine->counters().logits_rows, 10U * 150 + 3 * 150);
  EXPECT_EQ(engine->counters().finished, 2U);
}

TEST_F(Scheduling, MoreRequestsThanBlocksQueueUpInOrder) {
  const auto engine = this->engine(4);  // each needs 2: two run at a time
  std::vector<RequestId> ids;
  for (int i = 0; i < 25; ++i) ids.push_back(submit(*engine, request(30, 4 + i % 5)));
  EXPECT_EQ(engine->counters().waiting, 25);
  size_t finished = 0;
  while (engine->step()) {
    EXPECT_LE(engine->counters().running, 2);
    EXPECT_LE(engine->counters().kv_blocks_used, 4);
    while (finished < ids.size() && engine->done(ids[finished])) ++finished;
    // Nobody far behind overtakes the queue's head.
    for (size_t later = finished + 2; later < ids.size(); ++later) {
      EXPECT_FALSE(engine->done(ids[later]));
    }
  }
  EXPECT_EQ(engine->counters().finished, 25U);
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  for (const RequestId id : ids) EXPECT_TRUE(engine->take_generation(id).ok());
}

TEST_F(Scheduling, SequencesAreLimitedToo) {
  const auto engine = this->engine(100, {.max_running = 3});
  for (int i = 0; i < 8; ++i) submit(*engine, request(3, 4));
  auto beams = request(3, 4);
  beams.beams = 3;
  submit(*engine, beams);
  while (engine->step()) EXPECT_LE(engine->counters().running, 3);
  EXPECT_EQ(engine->counters().finished, 9U);
  beams.beams = 4;
  EXPECT_EQ(engine->submit(beams).error().param, "beams");
}

TEST_F(Scheduling, DecodingGoesOnWhileAPromptIsRead) {
  const auto engine = this->engine(100, {.chunk_tokens = 10});
  const RequestId decoding = submit(*engine, request(2, 9));
  engine->step();
  submit(*engine, request(60, 1));
  for (int i = 0; i < 8; ++i) engine->step();  // its eight other tokens, one a step
  EXPECT_TRUE(engine->done(decoding));
  EXPECT_EQ(spy_->rows_of_steps(),
            (std::vector<size_t>{2, 10, 10, 10, 10, 10, 10, 7, 1}));  // 1 + 9 and so on
  EXPECT_EQ(engine->counters().finished, 2U);
}

/// With one row a step a hundred decoding tokens could keep a prompt waiting; patience ends that.
TEST_F(Scheduling, NobodyStarves) {
  const auto engine = this->engine(100, {.chunk_tokens = 1, .max_running = 10});
  for (int i = 0; i < 3; ++i) submit(*engine, request(1, 200));
  for (int i = 0; i < 10; ++i) engine->step();
  const RequestId late = submit(*engine, request(5, 1));
  int steps = 0;
  for (; !engine->done(late); ++steps) ASSERT_TRUE(engine->step());
  EXPECT_LT(steps, 60);
}

TEST_F(Scheduling, CancelledRequestsLeaveNothingBehind) {
  const auto engine = this->engine(20, {.chunk_tokens = 16, .max_running = 8});
  auto beams = request(40, 30);
  beams.beams = 3;
  const RequestId running = submit(*engine, beams);
  const RequestId other = submit(*engine, request(10, 12));
  const RequestId waiting = submit(*engine, request(400, 12));
  const auto scores = engine->submit(ScoreRequest{Ids(20, 3), {{{1, 2, 3}, {}}, {{4, 5}, {}}}});
  for (int i = 0; i < 6; ++i) engine->step();
  EXPECT_GT(engine->counters().kv_blocks_used, 0);
  EXPECT_EQ(engine->counters().waiting, 2);
  for (const RequestId id : {running, waiting, *scores, RequestId{999}}) engine->cancel(id);
  EXPECT_EQ(engine->counters().cancelled, 3U);
  EXPECT_EQ(engine->counters().waiting, 0);
  EXPECT_EQ(engine->take_generation(running).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(engine->take_generation(waiting).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(engine->take_scores(*scores).error().code, ErrorCode::kCancelled);
  while (engine->step()) {
  }
  const auto got = engine->take_generation(other);
  ASSERT_TRUE(got.ok());
  expect_same(*got, *this->engine(20)->generate(request(10, 12)));
  EXPECT_EQ(engine->counters().kv_blocks_used, 0);
  EXPECT_EQ(engine->counters().running, 0);
}

/// At every moment of a beam search, of scoring and of a long prompt: cancelling gives all blocks
/// back.
TEST_F(Scheduling, CancelAtAnyStep) {
  auto beams = request(33, 6);
  beams.beams = 3;
  const ScoreRequest scores{Ids(33, 3), {{Ids(40, 2), {}}, {Ids(5, 4), {}}}};
  for (int after = 0; after < 12; ++after) {
    const auto engine = this->engine(20, {.chunk_tokens = 10});
    const auto first = engine->submit(beams);
    const auto second = engine->submit(scores);
    for (int i = 0; i < after; ++i) engine->step();
    engine->cancel(*first);
    engine->cancel(*second);
    EXPECT_EQ(engine->counters().kv_blocks_used, 0);
    EXPECT_FALSE(engine->step());
    EXPECT_TRUE(engine->generate(request(600, 1)).ok());  // the reservations are given back, too
  }
}

TEST_F(Scheduling, ResultsAreTakenOnceAndByTheirKind) {
  const auto engine = this->engine(10);
  const RequestId id = submit(*engine, request(3, 2));
  EXPECT_FALSE(engine->done(id));
  EXPECT_EQ(engine->take_generation(id).error().code, ErrorCode::kInvalidArgument);
  while (engine->step()) {
  }
  EXPECT_TRUE(engine->done(id));
  engine->cancel(id);  // too late: it stays as it is
  EXPECT_EQ(engine->counters().cancelled, 0U);
  EXPECT_EQ(engine->take_scores(id).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(engine->take_generation(id).ok());
  EXPECT_FALSE(engine->done(id));
  EXPECT_EQ(engine->take_generation(id).error().code, ErrorCode::kNotFound);
}

TEST_F(Scheduling, StopIsAskedAfterEachToken) {
  const auto engine = this->engine(10);
  const auto whole = engine->generate(request(3, 10));
  ASSERT_TRUE(whole.ok());
  std::vector<size_t> seen;
  auto stopping = request(3, 10);
  stopping.stop = [&](std::span<const int32_t> generated) {
    seen.push_back(generated.size());
    return generated.size() == 4;
  };
  const auto got = engine->generate(stopping);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(seen, (std::vector<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(got->finish, Generation::Finish::kStop);
  const Ids& tokens = whole->sequences[0].tokens;
  EXPECT_EQ(got->sequences[0].tokens, Ids(tokens.begin(), tokens.begin() + 4));
  EXPECT_FALSE(got->sequences[0].ended_by_eos);
}

TEST_F(Scheduling, PenalisedChoicesAndTheirLogProbs) {
  const auto engine = this->engine(10);
  auto penalised = request(6, 12);
  penalised.repetition_penalty = 3;
  const auto got = engine->generate(penalised);
  ASSERT_TRUE(got.ok());
  Ids all = penalised.prompt;
  for (const TokenChoice& choice : got->choices) {
    auto values = last_logits(*engine, all);
    for (const int32_t id : std::set<int32_t>(all.begin(), all.end())) {
      float& value = values[static_cast<size_t>(id)];
      value = value < 0 ? value * 3 : value / 3;
    }
    EXPECT_EQ(static_cast<size_t>(choice.id), index_of_max(values));
    EXPECT_NEAR(choice.logprob, log_softmax(values)[static_cast<size_t>(choice.id)], 1e-5);
    all.push_back(choice.id);
  }
}

}  // namespace
}  // namespace seqgpt::testing_support
