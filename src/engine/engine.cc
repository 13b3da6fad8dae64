// SPDX-License-Identifier: Apache-2.0
// The engine: submit, step until done, take; a failed step is repeated request by request.
#include "engine/engine.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/batch.h"
#include "engine/beam.h"
#include "engine/checks.h"
#include "engine/constrained_beam.h"
#include "engine/greedy.h"
#include "engine/kv_store.h"
#include "engine/logits_query.h"
#include "engine/scheduler.h"
#include "engine/score.h"

namespace seqgpt {
namespace {

Error too_large(int64_t blocks, int total) {
  return {
      ErrorCode::kTooLarge,
      "the request needs room for " + std::to_string(blocks * kKvBlockTokens) +
          " tokens, the KV memory holds " + std::to_string(int64_t{total} * kKvBlockTokens) +
          ": shorten the prompt or the answer, take fewer beams, or give the engine more kv_bytes"};
}

Error no_such_request(RequestId id) {
  return {ErrorCode::kNotFound,
          "there is no request " + std::to_string(id) + " whose result could be taken"};
}

}  // namespace

struct Engine::Impl {
  Impl(Model& the_model, const EngineOptions& the_options)
      : model(the_model),
        options(the_options),
        scheduler(options.chunk_tokens, options.max_running, the_model.output_width()) {}

  Status allocate_stores();
  WorkSetting setting_for(size_t prompt_tokens);
  KvStore& store_of(const Request& request);

  /// `least`: blocks without which the work cannot run.
  Result<RequestId> enqueue(std::unique_ptr<Work> work, int64_t least) {
    if (least > work->pool().total()) return too_large(least, work->pool().total());
    const RequestId id = ++last_id;
    scheduler.enqueue(
        std::make_unique<Request>(Request{.id = id, .work = std::move(work), .owner = owner}));
    results.emplace(id, std::nullopt);
    refresh();
    return id;
  }

  bool step();
  bool admit();
  void follow_or_attach(Request& request);
  void catch_up();
  void attach(Request& request);
  void run(std::span<const Pick> picks);
  void store_prefixes(const Batch& the_batch);
  void settle(Request& request, const Status& status);
  void end(Request& request, Result<Answer> result);
  void refresh();

  template <typename T>
  Result<T> take(RequestId id);
  template <typename T>
  Result<T> complete(Result<RequestId> id);

  Model& model;
  EngineOptions options;
  EngineCounters counters;
  std::deque<KvStore> stores;  // of prompts of usual length, then of long ones where they differ
  Scheduler scheduler;
  Batch batch;
  std::map<RequestId, std::optional<Result<Answer>>>
      results;  // empty while the request is under way
  RequestId last_id = 0;
  std::string owner;  // of what is submitted next
};

Status Engine::Impl::allocate_stores() {
  std::vector<KvShape> shapes = {model.kv_shape()};
  if (model.long_kv_shape().dtype != shapes[0].dtype) shapes.push_back(model.long_kv_shape());
  for (const KvShape& shape : shapes) {
    const size_t bytes = model.backend().kv_block_bytes(shape);
    const size_t blocks =
        std::min<size_t>(options.kv_bytes / shapes.size() / bytes, size_t{1} << 30);
    if (blocks == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "kv_bytes is " + std::to_string(options.kv_bytes) +
                       ", one block of this model takes " + std::to_string(bytes * shapes.size()),
                   "kv_bytes"};
    }
    SEQGPT_ASSIGN(auto kv, model.backend().allocate_kv(shape, static_cast<int>(blocks)));
    stores.emplace_back(std::move(kv), options.prefix_cache_bytes / shapes.size(), counters);
  }
  refresh();
  return {};
}

/// The KV type follows from the prompt alone: what else runs has no say in an answer's bits.
WorkSetting Engine::Impl::setting_for(size_t prompt_tokens) {
  const bool is_long = std::cmp_greater(prompt_tokens, options.long_prompt_tokens);
  return {(is_long ? stores.back() : stores.front()).pool,
          counters,
          model.config().vocabulary,
          options.max_running,
          options.draft_tokens,
          options.draft_rows};
}

KvStore& Engine::Impl::store_of(const Request& request) {
  return &request.work->pool() == &stores.front().pool ? stores.front() : stores.back();
}

bool Engine::Impl::step() {
  const bool admitted = admit();
  catch_up();
  const std::span<const Pick> picks = scheduler.pick();
  if (!picks.empty()) run(picks);
  refresh();
  return admitted || !picks.empty();
}

bool Engine::Impl::admit() {
  bool any = false;
  while (Request* request = scheduler.admit_next()) {
    any = true;
    const Status begun = request->work->begin();
    if (begun.ok() && store_of(*request).prefixes && !request->work->finished())
      follow_or_attach(*request);
    settle(*request, begun);
  }
  return any;
}

namespace {

/// What a request has to compute first, and how much of it may come from elsewhere: whatever stands
/// before the first row that it wants.
Sequence& first_sequence(Request& request) {
  return request.work->sequences().front();
}
int most_shared(const Sequence& sequence) {
  return sequence.wanted.empty() ? sequence.size() - 1 : sequence.wanted.front().position;
}

int common_tokens(const Sequence& a, const Sequence& b, int most) {
  const auto tokens = std::span(a.tokens).first(static_cast<size_t>(most));
  return static_cast<int>(std::ranges::mismatch(tokens, b.tokens).in1 - tokens.begin());
}

}  // namespace

