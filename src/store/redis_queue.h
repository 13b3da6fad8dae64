// SPDX-License-Identifier: Apache-2.0
// RedisQueue: the job queue that several machines share, in Redis Streams (redis_scripts.h has the
// layout).
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "store/job_queue.h"
#include "store/redis_client.h"

namespace seqgpt {

/// See JobQueue for the contract. An item belongs to the worker that claimed it as long as that
/// calls keep_alive(); after `lease` of silence another worker claims it.
class RedisQueue : public JobQueue {
 public:
  /// Needs Redis 6.2 or later (XAUTOCLAIM).
  static Result<std::unique_ptr<RedisQueue>> open(const RedisAddress& address, const Vault& vault,
                                                  const QueueOptions& options);

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
  Status keep_alive() override;
  /// Redis itself forgets expired jobs; this tidies the owners' lists.
  Result<size_t> sweep() override;
  Result<QueueDepth> depth() override;

 private:
  RedisQueue(const RedisAddress& address, const Vault& vault, const QueueOptions& options);

  // redis_worker.cc: with mutex_ held.
  Result<bool> abandoned_waits();
  Result<std::vector<WorkItem>> claim_abandoned();
  /// False: no turn was there to read.
  Result<bool> serve_turns(size_t max, std::vector<WorkItem>& claimed);
  /// Adds the item of one stream entry, if it still wants doing.
  Status hand_out(const RedisReply& entry, std::vector<WorkItem>& claimed);

  // redis_queue.cc: with mutex_ held.
  Status prepare();
  Status upload_texts(const std::string& id, const NewJob& job);
  Result<JobView> view(const std::string& id, const std::string& owner);
  Result<RedisReply> run(const char* script, std::vector<std::string> arguments);
  std::string key(std::string_view kind, std::string_view id) const;
  std::string owner_hash(const std::string& owner) const;

  RedisClient client_;
  Vault vault_;
  QueueOptions options_;
  std::string prefix_;
  std::string turns_;  // key of the stream
  std::mutex mutex_;
  std::map<std::string, int> held_;  // stream entry -> attempt, of what this process works on
};

}  // namespace seqgpt
