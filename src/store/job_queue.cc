// SPDX-License-Identifier: Apache-2.0
// Which queue an address means.
#include "store/job_queue.h"

#include "store/job_store.h"
#include "store/redis_queue.h"

namespace seqgpt {
namespace {

/// A Result of the class as a Result of its interface.
template <typename T>
Result<std::unique_ptr<JobQueue>> as_queue(Result<std::unique_ptr<T>> opened) {
  if (!opened.ok()) return std::move(opened).error();
  return std::unique_ptr<JobQueue>(std::move(*opened));
}

}  // namespace

Result<std::unique_ptr<JobQueue>> open_job_queue(const std::string& where, const Vault& vault,
                                                 const QueueOptions& options) {
  if (where.find("://") == std::string::npos)
    return as_queue(JobStore::open(where, vault, options));
  SEQGPT_ASSIGN(const RedisAddress address, parse_redis_address(where));
  return as_queue(RedisQueue::open(address, vault, options));
}

}  // namespace seqgpt
