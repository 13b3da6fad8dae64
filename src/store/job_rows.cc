// SPDX-License-Identifier: Apache-2.0
// Checks and names of jobs.
#include "store/job_rows.h"

#include <algorithm>

namespace seqgpt {
namespace {

constexpr size_t kIdBytes = 16;  // 128 random bits
constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMaxIdempotencyBytes = 255;

bool is_word(const std::string& text) {
  return text.size() <= kMaxWordBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Error too_large(const std::string& what, size_t have, size_t limit, const std::string& mend) {
  return {ErrorCode::kTooLarge,
          what + " " + std::to_string(have) + ", more than " + std::to_string(limit) + ": " + mend,
          "items"};
}

std::string framed(std::string_view part) {
  return std::to_string(part.size()) + ":" + std::string(part);
}

}  // namespace

std::string_view job_state_name(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "failed";
}

Status check_new_job(const NewJob& job, const QueueOptions& options) {
  if (job.kind.empty() || !is_word(job.kind) || !is_word(job.owner))
    return Error{ErrorCode::kInvalidArgument, "a job's kind and owner are short ASCII words"};
  if (job.idempotency_key.size() > kMaxIdempotencyBytes)
    return Error{ErrorCode::kInvalidArgument, "Idempotency-Key has more than 255 bytes",
                 "Idempotency-Key"};
  if (job.items.empty())
    return Error{ErrorCode::kInvalidArgument, "a job needs at least one item", "items"};
  if (job.items.size() > options.max_items)
    return too_large("a job has", job.items.size(), options.max_items, "split it");
  size_t bytes = job.options.size();
  for (const std::string& item : job.items) {
    if (item.size() > options.max_item_bytes)
      return too_large("an item's bytes are", item.size(), options.max_item_bytes,
                       "split the text");
    bytes += item.size();
  }
  if (bytes > options.max_job_bytes)
    return too_large("a job's bytes are", bytes, options.max_job_bytes, "split it");
  return {};
}

Error no_such_job(const std::string& id) {
  return {ErrorCode::kNotFound,
          "there is no job " + (is_job_id(id) ? id : std::string("of that id")) +
              ": it was never there, or its results have expired",
          "job_id"};
}

Error idempotency_conflict() {
  return {ErrorCode::kInvalidArgument,
          "this Idempotency-Key was used for another request: send the same body again, or a new "
          "key",
          "Idempotency-Key"};
}

Error too_many_jobs(size_t limit) {
  return {ErrorCode::kOverloaded,
          "there are " + std::to_string(limit) + " unfinished jobs already: try again later"};
}

Error no_listing() {
  return {ErrorCode::kInvalidArgument,
          "jobs are listed for a bearer key only: without keys, keep the id of each job"};
}

Error bad_cursor() {
  return {ErrorCode::kInvalidArgument, "cursor is not one that a page gave", "cursor"};
}

std::string idempotency_hash(const Vault& vault, const NewJob& job) {
  if (job.idempotency_key.empty()) return {};
  return vault.text_hash("idempotency" + framed(job.owner) + framed(job.kind) +
                         framed(job.idempotency_key));
}

std::string request_hash(const Vault& vault, const NewJob& job) {
  if (!job.request.empty()) return vault.text_hash("request" + framed(job.request));
  std::string all = "job" + framed(job.options);
  for (const std::string& item : job.items) all += framed(item);
  return vault.text_hash(all);
}

std::string blob_place(const std::string& job, char role, size_t index) {
  return job + role + std::to_string(index);
}

ItemOutcome outcome_of(ItemState state) {
  switch (state) {
    case ItemState::kDone:
      return ItemOutcome::kDone;
    case ItemState::kFailed:
      return ItemOutcome::kFailed;
    case ItemState::kCancelled:
      return ItemOutcome::kCancelled;
    default:
      return ItemOutcome::kCrashed;
  }
}

JobState ended_state(size_t items, size_t failed) {
  return failed == items ? JobState::kFailed : JobState::kDone;
}

std::string new_job_id() {
  return to_hex(random_bytes(kIdBytes));
}

bool is_job_id(const std::string& id) {
  return id.size() == 2 * kIdBytes && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace seqgpt
