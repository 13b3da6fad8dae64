// SPDX-License-Identifier: Apache-2.0
// The engine thread: take orders, call off, expire, start, step, hand out.
#include "server/service.h"

#include <algorithm>
#include <cmath>

#include "server/flight.h"

namespace seqgpt {
namespace {

constexpr auto kIdleTurn = std::chrono::milliseconds(500);  // an idle thread beats this often

Task warm_up_task() {
  Task task;
  task.text = "王伟，现任上海云图数据科技有限公司CTO。";
  task.labels = {{"姓名", "", ""}, {"公司", "", ""}};
  return task;
}

}  // namespace

Service::Service(ServiceOptions options, Open open)
    : options_(options), open_(std::move(open)), brown_out_(options.brown_out) {
  beat_ns_ = Clock::now().time_since_epoch().count();
  thread_ = std::thread([this] { run(); });
}

Service::~Service() {
  stop();
}

void Service::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status Service::wait_until_loaded() {
  std::unique_lock lock(mutex_);
  loaded_.wait(lock, [this] { return state_ != ServiceState::kLoading; });
  return load_error_;
}

ModelFacts Service::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

Result<OrderId> Service::submit(Order order) {
  std::function<void()> started;
  OrderId id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return Error{ErrorCode::kOverloaded, "the server is about to end"};
    Flight::Waiter waiter{0,
                          order.deadline,
                          std::move(order.done),
                          order.started,
                          std::move(order.progress),
                          std::move(order.decided),
                          std::move(order.has_read),
                          std::move(order.written)};
    const auto same = order.flight.empty() ? by_key_.end() : by_key_.find(order.flight);
    FlightPtr flight;
    if (same != by_key_.end()) {
      flight = same->second;
      flight->background = flight->background && order.background;
      ++stats_.shared;
      if (flight->submitted && order.started) {
        started = [call = std::move(order.started),
                   waited = ms_between(flight->queued, flight->began)] { call(waited); };
      }
    } else {
      if (queue_.size() >= options_.max_queued) {
        ++stats_.rejected;
        return Error{ErrorCode::kOverloaded, "the queue is full (" +
                                                 std::to_string(options_.max_queued) +
                                                 " requests wait): try again later"};
      }
      flight = std::make_shared<Flight>();
      flight->key = std::move(order.flight);
      flight->work = std::move(order.work);
      flight->may_degrade = order.may_degrade;
      flight->background = order.background;
      flight->queued = Clock::now();
      queue_.push_back(flight);
      if (!flight->key.empty()) by_key_[flight->key] = flight;
    }
    id = waiter.id = ++last_id_;
    flight->waiters.push_back(std::move(waiter));
    by_order_[id] = flight;
  }
  changed_.notify_one();
  if (started) started();
  return id;
}

void Service::cancel(OrderId id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_order_.find(id);
    if (found == by_order_.end()) return;
    ++stats_.cancelled;
    drop_waiter(FlightPtr(found->second), id);
  }
  changed_.notify_one();
}

void Service::drop_waiter(const FlightPtr& flight, OrderId id) {
  std::erase_if(flight->waiters, [&](const Flight::Waiter& waiter) { return waiter.id == id; });
  by_order_.erase(id);
  if (!flight->waiters.empty()) return;
  if (flight->submitted) called_off_.push_back(flight->ticket);
  forget(flight);
}

void Service::forget(const FlightPtr& flight) {
  const auto keyed = by_key_.find(flight->key);
  if (keyed != by_key_.end() && keyed->second == flight) by_key_.erase(keyed);
  for (const Flight::Waiter& waiter : flight->waiters) by_order_.erase(waiter.id);
  (flight->submitted ? running_ : queue_).remove(flight);
}

ServiceStats Service::stats() const {
  const std::lock_guard lock(mutex_);
  ServiceStats stats = stats_;
  const auto now = Clock::now();
  stats.queued = queue_.size();
  stats.running = running_.size();
  if (!queue_.empty()) stats.oldest_queued_ms = ms_between(queue_.front()->queued, now);
  const double ahead = static_cast<double>(queue_.size() + running_.size()) /
                       static_cast<double>(options_.max_running);
  stats.retry_after_s = std::max(1.0, std::ceil(mean_ms_ * ahead / 1000));
  return stats;
}

std::chrono::milliseconds Service::silence() const {
  const Clock::duration since{Clock::now().time_since_epoch().count() - beat_ns_.load()};
  return std::chrono::duration_cast<std::chrono::milliseconds>(since);
}

void Service::make(Calls& calls) {
  for (const auto& call : calls) call();
  calls.clear();
}

