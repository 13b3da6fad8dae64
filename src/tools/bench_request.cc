// SPDX-License-Identifier: Apache-2.0
// The check of the answers, then the clocks around them.
#include "tools/bench_request.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "tools/bench_answer.h"
#include "tools/bench_time.h"

namespace seqgpt {
namespace {

constexpr int kLeastRequests = 8;  // of one throughput
constexpr int kRounds = 2;         // least for each client

/// An engine with room for `requests` like `request` at once; `drafts`: whether it takes guesses.
Result<std::unique_ptr<Engine>> engine_for(Model& model, const BenchRequest& request,
                                           size_t requests, bool drafts) {
  const auto blocks =
      static_cast<size_t>((request.positions() + kKvBlockTokens - 1) / kKvBlockTokens);
  SEQGPT_ASSIGN(const auto block, model.backend().allocate_kv(model.kv_shape(), 1));
  EngineOptions options;
  options.kv_bytes = block->block_bytes() * blocks * requests;
  options.max_running = static_cast<int>(requests);
  options.prefix_cache_bytes = 0;
  if (!drafts) options.draft_tokens = 0;
  return Engine::create(model, options);
}

Result<std::vector<Generation>> answer_together(Engine& engine,
                                                const std::vector<BenchRequest>& requests) {
  std::vector<RequestId> ids;
  for (const BenchRequest& request : requests) {
    SEQGPT_ASSIGN(const RequestId id, engine.submit(request.generate()));
    ids.push_back(id);
  }
  while (engine.step()) {
  }
  std::vector<Generation> answers;
  for (const RequestId id : ids) {
    SEQGPT_ASSIGN(Generation answer, engine.take_generation(id));
    answers.push_back(std::move(answer));
  }
  return answers;
}

bool same_bits(const TokenChoice& a, const TokenChoice& b) {
  return a.id == b.id && a.chosen == b.chosen && a.candidates == b.candidates &&
         std::bit_cast<uint32_t>(a.logprob) == std::bit_cast<uint32_t>(b.logprob);
}

Status check_same(const Generation& a, const Generation& b, const char* where) {
  if (std::ranges::equal(a.choices, b.choices, same_bits)) return {};
  return Error{ErrorCode::kInternal, std::string("bench: a request has another answer ") + where +
                                         "; no request was timed"};
}

Status check_alone(Engine& engine, const BenchRequest& request, const Generation& expected,
                   const char* where) {
  SEQGPT_ASSIGN(const Generation answer, engine.generate(request.generate()));
  return check_same(expected, answer, where);
}

Result<double> time_alone(Engine& engine, const BenchRequest& request) {
  return seconds_of([&]() -> Status {
    SEQGPT_ASSIGN(const Generation answer, engine.generate(request.generate()));
    return {};
  });
}

RequestFigure figure_of(const BenchRequest& request, const Generation& answer,
                        const EngineCounters& before, const EngineCounters& after) {
  RequestFigure figure;
  figure.prompt_tokens = static_cast<int>(request.prompt.size());
  figure.answer_tokens = static_cast<int>(answer.choices.size());
  figure.forward_passes = static_cast<int>(after.steps - before.steps);
  figure.drafted_tokens = static_cast<int>(after.drafted_tokens - before.drafted_tokens);
  figure.accepted_tokens = static_cast<int>(after.accepted_tokens - before.accepted_tokens);
  return figure;
}

/// What a request alone takes in passes; this run also warms up.
Result<RequestFigure> count_alone(Engine& engine, const BenchRequest& request) {
  const EngineCounters before = engine.counters();
  SEQGPT_ASSIGN(const Generation answer, engine.generate(request.generate()));
  return figure_of(request, answer, before, engine.counters());
}

void add_times(RequestFigure& figure, const std::vector<double>& seconds) {
  figure.median_ms = 1e3 * median(seconds);
  figure.p95_ms = 1e3 * percentile(seconds, 0.95);
}

/// The clients of one engine, each with one request under way.
class Clients {
 public:
  Clients(Engine& engine, const std::vector<BenchRequest>& requests, int clients, double seconds)
      : engine_(engine),
        requests_(requests),
        clients_(static_cast<size_t>(clients)),
        most_(std::max<size_t>(kLeastRequests, kRounds * clients_)),
        most_seconds_(seconds) {}

  Result<ThroughputFigure> run() {
    for (size_t i = 0; i < clients_; ++i) SEQGPT_TRY(send());
    while (!under_way_.empty()) {
      engine_.step();
      SEQGPT_TRY(receive());
    }
    return ThroughputFigure{static_cast<int>(clients_), static_cast<int>(seconds_.size()),
                            static_cast<double>(seconds_.size()) / seconds_since(start_),
                            1e3 * percentile(seconds_, 0.95)};
  }

