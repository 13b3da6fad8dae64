// SPDX-License-Identifier: Apache-2.0
// The engine: submit, step until done, take; a failed step is repeated request by request.
#include "engine/engine.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/batch.h"
#include "engine/beam.h"
#include "engine/checks.h"
#include "engine/greedy.h"
#include "engine/kv_pool.h"
#include "engine/logits_query.h"
#include "engine/scheduler.h"
#include "engine/score.h"

namespace seqgpt {
namespace {

size_t block_bytes(const KvShape& shape) {
  const auto numbers = size_t{2} * kKvBlockTokens * static_cast<size_t>(shape.layers) *
                       static_cast<size_t>(shape.heads) * static_cast<size_t>(shape.head_size);
  return numbers * dtype_bits(shape.dtype) / 8;
}

Error too_large(int64_t blocks, int total) {
  return {ErrorCode::kTooLarge,
          "the request needs room for " + std::to_string(blocks * kKvBlockTokens) +
              " tokens, the KV memory holds " + std::to_string(int64_t{total} * kKvBlockTokens) +
              ": shorten the prompt or the answer, or give the engine more kv_bytes"};
}

Error no_such_request(RequestId id) {
  return {ErrorCode::kNotFound,
          "there is no request " + std::to_string(id) + " whose result could be taken"};
}

}  // namespace

struct Engine::Impl {
  Impl(Model& the_model, const EngineOptions& options, std::unique_ptr<KvBlocks> blocks)
      : model(the_model),
        pool(std::move(blocks)),
        scheduler(pool, options.chunk_tokens, options.max_running, the_model.output_width()),
        setting{pool, counters, the_model.config().vocabulary, options.max_running} {
    counters.kv_blocks_total = pool.total();
  }

  RequestId enqueue(std::unique_ptr<Work> work) {
    const RequestId id = ++last_id;
    scheduler.enqueue(std::make_unique<Request>(Request{id, std::move(work)}));
    results.emplace(id, std::nullopt);
    refresh();
    return id;
  }

  bool step();
  bool admit();
  void run(std::span<const Pick> picks);
  void settle(Request& request, const Status& status);
  void end(Request& request, Result<Answer> result);
  void refresh();

  template <typename T>
  Result<T> take(RequestId id);
  template <typename T>
  Result<T> complete(Result<RequestId> id);

  Model& model;
  EngineCounters counters;
  KvPool pool;
  Scheduler scheduler;
  WorkSetting setting;
  std::map<RequestId, std::optional<Result<Answer>>>
      results;  // empty while the request is under way
  RequestId last_id = 0;
};

bool Engine::Impl::step() {
  const bool admitted = admit();
  const std::vector<Pick> picks = scheduler.pick();
  if (!picks.empty()) run(picks);
  refresh();
  return admitted || !picks.empty();
}

bool Engine::Impl::admit() {
  bool any = false;
  while (Request* request = scheduler.admit_next()) {
    any = true;
    settle(*request, request->work->begin());
  }
  return any;
}

/// A pass that fails says which layer went wrong, not whose rows: each request then gets a pass of
/// its own, so that only the guilty fail. Their bits are the same alone.
void Engine::Impl::run(std::span<const Pick> picks) {
  Batch batch = make_batch(picks, pool);
  ++counters.steps;
  const Status status = model.forward(batch.step, pool.blocks());
  if (status.ok()) {
    for (const Delivery& delivery : deliver(batch, counters))
      settle(*delivery.request, delivery.status);
    return;
  }
  if (picks_of_one_request(picks, 0).size() == picks.size())
    return settle(*picks[0].request, status);
  for (size_t first = 0; first < picks.size();) {
    const auto own = picks_of_one_request(picks, first);
    first += own.size();
    run(own);
  }
}

void Engine::Impl::settle(Request& request, const Status& status) {
  if (!status.ok()) {
    ++counters.failed;
    end(request, status.error());
  } else if (request.work->finished()) {
    ++counters.finished;
    end(request, request.work->answer());
  }
}

void Engine::Impl::end(Request& request, Result<Answer> result) {
  const RequestId id = request.id;
  scheduler.remove(id);  // the work goes, and with it its blocks
  results[id] = std::move(result);
}

void Engine::Impl::refresh() {
  counters.running = scheduler.running_sequences();
  counters.waiting = scheduler.waiting();
  counters.kv_blocks_used = pool.used();
}

template <typename T>
Result<T> Engine::Impl::take(RequestId id) {
  const auto it = results.find(id);
  if (it == results.end()) return no_such_request(id);
  if (!it->second) {
    return Error{ErrorCode::kInvalidArgument,
                 "request " + std::to_string(id) + " has not ended yet"};
  }
  Result<Answer>& result = *it->second;
  if (result.ok() && !std::holds_alternative<T>(*result)) {
    return Error{ErrorCode::kInvalidArgument,
                 "request " + std::to_string(id) + " has an answer of another kind"};
  }
  Result<Answer> taken = std::move(result);
  results.erase(it);
  if (!taken.ok()) return std::move(taken).error();
  return std::get<T>(std::move(*taken));
}

template <typename T>
Result<T> Engine::Impl::complete(Result<RequestId> id) {
  if (!id.ok()) return std::move(id).error();
  while (!results.at(*id)) {
    if (!step())
      return Error{ErrorCode::kInternal, "the engine came to rest with a request unanswered"};
  }
  return take<T>(*id);
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(Model& model, const EngineOptions& options) {
  if (options.chunk_tokens < 1 || options.max_running < 1) {
    return Error{ErrorCode::kInvalidArgument, "chunk_tokens and max_running must be at least 1",
                 options.chunk_tokens < 1 ? "chunk_tokens" : "max_running"};
  }
  const size_t bytes = block_bytes(model.kv_shape());
  const size_t blocks = std::min<size_t>(options.kv_bytes / bytes, size_t{1} << 30);
  if (blocks == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "kv_bytes is " + std::to_string(options.kv_bytes) +
                     ", one block of this model takes " + std::to_string(bytes),
                 "kv_bytes"};
  }
  SEQGPT_ASSIGN(auto kv, model.backend().allocate_kv(model.kv_shape(), static_cast<int>(blocks)));
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Impl>(model, options, std::move(kv))));
}

