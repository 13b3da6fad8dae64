// SPDX-License-Identifier: Apache-2.0
// JobRunner: the one thread that talks to the job queue; it feeds stored items to the service.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "server/service.h"
#include "store/job_queue.h"
#include "store/log.h"
#include "task/fields.h"

namespace seqgpt {

struct JobRunnerOptions {
  size_t most_in_flight = 8;
  std::chrono::milliseconds look_every{500};  // for items that others put in
  std::chrono::seconds sweep_every{60};
  // A queue that fails is looked at ever more rarely, down to this.
  std::chrono::milliseconds back_off{30'000};
  // On the runner's thread, when a job's last item has its outcome; `trace_id` is what its maker
  // put into NewJob::options. Two machines that end the last two items at once may both be told.
  std::function<void(const JobView& job, const std::string& trace_id)> ended = {};
};

/// Thread contract: post() from any thread; all else on its own thread. Service, queue and log must
/// outlive it.
class JobRunner {
 public:
  using Fields = std::function<std::shared_ptr<const FieldTable>()>;

  JobRunner(JobRunnerOptions options, JobQueue& queue, Service& service, Log& log, Fields fields);
  /// Gives back what it had claimed.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Runs `work` between two looks at the queue.
  void post(std::function<void(JobQueue&)> work);
  /// Claims nothing more.
  void pause();

 private:
  struct Claimed;

  void run();
  void feed();
  void start(WorkItem item);
  /// An outcome that the queue cannot take now is kept until it can.
  void end(uint64_t number, ItemOutcome outcome, std::string payload);
  bool record(uint64_t number, ItemOutcome outcome, const std::string& payload);
  void record_owed();
  void tell_ended(const WorkItem& item);
  void keep_house();
  void give_back();
  /// Logs when the queue begins to fail and when it is back, not each time.
  void note(const Status& status);

  const JobRunnerOptions options_;
  JobQueue& queue_;
  Service& service_;
  Log& log_;
  const Fields fields_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void(JobQueue&)>> posted_;
  bool stop_ = false;
  bool paused_ = false;

  // Of the runner's thread.
  std::unordered_map<uint64_t, std::pair<WorkItem, OrderId>> claimed_;
  uint64_t last_number_ = 0;
  bool look_again_ = true;
  std::chrono::steady_clock::time_point swept_;
  struct Owed {
    uint64_t number;
    ItemOutcome outcome;
    std::string payload;
  };
  std::deque<Owed> owed_;
  int failures_ = 0;  // in a row
  std::chrono::steady_clock::time_point next_look_;

  std::thread thread_;
};

}  // namespace seqgpt
