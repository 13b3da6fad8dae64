// SPDX-License-Identifier: Apache-2.0
// What the engine thread tells of computations under way and ended.
#include <algorithm>

#include "server/flight.h"

namespace seqgpt {
namespace {

constexpr double kMeanWeight = 0.1;

/// Names of dropped work that the answer would have had none of are taken back.
void keep_what_counted(std::vector<std::string>& dropped, const WorkAnswer& answer) {
  const auto* of_task = std::get_if<Answer>(&answer);
  if (of_task && !of_task->unvoted) std::erase(dropped, kWindowVoting);
}

}  // namespace

Finished Service::take(Flight& flight) {
  Finished finished;
  finished.dropped = flight.dropped;
  finished.queue_ms = ms_between(flight.queued, flight.began);
  finished.compute_ms = ms_between(flight.began, Clock::now());
  finished.times = model_->answerer().times(flight.ticket);
  const auto put = [&](auto answer) {
    if (!answer.ok()) {
      finished.answer = answer.error();
      return;
    }
    const auto whole = std::make_shared<const WorkAnswer>(std::move(*answer));
    keep_what_counted(finished.dropped, *whole);
    finished.answer = whole;
  };
  if (std::holds_alternative<FreePrompt>(flight.work)) {
    put(model_->answerer().take_free(flight.ticket));
  } else {
    put(model_->answerer().take(flight.ticket));
  }
  return finished;
}

void Service::tell_decided(Calls& calls) {
  for (const FlightPtr& flight : running_) {
    const auto listens = [](const Flight::Waiter& waiter) { return bool(waiter.decided); };
    if (std::ranges::none_of(flight->waiters, listens)) continue;
    const std::optional<Decided> news = model_->answerer().decided(flight->ticket);
    if (!news) continue;
    for (const Flight::Waiter& waiter : flight->waiters) {
      if (waiter.decided) calls.push_back([decided = waiter.decided, news] { decided(*news); });
    }
  }
}

void Service::tell_written(Calls& calls) {
  for (const FlightPtr& flight : running_) {
    const auto listens = [](const Flight::Waiter& waiter) { return bool(waiter.written); };
    if (std::ranges::none_of(flight->waiters, listens)) continue;
    const auto text =
        std::make_shared<const std::string>(model_->answerer().written(flight->ticket));
    if (text->size() <= flight->written) continue;
    flight->written = text->size();
    for (const Flight::Waiter& waiter : flight->waiters) {
      if (waiter.written) calls.push_back([written = waiter.written, text] { written(text); });
    }
  }
}

void Service::collect(std::unique_lock<std::mutex>& lock) {
  stats_.model = model_->figures();
  std::vector<FlightPtr> ended;
  for (const FlightPtr& flight : running_) {
    if (model_->answerer().ready(flight->ticket)) ended.push_back(flight);
  }
  for (const FlightPtr& flight : ended) {
    forget(flight);
    ++stats_.computed;
  }
  Calls calls;
  tell_decided(calls);
  tell_written(calls);
  lock.unlock();
  make(calls);
  double mean = mean_ms_;
  uint64_t degraded = 0;
  for (const FlightPtr& flight : ended) {
    const Finished finished = take(*flight);
    degraded += finished.dropped.empty() ? 0 : 1;
    for (const Flight::Waiter& waiter : flight->waiters) waiter.done(finished);
    mean += kMeanWeight * (finished.compute_ms - mean);
  }
  lock.lock();
  mean_ms_ = mean;
  stats_.degraded += degraded;
}

void Service::tell_progress(Flight& flight, const TaskProgress& progress, Clock::time_point now,
                            Calls& calls) {
  if (progress == flight.progress) return;
  flight.progress = progress;
  const double ms = ms_between(flight.began, now);
  for (const Flight::Waiter& waiter : flight.waiters) {
    if (waiter.progress)
      calls.push_back([tell = waiter.progress, progress, ms] { tell(progress, ms); });
  }
}

/// Tells those who asked for it how far their computations are.
void Service::report(std::unique_lock<std::mutex>& lock) {
  const auto now = Clock::now();
  Calls calls;
  for (const FlightPtr& flight : running_) {
    tell_progress(*flight, model_->answerer().progress(flight->ticket), now, calls);
    const double read = model_->answerer().times(flight->ticket).read;
    if (read < 0 || std::exchange(flight->read_told, true)) continue;
    for (const Flight::Waiter& waiter : flight->waiters) {
      if (waiter.has_read) calls.push_back([tell = waiter.has_read, read] { tell(read); });
    }
  }
  lock.unlock();
  make(calls);
  lock.lock();
}

}  // namespace seqgpt