bool Service::load() {
  Result<std::unique_ptr<ServedModel>> opened = open_();
  Status warm;
  if (opened.ok()) {
    LiveAnswerer& answerer = (*opened)->answerer();
    const Ticket ticket = answerer.submit(warm_up_task());
    while (!answerer.ready(ticket)) answerer.work();
    (void)answerer.take(ticket);  // a model without extraction is warm too
    model_ = std::move(*opened);
  }
  const std::lock_guard lock(mutex_);
  if (model_) {
    facts_ = model_->facts();
  } else {
    load_error_ = opened.error();
  }
  state_ = model_ ? ServiceState::kReady : ServiceState::kFailed;
  loaded_.notify_all();
  return model_ != nullptr;
}

void Service::run() {
  const bool good = load();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    beat_ns_ = Clock::now().time_since_epoch().count();
    if (good) {
      turn(lock);
    } else {
      changed_.wait_for(lock, kIdleTurn);
    }
  }
  lock.unlock();
  model_.reset();
}

/// One round: nothing that changed since the last is left undone before the next step.
void Service::turn(std::unique_lock<std::mutex>& lock) {
  Calls calls;
  expire(Clock::now(), calls);
  if (!calls.empty()) {
    lock.unlock();
    make(calls);
    lock.lock();
  }
  call_off(lock);
  start_flights(lock);
  stats_.browned_out = brown_out_.active(Clock::now());
  stats_.brown_outs = brown_out_.starts();
  if (running_.empty()) {
    stats_.model = model_->figures();
    if (queue_.empty() && called_off_.empty() && !stop_) changed_.wait_for(lock, kIdleTurn);
    return;
  }
  lock.unlock();
  model_->answerer().work();
  lock.lock();
  collect(lock);
  report(lock);
}

void Service::call_off(std::unique_lock<std::mutex>& lock) {
  std::vector<Ticket> tickets;
  tickets.swap(called_off_);
  if (tickets.empty()) return;
  lock.unlock();
  for (const Ticket ticket : tickets) model_->answerer().cancel(ticket);
  lock.lock();
}

void Service::expire(Clock::time_point now, Calls& calls) {
  std::vector<std::pair<FlightPtr, OrderId>> late;
  for (const auto* list : {&queue_, &running_}) {
    for (const FlightPtr& flight : *list) {
      for (Flight::Waiter& waiter : flight->waiters) {
        if (waiter.deadline > now) continue;
        Finished finished;
        finished.timed_out = true;
        finished.answer = Error{ErrorCode::kCancelled, "the deadline passed"};
        finished.queue_ms = ms_between(flight->queued, flight->submitted ? flight->began : now);
        calls.push_back(
            [done = std::move(waiter.done), finished = std::move(finished)] { done(finished); });
        late.emplace_back(flight, waiter.id);
      }
    }
  }
  stats_.timed_out += late.size();
  for (const auto& [flight, id] : late) drop_waiter(flight, id);
}

/// The oldest that people wait for; else the oldest in the background while it has places left. One
/// place of the background's own keeps it from standing still.
Service::FlightPtr Service::next_to_start() {
  if (running_.size() >= options_.max_running) return nullptr;
  const auto in_background = [](const FlightPtr& flight) { return flight->background; };
  const auto held = static_cast<size_t>(std::ranges::count_if(running_, in_background));
  const auto first = std::ranges::find_if_not(queue_, in_background);
  const auto batch = std::ranges::find_if(queue_, in_background);
  if (batch != queue_.end() && held == 0) return *batch;
  if (first != queue_.end()) return *first;
  const size_t places = std::max<size_t>(1, options_.max_running / 2);
  return batch != queue_.end() && held < places ? *batch : nullptr;
}

void Service::start_flights(std::unique_lock<std::mutex>& lock) {
  while (const FlightPtr flight = next_to_start()) {
    const auto now = Clock::now();
    queue_.remove(flight);
    running_.push_back(flight);
    flight->submitted = true;
    flight->began = now;
    const double waited = ms_between(flight->queued, now);
    if (!flight->background)
      brown_out_.observe(std::chrono::milliseconds(static_cast<int64_t>(waited)), now);
    if (flight->may_degrade && brown_out_.active(now)) {
      flight->dropped = std::visit([](auto& work) { return drop_optional(work); }, flight->work);
    }
    Calls calls;
    for (const Flight::Waiter& waiter : flight->waiters) {
      if (waiter.started) calls.push_back([started = waiter.started, waited] { started(waited); });
    }
    const Work work = std::move(flight->work);
    // No ticket yet: cancel() of 0 does nothing, and what was called off meanwhile is seen below.
    lock.unlock();
    make(calls);
    const Ticket ticket =
        std::visit([&](const auto& any) { return model_->answerer().submit(any); }, work);
    lock.lock();
    if (flight->waiters.empty()) {
      called_off_.push_back(ticket);  // all left meanwhile
      call_off(lock);
    } else {
      flight->ticket = ticket;
    }
  }
}

}  // namespace seqgpt
