// SPDX-License-Identifier: Apache-2.0
// Claim, submit, complete; and the endpoints' own questions in between.
#include "server/job_runner.h"

#include <ctime>

#include "api/http_body.h"
#include "api/http_request.h"
#include "api/job_items.h"
#include "server/app.h"

namespace seqgpt {

JobRunner::JobRunner(JobRunnerOptions options, JobQueue& queue, Service& service, Log& log,
                     Fields fields)
    : options_(options),
      queue_(queue),
      service_(service),
      log_(log),
      fields_(std::move(fields)),
      swept_(std::chrono::steady_clock::now()) {
  thread_ = std::thread([this] { run(); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobRunner::post(std::function<void(JobQueue&)> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void JobRunner::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void JobRunner::tell(const Error& error) {
  log_.error("job_queue_failed", {{"error", log_word(error.code)}});
}

void JobRunner::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    std::deque<std::function<void(JobQueue&)>> work;
    work.swap(posted_);
    const bool feeding = !paused_ && service_.state() == ServiceState::kReady;
    lock.unlock();
    for (const auto& one : work) one(queue_);
    look_again_ = look_again_ || !work.empty();
    if (feeding && look_again_) feed();
    keep_house();
    lock.lock();
    const bool more = feeding && look_again_;
    if (posted_.empty() && !stop_ && !more) {
      const auto woken = changed_.wait_for(lock, options_.look_every);
      look_again_ = look_again_ || woken == std::cv_status::timeout;
    }
  }
  lock.unlock();
  for (const auto& [number, claimed] : claimed_) {
    service_.cancel(claimed.second);
    const Status released = queue_.release(claimed.first);
    if (!released.ok()) tell(released.error());
  }
}

void JobRunner::feed() {
  look_again_ = false;
  if (claimed_.size() >= options_.most_in_flight) return;
  Result<std::vector<WorkItem>> items = queue_.claim(options_.most_in_flight - claimed_.size());
  if (!items.ok()) return tell(items.error());
  for (WorkItem& item : *items) start(std::move(item));
}

void JobRunner::start(WorkItem item) {
  const uint64_t number = ++last_number_;
  RequestDefaults defaults;
  defaults.rules.fields = fields_();
  defaults.now_seconds = std::time(nullptr);
  const TaskKind kind = item.kind == "classify" ? TaskKind::kClassify : TaskKind::kExtract;
  Result<JobItem> read = read_job_item(item.payload, kind, defaults);
  claimed_.emplace(number, std::pair{std::move(item), OrderId{0}});
  if (!read.ok()) {
    const Error& error = read.error();
    return end(number, ItemOutcome::kFailed,
               item_error_body("", http_status(error.code), error_type(error.code), error));
  }
  if (!read->request.ok()) {
    const Error& error = read->request.error();
    return end(number, ItemOutcome::kFailed,
               item_error_body(read->id, http_status(error.code), error_type(error.code), error));
  }
  read->request->may_degrade = false;  // before the key is made: it joins none that may be
  Order order = order_of(*read->request, std::chrono::steady_clock::now());
  order.background = true;
  const auto facts = service_.facts();
  const auto shared = std::make_shared<const JobItem>(std::move(*read));
  order.done = [this, number, shared, facts](Finished finished) {
    post([this, number, shared, facts, finished = std::move(finished)](JobQueue&) {
      if (!finished.answer.ok()) {
        const auto [status, type] = status_of(finished);
        return end(number, ItemOutcome::kFailed,
                   item_error_body(shared->id, status, type, finished.answer.error()));
      }
      const TaskRequest& request = *shared->request;
      end(number, ItemOutcome::kDone,
          item_body(shared->id, std::get<Answer>(**finished.answer), request.task.text,
                    request.answer, {facts.name, facts.fingerprint}));
    });
  };
  const Result<OrderId> id = service_.submit(std::move(order));
  if (id.ok()) {
    claimed_.at(number).second = *id;
    return;
  }
  const Status released = queue_.release(claimed_.at(number).first);  // the queue is full: later
  if (!released.ok()) tell(released.error());
  claimed_.erase(number);
}

void JobRunner::end(uint64_t number, ItemOutcome outcome, const std::string& payload) {
  const auto claimed = claimed_.find(number);
  if (claimed == claimed_.end()) return;
  const Result<bool> completed = queue_.complete(claimed->second.first, outcome, payload);
  if (!completed.ok()) tell(completed.error());
  claimed_.erase(claimed);
  look_again_ = true;
}

void JobRunner::keep_house() {
  const auto now = std::chrono::steady_clock::now();
  if (now - swept_ < options_.sweep_every) return;
  swept_ = now;
  if (const Status alive = queue_.keep_alive(); !alive.ok()) tell(alive.error());
  if (const Result<size_t> swept = queue_.sweep(); !swept.ok()) tell(swept.error());
}

}  // namespace seqgpt