/// A request that begins as an older one that is still in its prompt does waits until that has read
/// what they share. The older one never waits for a younger one, so the oldest goes on.
void Engine::Impl::follow_or_attach(Request& request) {
  const Sequence& own = first_sequence(request);
  const int most = most_shared(own);
  int best = store_of(request).prefixes->stored(
      request.owner, std::span(own.tokens).first(static_cast<size_t>(most)));
  best += kKvBlockTokens - 1;  // to wait must save a block at least
  for (const auto& other : scheduler.running()) {
    const int prompt = other->work->prompt_size();
    if (other.get() == &request || other->work->sequences().empty()) continue;
    // Nothing of another store or owner can be shared.
    if (&other->work->pool() != &request.work->pool() || other->owner != request.owner) continue;
    const Sequence& ahead = first_sequence(*other);
    if (ahead.computed >= prompt) continue;
    const int common = common_tokens(own, ahead, most);
    if (common <= best) continue;
    best = common;
    request.leader = other->id;
    request.leader_position =
        std::min(static_cast<int>(kv_blocks_for(common)) * kKvBlockTokens, prompt);
  }
  if (request.leader == 0) attach(request);
}

void Engine::Impl::attach(Request& request) {
  Sequence& sequence = first_sequence(request);
  store_of(request).prefixes->attach(request.owner, sequence, most_shared(sequence));
}

/// Ends the waiting of those whose leader has come far enough, or is gone.
void Engine::Impl::catch_up() {
  for (const auto& request : scheduler.running()) {
    if (request->leader == 0) continue;
    Request* leader = scheduler.find_running(request->leader);
    if (leader != nullptr && !leader->work->sequences().empty() &&
        first_sequence(*leader).computed < request->leader_position)
      continue;
    request->leader = 0;
    attach(*request);
  }
}

/// A pass that fails says which layer went wrong, not whose rows: each request then gets a pass of
/// its own, so that only the guilty fail. Their bits are the same alone.
void Engine::Impl::run(std::span<const Pick> picks) {
  make_batch(picks, batch);
  ++counters.steps;
  const Status status = model.forward(batch.step);
  if (status.ok()) {
    store_prefixes(batch);
    counters.rows += batch.step.tokens.size();
    deliver(batch, counters);
    for (const Delivery& delivery : batch.deliveries) settle(*delivery.request, delivery.status);
    return;
  }
  if (picks_of_one_request(picks, 0).size() == picks.size()) {
    Request& request = *picks[0].request;
    return request.work->drop_drafts() ? void() : settle(request, status);
  }
  for (size_t first = 0; first < picks.size();) {
    const auto own = picks_of_one_request(picks, first);
    first += own.size();
    run(own);
  }
}

void Engine::Impl::store_prefixes(const Batch& the_batch) {
  for (size_t i = 0; i < the_batch.picks.size(); ++i) {
    const Pick& pick = the_batch.picks[i];
    const AttentionSlice& slice = the_batch.step.slices[i];
    const int prompt = pick.request->work->prompt_size();
    std::optional<PrefixCache>& prefixes = store_of(*pick.request).prefixes;
    if (!prefixes || slice.first_position >= prompt) continue;
    prefixes->store(pick.request->owner, pick.request->work->sequences()[pick.sequence],
                    slice.first_position + slice.rows, prompt);
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
  counters.kv_blocks_used = counters.kv_blocks_cached = counters.kv_blocks_total = 0;
  counters.kv_bytes_used = counters.kv_bytes_total = 0;
  for (const KvStore& store : stores) {
    counters.kv_blocks_used += store.pool.used();
    counters.kv_blocks_cached += store.prefixes ? store.prefixes->blocks() : 0;
    counters.kv_blocks_total += store.pool.total();
    counters.kv_bytes_used += static_cast<size_t>(store.pool.used()) * store.pool.block_bytes();
    counters.kv_bytes_total += static_cast<size_t>(store.pool.total()) * store.pool.block_bytes();
  }
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
  if (options.draft_tokens < 0 || options.draft_rows < 0) {
    const std::string name = options.draft_tokens < 0 ? "draft_tokens" : "draft_rows";
    return Error{ErrorCode::kInvalidArgument, name + " must be 0 or more", name};
  }
  auto impl = std::make_unique<Impl>(model, options);
  SEQGPT_TRY(impl->allocate_stores());
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Result<RequestId> Engine::submit(GenerateRequest request) {
  SEQGPT_TRY(check(request, impl_->model.config(), impl_->options.max_running));
  const WorkSetting setting = impl_->setting_for(request.prompt.size());
  std::unique_ptr<Work> work;
  if (request.beams == 1) {
    work = std::make_unique<GreedyWork>(std::move(request), setting);
  } else if (request.constraint) {
    work = std::make_unique<ConstrainedBeamWork>(std::move(request), setting);
  } else {
    work = std::make_unique<BeamWork>(std::move(request), setting);
  }
  const int64_t least = work->needs().blocks;
  return impl_->enqueue(std::move(work), least);
}

Result<RequestId> Engine::submit(ScoreRequest request) {
  SEQGPT_TRY(check(request, impl_->model.config()));
  const WorkSetting setting = impl_->setting_for(request.prompt.size());
  auto work = std::make_unique<ScoreWork>(std::move(request), setting);
  const int64_t least = work->least_blocks();
  return impl_->enqueue(std::move(work), least);
}

Result<RequestId> Engine::submit(LogitsQuery request) {
  SEQGPT_TRY(check(request, impl_->model.config()));
  const WorkSetting setting = impl_->setting_for(request.prompt.size());
  auto work = std::make_unique<LogitsWork>(std::move(request), setting);
  const int64_t least = work->needs().blocks;
  return impl_->enqueue(std::move(work), least);
}

void Engine::set_owner(std::string owner) {
  impl_->owner = std::move(owner);
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
