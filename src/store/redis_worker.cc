// SPDX-License-Identifier: Apache-2.0
// What a worker of the shared queue does: claim, complete, stay alive, take over from the dead.
#include <algorithm>

#include "store/job_rows.h"
#include "store/redis_queue.h"
#include "store/redis_scripts.h"

namespace seqgpt {
namespace {

/// The value of a field in a stream entry's flat list of names and values.
RedisReply field(const RedisReply& fields, std::string_view name) {
  for (size_t i = 0; i + 1 < fields.array.size(); i += 2) {
    if (fields.array[i].text == name) return fields.array[i + 1];
  }
  return {};
}

}  // namespace

Result<bool> RedisQueue::abandoned_waits() {
  SEQGPT_ASSIGN(const RedisReply pending,
                client_.command({"XPENDING", turns_, "workers", "IDLE",
                                 std::to_string(options_.lease.count()), "-", "+", "1"}));
  return !pending.array.empty();
}

Result<std::vector<WorkItem>> RedisQueue::claim_abandoned() {
  SEQGPT_ASSIGN(const RedisReply reply,
                client_.command({"XAUTOCLAIM", turns_, "workers", options_.worker,
                                 std::to_string(options_.lease.count()), "0", "COUNT", "1"}));
  std::vector<WorkItem> claimed;
  if (reply.array.size() < 2) return claimed;
  for (const RedisReply& entry : reply.array[1].array) SEQGPT_TRY(hand_out(entry, claimed));
  return claimed;
}

Result<bool> RedisQueue::serve_turns(size_t max, std::vector<WorkItem>& claimed) {
  SEQGPT_ASSIGN(RedisReply reply,
                client_.command({"XREADGROUP", "GROUP", "workers", options_.worker, "COUNT",
                                 std::to_string(max), "STREAMS", turns_, ">"}));
  if (reply.array.empty() || reply.array[0].array.size() < 2) return false;
  for (const RedisReply& entry : reply.array[0].array[1].array)
    SEQGPT_TRY(hand_out(entry, claimed));
  return true;
}

Status RedisQueue::hand_out(const RedisReply& entry, std::vector<WorkItem>& claimed) {
  if (entry.array.size() < 2) return {};
  const std::string& ticket = entry.array[0].text;
  const RedisReply& fields = entry.array[1];
  const std::string job = field(fields, "job").text;
  const int64_t number = field(fields, "index").number();
  const std::string index = std::to_string(number);
  SEQGPT_ASSIGN(const RedisReply reply,
                run(redis_scripts::kHandOut,
                    {ticket, job, index, field(fields, "again").text,
                     std::to_string(options_.max_attempts), std::to_string(options_.clock())}));
  if (reply.array.size() < 5) return {};
  WorkItem item;
  item.job = job;
  item.index = static_cast<size_t>(number);
  item.kind = reply.array[0].text;
  item.owner = reply.array[1].text;
  item.ticket = ticket;
  item.attempt = static_cast<int>(reply.array[4].number());
  Result<std::string> options =
      vault_.open_blob(reply.array[2].text, blob_place(item.job, kOptionsRole, 0));
  Result<std::string> text =
      vault_.open_blob(reply.array[3].text, blob_place(item.job, kTextRole, item.index));
  if (!options.ok() || !text.ok()) {  // a damaged blob ends its item, not the queue
    SEQGPT_ASSIGN(const RedisReply ended,
                  run(redis_scripts::kComplete,
                      {ticket, item.job, index, "c", "", std::to_string(options_.clock())}));
    (void)ended;
    return {};
  }
  item.options = std::move(*options);
  item.payload = std::move(*text);
  held_[ticket] = item.attempt;
  claimed.push_back(std::move(item));
  return {};
}

Result<std::vector<WorkItem>> RedisQueue::claim(size_t max) {
  std::vector<WorkItem> claimed;
  const std::lock_guard guard(mutex_);
  const auto tried = [](const auto& held) { return held.second > 1; };
  if (std::any_of(held_.begin(), held_.end(), tried)) return claimed;
  SEQGPT_ASSIGN(const bool abandoned, abandoned_waits());
  if (abandoned && !held_.empty()) return claimed;  // alone, when the others are done
  if (abandoned) {
    SEQGPT_ASSIGN(claimed, claim_abandoned());
    if (!claimed.empty()) return claimed;
  }
  while (claimed.size() < max) {
    const Result<bool> served = serve_turns(max - claimed.size(), claimed);
    // What was claimed before a break is this process's to do; what was read and not handed out
    // is taken over after the lease.
    if (!served.ok() && claimed.empty()) return served.error();
    if (!served.ok() || !*served) break;
  }
  return claimed;
}

Result<bool> RedisQueue::complete(const WorkItem& item, ItemOutcome outcome,
                                  std::string_view payload) {
  const std::string sealed = vault_.seal(payload, blob_place(item.job, kResultRole, item.index));
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const RedisReply reply,
                run(redis_scripts::kComplete, {item.ticket, item.job, std::to_string(item.index),
                                               outcome == ItemOutcome::kDone ? "d" : "f", sealed,
                                               std::to_string(options_.clock())}));
  held_.erase(item.ticket);
  return reply.number() == 1;
}

Status RedisQueue::release(const WorkItem& item) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const RedisReply reply,
                run(redis_scripts::kRelease, {item.ticket, item.job, std::to_string(item.index)}));
  (void)reply;
  held_.erase(item.ticket);
  return {};
}

Status RedisQueue::keep_alive() {
  const std::lock_guard guard(mutex_);
  if (held_.empty()) return {};
  std::vector<std::string> arguments = {options_.worker};
  for (const auto& [ticket, attempt] : held_) arguments.push_back(ticket);
  SEQGPT_ASSIGN(const RedisReply kept, run(redis_scripts::kKeepAlive, std::move(arguments)));
  (void)kept;
  return {};
}

Result<size_t> RedisQueue::sweep() {
  const std::lock_guard guard(mutex_);
  size_t gone = 0;
  std::string cursor = "0";
  do {
    SEQGPT_ASSIGN(const RedisReply page,
                  client_.command({"SCAN", cursor, "MATCH", key("owner", "*"), "COUNT", "1000"}));
    if (page.array.size() < 2) break;
    cursor = page.array[0].text;
    for (const RedisReply& owner : page.array[1].array) {
      SEQGPT_ASSIGN(const RedisReply count, run(redis_scripts::kTidyOwner, {owner.text}));
      gone += static_cast<size_t>(count.number());
    }
  } while (cursor != "0");
  return gone;
}

}  // namespace seqgpt