Result<RequestId> Engine::submit(GenerateRequest request) {
  SEQGPT_TRY(check(request, impl_->model.config(), impl_->setting.max_sequences));
  std::unique_ptr<Work> work;
  if (request.beams == 1) {
    work = std::make_unique<GreedyWork>(std::move(request), impl_->setting);
  } else {
    work = std::make_unique<BeamWork>(std::move(request), impl_->setting);
  }
  const int64_t blocks = work->needs().blocks;
  if (blocks > impl_->pool.total()) return too_large(blocks, impl_->pool.total());
  return impl_->enqueue(std::move(work));
}

Result<RequestId> Engine::submit(ScoreRequest request) {
  SEQGPT_TRY(check(request, impl_->model.config()));
  auto work = std::make_unique<ScoreWork>(std::move(request), impl_->setting);
  const int64_t blocks = work->least_blocks();
  if (blocks > impl_->pool.total()) return too_large(blocks, impl_->pool.total());
  return impl_->enqueue(std::move(work));
}

Result<RequestId> Engine::submit(LogitsQuery request) {
  SEQGPT_TRY(check(request, impl_->model.config()));
  auto work = std::make_unique<LogitsWork>(std::move(request), impl_->setting);
  const int64_t blocks = work->needs().blocks;
  if (blocks > impl_->pool.total()) return too_large(blocks, impl_->pool.total());
  return impl_->enqueue(std::move(work));
}

void Engine::cancel(RequestId id) {
  if (!impl_->scheduler.remove(id)) return;
  ++impl_->counters.cancelled;
  impl_->results[id] = Result<Answer>(Error{ErrorCode::kCancelled, "the request was cancelled"});
  impl_->refresh();
}

bool Engine::step() {
  return impl_->step();
}

bool Engine::done(RequestId id) const {
  const auto it = impl_->results.find(id);
  return it != impl_->results.end() && it->second.has_value();
}

Result<Generation> Engine::take_generation(RequestId id) {
  return impl_->take<Generation>(id);
}
const Generation* Engine::peek_generation(RequestId id) const {
  if (const Request* request = impl_->scheduler.find_running(id)) return request->work->partial();
  const auto it = impl_->results.find(id);
  const bool ended = it != impl_->results.end() && it->second && it->second->ok();
  return ended ? std::get_if<Generation>(&**it->second) : nullptr;
}
Result<Scores> Engine::take_scores(RequestId id) {
  return impl_->take<Scores>(id);
}
Result<LogitsAnswer> Engine::take_logits(RequestId id) {
  return impl_->take<LogitsAnswer>(id);
}

Result<Generation> Engine::generate(GenerateRequest request) {
  return impl_->complete<Generation>(submit(std::move(request)));
}
Result<Scores> Engine::score(ScoreRequest request) {
  return impl_->complete<Scores>(submit(std::move(request)));
}
Result<LogitsAnswer> Engine::logits(LogitsQuery request) {
  return impl_->complete<LogitsAnswer>(submit(std::move(request)));
}

const EngineCounters& Engine::counters() const {
  return impl_->counters;
}

}  // namespace seqgpt