 private:
  struct UnderWay {
    RequestId id;
    BenchClock::time_point since;
  };

  Status send() {
    const auto now = BenchClock::now();
    const BenchRequest& request = requests_[sent_++ % requests_.size()];
    SEQGPT_ASSIGN(const RequestId id, engine_.submit(request.generate()));
    under_way_.push_back({id, now});
    return {};
  }

  /// Takes what has ended; each client whose request that was sends its next.
  Status receive() {
    std::vector<UnderWay> all;
    all.swap(under_way_);
    for (const UnderWay& one : all) {
      if (!engine_.done(one.id)) {
        under_way_.push_back(one);
        continue;
      }
      SEQGPT_ASSIGN(const Generation answer, engine_.take_generation(one.id));
      seconds_.push_back(seconds_since(one.since));
      if (sent_ < most_ && seconds_since(start_) < most_seconds_) SEQGPT_TRY(send());
    }
    return {};
  }

  Engine& engine_;
  const std::vector<BenchRequest>& requests_;
  size_t clients_;
  size_t most_;
  double most_seconds_;
  BenchClock::time_point start_ = BenchClock::now();
  size_t sent_ = 0;
  std::vector<UnderWay> under_way_;
  std::vector<double> seconds_;  // of each request that has ended
};

/// The answers without drafting, all at once, in an engine that then goes.
Result<std::vector<Generation>> plain_answers(Model& model,
                                              const std::vector<BenchRequest>& requests) {
  SEQGPT_ASSIGN(const auto engine, engine_for(model, requests[0], requests.size(), false));
  return answer_together(*engine, requests);
}

/// Compares `answers` with those in every other setting.
Status check_answers(Engine& plain, Engine& drafting, const std::vector<BenchRequest>& requests,
                     const std::vector<Generation>& answers) {
  SEQGPT_ASSIGN(const std::vector<Generation> drafted, answer_together(drafting, requests));
  for (size_t i = 0; i < requests.size(); ++i)
    SEQGPT_TRY(check_same(answers[i], drafted[i], "with drafting, among others"));
  SEQGPT_TRY(check_alone(plain, requests[0], answers[0], "alone"));
  return check_alone(drafting, requests[0], answers[0], "alone, with drafting");
}

Status measure_alone(Engine& plain, Engine& drafting, const BenchRequest& request, int repeats,
                     RequestFigures& figures) {
  SEQGPT_ASSIGN(figures.plain, count_alone(plain, request));
  SEQGPT_ASSIGN(figures.drafting, count_alone(drafting, request));
  std::vector<double> plain_seconds;
  std::vector<double> drafting_seconds;
  for (int i = 0; i < repeats; ++i) {
    SEQGPT_ASSIGN(const double without, time_alone(plain, request));
    plain_seconds.push_back(without);
    SEQGPT_ASSIGN(const double with, time_alone(drafting, request));
    drafting_seconds.push_back(with);
  }
  add_times(figures.plain, plain_seconds);
  add_times(figures.drafting, drafting_seconds);
  return {};
}

}  // namespace

Result<RequestFigures> measure_requests(Model& model, const RequestOptions& options) {
  int most = 1;
  for (const int clients : options.clients) most = std::max(most, clients);
  std::vector<BenchRequest> requests;
  for (int text = 0; text < most; ++text)
    requests.push_back(make_bench_request(model.config().vocabulary, static_cast<uint32_t>(text)));
  SEQGPT_ASSIGN(const std::vector<Generation> answers, plain_answers(model, requests));
  for (size_t i = 0; i < requests.size(); ++i)
    requests[i] = with_usual_guesses(requests[i], answers[i]);
  SEQGPT_ASSIGN(const auto plain, engine_for(model, requests[0], 1, false));
  SEQGPT_ASSIGN(const auto drafting, engine_for(model, requests[0], requests.size(), true));
  SEQGPT_TRY(check_answers(*plain, *drafting, requests, answers));
  RequestFigures figures;
  SEQGPT_TRY(measure_alone(*plain, *drafting, requests[0], options.repeats, figures));
  for (const int clients : options.clients) {
    SEQGPT_ASSIGN(const ThroughputFigure figure,
                  Clients(*drafting, requests, clients, options.most_seconds).run());
    figures.throughput.push_back(figure);
  }
  return figures;
}

}  // namespace seqgpt
