// SPDX-License-Identifier: Apache-2.0
// JobStore: the job queue of one machine, in SQLite with a write-ahead log.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "store/job_queue.h"
#include "store/private_file.h"
#include "store/sqlite.h"

namespace seqgpt {

/// One process has a store at a time (a lock file says so); see JobQueue for the contract.
class JobStore : public JobQueue {
 public:
  /// Makes the directory and the store where absent, checks the file, and queues again what a
  /// killed process left running.
  static Result<std::unique_ptr<JobStore>> open(const std::filesystem::path& directory,
                                                const Vault& vault, const QueueOptions& options);

  Result<CreatedJob> create(const NewJob& job) override;
  Result<JobView> get(const std::string& id, const std::string& owner) override;
  Result<JobPage> list(const std::string& owner, const std::string& cursor, size_t limit) override;
  Result<ResultPage> results(const std::string& id, const std::string& owner, size_t cursor,
                             size_t limit) override;
  Result<JobView> cancel(const std::string& id, const std::string& owner) override;
  Status wipe(const std::string& id, const std::string& owner) override;
  Result<std::vector<WorkItem>> claim(size_t max) override;
  Result<bool> complete(const WorkItem& item, ItemOutcome outcome,
                        std::string_view payload) override;
  Status release(const WorkItem& item) override;
  Status keep_alive() override { return {}; }  // the lock file tells who lives
  Result<size_t> sweep() override;
  Result<QueueDepth> depth() override;

 private:
  JobStore(const Vault& vault, const QueueOptions& options) : vault_(vault), options_(options) {}

  // job_store_open.cc
  Status prepare_file();
  Status make_tables();
  Status check_key();
  Status recover();

  // All below: with mutex_ held, inside the caller's transaction.
  Result<int64_t> find(const std::string& id, const std::string& owner);
  Result<JobView> view(int64_t job);
  Result<CreatedJob> earlier(const std::string& idempotency, const std::string& digest);
  Status insert_items(int64_t job, const std::string& id, const NewJob& request);
  Result<bool> claim_next(std::vector<WorkItem>& claimed);
  Status hand_out(int64_t job, int64_t index, std::vector<WorkItem>& claimed);
  Status give_up(int64_t job, int64_t index);
  Status count_outcome(int64_t job, bool failed);
  Status wipe_pages();

  Vault vault_;
  QueueOptions options_;
  FileLock lock_;
  std::unique_ptr<Database> database_;
  std::mutex mutex_;
  int64_t turn_ = 0;  // the last turn given: jobs are served by the turn they had longest ago
};

}  // namespace seqgpt
