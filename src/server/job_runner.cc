// SPDX-License-Identifier: Apache-2.0
// Claim, submit, complete; and the endpoints' own questions in between.
#include "server/job_runner.h"

#include <algorithm>
#include <ctime>

#include "api/http_body.h"
#include "api/http_request.h"
#include "api/job_items.h"
#include "server/app.h"

namespace seqgpt {

JobRunner::JobRunner(JobRunnerOptions options, JobQueue& queue, Service& service, Log& log,
                     Fields fields)
    : options_(std::move(options)),
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

void JobRunner::note(const Status& status) {
  constexpr int kMostDoublings = 20;
  if (status.ok()) {
    if (failures_ > 0) log_.info("job_queue_back", {{"failures", failures_}});
    failures_ = 0;
    next_look_ = {};
    return;
  }
  if (failures_++ == 0) log_.error("job_queue_failed", {{"error", log_word(status.error().code)}});
  const auto wait = options_.look_every * (int64_t{1} << std::min(failures_, kMostDoublings));
  next_look_ = std::chrono::steady_clock::now() + std::min(wait, options_.back_off);
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
    const bool looks = std::chrono::steady_clock::now() >= next_look_;
    if (looks) {
      record_owed();
      if (feeding && look_again_) feed();
      keep_house();
    }
    lock.lock();
    const bool more = looks && failures_ == 0 && feeding && look_again_;
    if (posted_.empty() && !stop_ && !more) {
      const auto woken = changed_.wait_for(lock, options_.look_every);
      look_again_ = look_again_ || woken == std::cv_status::timeout;
    }
  }
  lock.unlock();
  give_back();
}

void JobRunner::give_back() {
  record_owed();
  for (const auto& [number, claimed] : claimed_) {
    service_.cancel(claimed.second);
    note(queue_.release(claimed.first));
  }
}

void JobRunner::feed() {
  look_again_ = false;
  if (claimed_.size() >= options_.most_in_flight) return;
  Result<std::vector<WorkItem>> items = queue_.claim(options_.most_in_flight - claimed_.size());
  note(items.ok() ? Status() : Status(items.error()));
  if (!items.ok()) return;
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
  Order order =
      order_of(*read->request, claimed_.at(number).first.owner, std::chrono::steady_clock::now());
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
  note(queue_.release(claimed_.at(number).first));  // the queue is full: later
  claimed_.erase(number);
}

void JobRunner::end(uint64_t number, ItemOutcome outcome, std::string payload) {
  if (!claimed_.contains(number)) return;
  if (!record(number, outcome, payload)) owed_.push_back({number, outcome, std::move(payload)});
}

/// False when the queue is away.
bool JobRunner::record(uint64_t number, ItemOutcome outcome, const std::string& payload) {
  const WorkItem& item = claimed_.at(number).first;
  const Result<bool> completed = queue_.complete(item, outcome, payload);
  note(completed.ok() ? Status() : Status(completed.error()));
  if (!completed.ok() && completed.error().code == ErrorCode::kIo) return false;
  if (completed.ok() && *completed) tell_ended(item);
  claimed_.erase(number);
  look_again_ = true;
  return true;
}

void JobRunner::record_owed() {
  while (!owed_.empty()) {
    const Owed& owed = owed_.front();
    if (!record(owed.number, owed.outcome, owed.payload)) return;
    owed_.pop_front();
  }
}

void JobRunner::tell_ended(const WorkItem& item) {
  if (!options_.ended) return;
  const Result<JobView> job = queue_.get(item.job, item.owner);
  if (job.ok() && job->finished_items == job->items) options_.ended(*job, item.options);
}

void JobRunner::keep_house() {
  const auto now = std::chrono::steady_clock::now();
  if (now - swept_ < options_.sweep_every) return;
  swept_ = now;
  note(queue_.keep_alive());
  const Result<size_t> swept = queue_.sweep();
  note(swept.ok() ? Status() : Status(swept.error()));
}

}  // namespace seqgpt
