// SPDX-License-Identifier: Apache-2.0
// Many texts in one request: a few in the queue at a time, results in the order asked.
#include <algorithm>

#include "server/app.h"

namespace seqgpt {
namespace {

constexpr size_t kInFlight = 8;  // items of one batch in the queue: the rest of it is others'

}  // namespace

/// One batch under way; touched on the connection's thread alone.
struct BatchRun : std::enable_shared_from_this<BatchRun> {
  using Finish = std::function<void(const std::vector<std::string>& results, double queue_ms)>;

  Service* service = nullptr;
  BatchRequest request;
  std::shared_ptr<Reply> reply;
  std::string owner;  // id of the bearer key
  std::chrono::steady_clock::time_point start;
  BodyContext context;
  RequestMetrics* metrics = nullptr;
  Finish finish;

  std::vector<std::string> results;
  std::vector<OrderId> orders;
  size_t next = 0;
  size_t in_flight = 0;
  size_t ended = 0;
  double queue_ms = 0;
  bool gone = false;

  void fill() {
    while (!gone && next < request.items.size() && in_flight < kInFlight) {
      if (!start_item(next)) break;
      ++next;
    }
    if (!gone && ended == request.items.size() && finish) {
      const Finish last = std::move(finish);
      finish = nullptr;
      last(results, queue_ms);
    }
  }

  /// False when the queue is full and another item of this batch will come back to try again.
  bool start_item(size_t i) {
    BatchRequest::Item& item = request.items[i];
    if (!item.request.ok()) {
      const Error& error = item.request.error();
      end_item(i, item_error_body(item.id, http_status(error.code), error_type(error.code), error));
      return true;
    }
    item.request->may_degrade = false;  // before the key is made: it joins none that may be
    Order order = order_of(*item.request, owner, start);
    order.background = true;
    order.done = [self = shared_from_this(), i](Finished finished) {
      self->reply->run([self, i, finished = std::move(finished)] {
        --self->in_flight;
        self->take(i, finished);
        self->fill();
      });
    };
    const Result<OrderId> id = service->submit(std::move(order));
    if (!id.ok() && in_flight > 0) return false;
    if (!id.ok()) {
      end_item(i, item_error_body(item.id, 429, "queue_full", id.error()));
      return true;
    }
    orders[i] = *id;
    ++in_flight;
    return true;
  }

  void take(size_t i, const Finished& finished) {
    const BatchRequest::Item& item = request.items[i];
    queue_ms = std::max(queue_ms, finished.queue_ms);
    if (!finished.answer.ok()) {
      const auto [status, type] = status_of(finished);
      return end_item(i, item_error_body(item.id, status, type, finished.answer.error()));
    }
    const auto& answer = std::get<Answer>(**finished.answer);
    metrics->add_answer(answer.kind == TaskKind::kExtract && answer.entities.empty(),
                        answer.truncated, false);
    end_item(i, item_body(item.id, answer, item.request->task.text, item.request->answer, context));
  }

  void end_item(size_t i, std::string result) {
    results[i] = std::move(result);
    ++ended;
  }

  void leave() {
    gone = true;
    for (const OrderId order : orders) service->cancel(order);
  }
};

void App::note_batch(Call& call, const BatchRequest& request) const {
  for (const BatchRequest::Item& item : request.items) {
    if (item.request.ok()) note_task(call, item.request->task);
  }
  call.items = request.items.size();  // bad ones too
}

void App::run_batch(const CallPtr& call, TaskKind kind) {
  Result<BatchRequest> read = read_batch_request(call->request.body, kind, defaults(), false);
  if (!read.ok()) return fail(call, read.error());
  if (!ready_for_work(call)) return;
  note_batch(*call, *read);
  call->request.body = {};
  const auto run = std::make_shared<BatchRun>();
  run->service = parts_.service;
  run->reply = call->reply;
  run->owner = call->key;
  run->start = call->start;
  run->results.resize(read->items.size());
  run->orders.resize(read->items.size());
  run->request = std::move(*read);
  const ModelFacts facts = parts_.service->facts();
  run->context = {facts.name, facts.fingerprint};
  run->metrics = &metrics_;
  run->finish = [this, call](const std::vector<std::string>& results, double queue_ms) {
    call->queue_ms = queue_ms;
    finish_json(call, batch_body(results, context_of(*call, {})));
  };
  call->reply->on_gone([this, run, call = std::weak_ptr<Call>(call)] {
    run->leave();
    const CallPtr left = call.lock();
    if (left && !left->ended.exchange(true)) note(*left, 499, 0);
  });
  run->fill();
}

}  // namespace seqgpt
