// SPDX-License-Identifier: Apache-2.0
// What the two queues share: numbers of states, checks of a new job, names of sealed blobs.
#pragma once

#include <string>

#include "store/job_queue.h"

namespace seqgpt {

/// States of an item as stored. Never renumber.
enum class ItemState : int64_t {
  kQueued = 0,
  kRunning = 1,
  kDone = 2,
  kFailed = 3,
  kCrashed = 4,
  kCancelled = 5,
};

inline constexpr size_t kMaxPage = 1000;  // jobs or results in one answer
/// What a queue keeps sealed, to tell at once that the key file is another one.
inline constexpr const char* kKeyProof = "seqgpt jobs";

/// Errors: kInvalidArgument (no items, bad kind or owner), kTooLarge beyond the limits.
Status check_new_job(const NewJob& job, const QueueOptions& options);
Error no_such_job(const std::string& id);
Error idempotency_conflict();
Error too_many_jobs(size_t limit);
Error no_listing();
Error bad_cursor();

/// Raw hashes: of who asks under which key, and of what was asked. Empty without a key.
std::string idempotency_hash(const Vault& vault, const NewJob& job);
std::string request_hash(const Vault& vault, const NewJob& job);

/// What a sealed blob is tied to: its job, its role and the number of its item.
std::string blob_place(const std::string& job, char role, size_t index);
inline constexpr char kOptionsRole = 'o';
inline constexpr char kTextRole = 't';
inline constexpr char kResultRole = 'r';

/// The outcome of a stored state that is one.
ItemOutcome outcome_of(ItemState state);
/// What a job is whose items all have an outcome.
JobState ended_state(size_t items, size_t failed);

std::string new_job_id();
/// 32 lower-case hex digits: anything else need not be looked up.
bool is_job_id(const std::string& id);

}  // namespace seqgpt
