// SPDX-License-Identifier: Apache-2.0
// Service: one engine thread that works on what many threads ask: a bounded queue, deadlines,
// calling off, one computation for equal requests, and less optional work under pressure.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/result.h"
#include "pipeline/answer.h"
#include "server/brown_out.h"
#include "server/served_model.h"

namespace seqgpt {

using Work = std::variant<Task, FreePrompt>;
using WorkAnswer = std::variant<Answer, FreeAnswer>;

/// How an order ended. Equal orders share the answer.
struct Finished {
  Result<std::shared_ptr<const WorkAnswer>> answer = Error{};
  bool timed_out = false;            // the deadline passed; answer is kCancelled
  std::vector<std::string> dropped;  // optional work that load took away
  double queue_ms = 0;
  double compute_ms = 0;
  WorkTimes times;  // of compute_ms, its stages
};

using OrderId = uint64_t;

struct Order {
  Work work;
  std::string flight;  // orders of equal strings are one computation; empty: alone
  bool may_degrade = false;
  bool background = false;  // items of batches and jobs: after others, in half of the places
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  // Both on the engine thread, which must not be kept. `done` once, unless the order is cancelled
  // or the service ends first; `started` when its computation leaves the queue, or at once when it
  // had.
  std::function<void(Finished)> done;
  std::function<void(double queue_ms)> started = {};
  // On the engine thread: another window of the text was read; `ms` since it began.
  std::function<void(const TaskProgress&, double ms)> progress = {};
  // Labels as they are decided, each once, all of them before `done`; of an order that joined late
  // only those that come after.
  std::function<void(const Decided&)> decided = {};
  // On the engine thread: nothing is left to read, which took `ms`.
  std::function<void(double ms)> has_read = {};
  // On the engine thread: the beginning of a free prompt's text that is decided, longer each time;
  // of an order that joined late too, from the start.
  std::function<void(std::shared_ptr<const std::string> text)> written = {};
};

enum class ServiceState { kLoading, kReady, kFailed };

struct ServiceOptions {
  size_t max_queued = 256;  // beyond: kOverloaded
  size_t max_running = 32;  // computations that share the engine
  BrownOutOptions brown_out;
};

struct ServiceStats {
  size_t queued = 0;
  size_t running = 0;
  uint64_t computed = 0;  // computations that ended, well or not
  uint64_t shared = 0;    // orders that joined one under way
  uint64_t rejected = 0;
  uint64_t timed_out = 0;
  uint64_t cancelled = 0;
  uint64_t degraded = 0;
  uint64_t brown_outs = 0;
  bool browned_out = false;
  double oldest_queued_ms = 0;
  double retry_after_s = 1;  // when a place in the queue may be free
  ModelFigures model;
};

/// Thread contract: any thread may call any member. The engine thread alone touches the model.
class Service {
 public:
  using Open = std::function<Result<std::unique_ptr<ServedModel>>()>;

  /// `open` runs on the engine thread; then a first pass warms the model up.
  Service(ServiceOptions options, Open open);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Ends the engine thread at once: what is under way is dropped without a word, nothing is called
  /// after this returns, and nothing new is taken.
  void stop();

  ServiceState state() const { return state_.load(); }
  /// Blocks until the model is ready or has failed; the error then.
  Status wait_until_loaded();
  /// Empty until loaded.
  ModelFacts facts() const;

  /// Errors: kOverloaded when the queue is full (an order that can join another never is).
  Result<OrderId> submit(Order order);
  /// The order's `done` is not called any more, unless it is being called. A computation that
  /// nobody waits for ends before the engine's next step.
  void cancel(OrderId id);

  ServiceStats stats() const;
  /// Since the engine thread last turned round; small while it is alive.
  std::chrono::milliseconds silence() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Flight;
  using FlightPtr = std::shared_ptr<Flight>;
  using Calls = std::vector<std::function<void()>>;  // to be made without the lock

  void run();
  bool load();
  void turn(std::unique_lock<std::mutex>& lock);
  void call_off(std::unique_lock<std::mutex>& lock);
  void expire(Clock::time_point now, Calls& calls);
  FlightPtr next_to_start();
  void start_flights(std::unique_lock<std::mutex>& lock);
  void collect(std::unique_lock<std::mutex>& lock);
  void report(std::unique_lock<std::mutex>& lock);
  void tell_decided(Calls& calls);
  void tell_written(Calls& calls);
  static void tell_progress(Flight& flight, const TaskProgress& progress, Clock::time_point now,
                            Calls& calls);
  Finished take(Flight& flight);
  void forget(const FlightPtr& flight);
  void drop_waiter(const FlightPtr& flight, OrderId id);
  static void make(Calls& calls);
  Clock::time_point next_deadline() const;

  const ServiceOptions options_;
  const Open open_;
  std::atomic<ServiceState> state_{ServiceState::kLoading};
  std::atomic<int64_t> beat_ns_{0};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable loaded_;
  bool stop_ = false;
  Status load_error_;
  ModelFacts facts_;
  OrderId last_id_ = 0;
  std::list<FlightPtr> queue_;
  std::list<FlightPtr> running_;
  std::vector<Ticket> called_off_;
  std::unordered_map<std::string, FlightPtr> by_key_;
  std::unordered_map<OrderId, FlightPtr> by_order_;
  BrownOut brown_out_;
  ServiceStats stats_;
  double mean_ms_ = 0;  // of a computation, exponentially weighted

  std::unique_ptr<ServedModel> model_;  // the engine thread's
  std::thread thread_;                  // last: starts when all else is made
};

}  // namespace seqgpt
