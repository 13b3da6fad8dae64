// SPDX-License-Identifier: Apache-2.0
// JobQueue: jobs of many items that outlive the process. The interface; job_store.cc keeps them in
// SQLite, redis_queue.cc in Redis Streams for several machines (docs/store.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/clock.h"
#include "store/vault.h"

namespace seqgpt {

enum class JobState { kQueued, kRunning, kDone, kFailed, kCancelled };
/// "queued", "running", "done", "failed" or "cancelled".
std::string_view job_state_name(JobState state);

struct NewJob {
  std::string kind;                // an identifier, stored in the clear: "extract"
  std::string owner;               // id of the bearer key, stored in the clear; empty: none
  std::string options;             // opaque, encrypted
  std::vector<std::string> items;  // opaque, encrypted; at least one
  std::string idempotency_key;     // empty: none; only a keyed hash is stored
  std::string request;  // what must be equal under one idempotency key (the body as received); only
                        // a keyed hash is stored; empty: kind, options and items
  std::chrono::seconds keep{24 * 3600};  // results are wiped this long after the job's end
};

struct CreatedJob {
  std::string id;         // 32 hex digits, unguessable
  bool existing = false;  // an earlier request with the same idempotency key made it
};

struct JobView {
  std::string id;
  std::string kind;
  std::string owner;
  JobState state = JobState::kQueued;
  size_t items = 0;
  size_t finished_items = 0;  // with an outcome, failures included
  size_t failed_items = 0;
  UnixMs created = 0;
  UnixMs finished = 0;  // 0: not yet
  UnixMs expires = 0;   // 0: not finished yet
};

/// One item handed to this process, to be ended by complete() or release().
struct WorkItem {
  std::string job;
  size_t index = 0;
  std::string kind;
  std::string owner;
  std::string options;
  std::string payload;
  int attempt = 1;     // 1 for the first try; more after the process that had it died
  std::string ticket;  // the queue's own
};

enum class ItemOutcome {
  kDone,
  kFailed,     // the server's own error payload
  kCrashed,    // the process died with it as often as allowed: no payload
  kCancelled,  // cancelled before it was done: no payload
};

struct ItemResult {
  size_t index = 0;
  ItemOutcome outcome = ItemOutcome::kDone;
  std::string payload;
};

/// Results in the order of the items, without gaps: a page ends before the first item that has no
/// outcome yet.
struct ResultPage {
  std::vector<ItemResult> results;
  size_t next = 0;    // cursor of the next page
  bool more = false;  // there are, or will be, results from `next` on
};

struct JobPage {
  std::vector<JobView> jobs;  // newest first
  std::string next;           // cursor of the next page; empty: this was the last
};

struct QueueDepth {
  size_t queued_items = 0;
  size_t running_items = 0;
  size_t open_jobs = 0;  // queued or running
};

struct QueueOptions {
  int max_attempts = 3;       // deaths of the process after which an item is reported kCrashed
  size_t max_items = 10'000;  // of a job
  size_t max_item_bytes = size_t{8} << 20;
  size_t max_job_bytes = size_t{256} << 20;
  size_t max_open_jobs = 10'000;                 // beyond: kOverloaded
  uint64_t max_store_bytes = uint64_t{8} << 30;  // of the SQLite file
  std::chrono::milliseconds lease{60'000};       // Redis: a worker silent this long is dead
  std::string worker;                            // Redis: this consumer's name; empty: a random one
  std::string prefix = "seqgpt";                 // Redis: of every key
  UnixClock clock = system_unix_ms;
};

/// Thread contract: any thread may call any member; calls block on the disk or the network and
/// take turns, so keep them off an I/O loop. `owner` is the id of the caller's bearer key, empty
/// without keys; a job of another owner is kNotFound, as if it were not there.
/// Errors of every member: kIo (disk full, server away: try again), kBadFile (damaged store).
class JobQueue {
 public:
  virtual ~JobQueue() = default;

  /// The job is on disk when this returns. Errors: kInvalidArgument with param "Idempotency-Key"
  /// when that key was used for another request; kTooLarge, kOverloaded beyond the limits.
  virtual Result<CreatedJob> create(const NewJob& job) = 0;
  /// kNotFound: never there, expired, or another owner's.
  virtual Result<JobView> get(const std::string& id, const std::string& owner) = 0;
  /// Errors: kInvalidArgument for an empty owner (without keys nothing is listed) or a bad cursor.
  virtual Result<JobPage> list(const std::string& owner, const std::string& cursor,
                               size_t limit) = 0;
  virtual Result<ResultPage> results(const std::string& id, const std::string& owner, size_t cursor,
                                     size_t limit) = 0;
  /// Items without an outcome become kCancelled and their texts are wiped; a finished job stays
  /// as it is.
  virtual Result<JobView> cancel(const std::string& id, const std::string& owner) = 0;
  /// Forgets the job, its texts and results now.
  virtual Status wipe(const std::string& id, const std::string& owner) = 0;

  /// At most `max` items, one of each open job in turn, jobs in order of submission; empty when
  /// there is nothing. Does not wait. An item whose process died before comes alone, when this
  /// process has no other, so that one bad item takes no innocent ones with it.
  virtual Result<std::vector<WorkItem>> claim(size_t max) = 0;
  /// Records the outcome (kDone or kFailed) and wipes the item's text. False: it had an outcome
  /// already (or the job is gone), nothing was changed.
  virtual Result<bool> complete(const WorkItem& item, ItemOutcome outcome,
                                std::string_view payload) = 0;
  /// Back to the queue, untried (a server that drains).
  virtual Status release(const WorkItem& item) = 0;
  /// Tells that this process still works on what it claimed. Call every lease / 3.
  virtual Status keep_alive() = 0;

  /// Wipes what has expired; gives the number of jobs. Call every minute or so.
  virtual Result<size_t> sweep() = 0;
  virtual Result<QueueDepth> depth() = 0;
};

/// `where` is a directory (SQLite, made if absent) or redis://[:password@]host[:port][/db] or
/// unix:///path/to/socket[?db=N]. Jobs that a dead process left running are queued again.
/// Errors: kIo, kBadFile; kInvalidArgument when the vault's key is not the one of the store.
Result<std::unique_ptr<JobQueue>> open_job_queue(const std::string& where, const Vault& vault,
                                                 const QueueOptions& options);

}  // namespace seqgpt
