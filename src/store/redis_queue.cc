// SPDX-License-Identifier: Apache-2.0
// What a client of the shared queue asks: create, look, cancel. redis_worker.cc has the rest.
#include "store/redis_queue.h"

#include <algorithm>
#include <charconv>

#include "store/job_rows.h"
#include "store/redis_scripts.h"

namespace seqgpt {
namespace {

constexpr size_t kUploadBytes = size_t{4} << 20;  // of texts in one command
constexpr const char* kUploadMs = "3600000";      // texts without a job go after an hour
constexpr size_t kResultsAtOnce = 64;

}  // namespace

RedisQueue::RedisQueue(const RedisAddress& address, const Vault& vault, const QueueOptions& options)
    : client_(address),
      vault_(vault),
      options_(options),
      prefix_(options.prefix),
      turns_(prefix_ + ":turns") {
  if (options_.worker.empty()) options_.worker = to_hex(random_bytes(8));
}

Result<std::unique_ptr<RedisQueue>> RedisQueue::open(const RedisAddress& address,
                                                     const Vault& vault,
                                                     const QueueOptions& options) {
  std::unique_ptr<RedisQueue> queue(new RedisQueue(address, vault, options));
  SEQGPT_TRY(queue->prepare());
  return queue;
}

Status RedisQueue::prepare() {
  const Result<RedisReply> made =
      client_.command({"XGROUP", "CREATE", turns_, "workers", "0", "MKSTREAM"});
  if (!made.ok() && made.error().message.find("BUSYGROUP") == std::string::npos)
    return made.error();
  const std::string proof = prefix_ + ":key";
  SEQGPT_ASSIGN(const RedisReply set,
                client_.command({"SETNX", proof, vault_.seal(kKeyProof, kKeyProof)}));
  (void)set;
  SEQGPT_ASSIGN(const RedisReply there, client_.command({"GET", proof}));
  if (vault_.open_blob(there.text, kKeyProof).ok()) return {};
  return Error{ErrorCode::kInvalidArgument,
               "the key file is not the one this queue was written with: every machine of a queue "
               "needs the same one"};
}

std::string RedisQueue::key(std::string_view kind, std::string_view id) const {
  return prefix_ + ":" + std::string(kind) + ":" + std::string(id);
}

std::string RedisQueue::owner_hash(const std::string& owner) const {
  return vault_.text_hash("owner" + owner);
}

Result<RedisReply> RedisQueue::run(const char* script, std::vector<std::string> arguments) {
  std::vector<std::string> words = {"EVAL", std::string(redis_scripts::kShared) + script, "0",
                                    prefix_};
  words.insert(words.end(), std::make_move_iterator(arguments.begin()),
               std::make_move_iterator(arguments.end()));
  return client_.command(words);
}

Status RedisQueue::upload_texts(const std::string& id, const NewJob& job) {
  const std::string texts = key("text", id);
  for (size_t index = 0; index < job.items.size();) {
    std::vector<std::string> words = {"HSET", texts};
    for (size_t bytes = 0; index < job.items.size() && bytes < kUploadBytes; ++index) {
      words.push_back(std::to_string(index));
      words.push_back(vault_.seal(job.items[index], blob_place(id, kTextRole, index)));
      bytes += words.back().size();
    }
    SEQGPT_ASSIGN(const RedisReply set, client_.command(words));
    SEQGPT_ASSIGN(const RedisReply limited, client_.command({"PEXPIRE", texts, kUploadMs}));
    (void)set, (void)limited;
  }
  return {};
}

Result<CreatedJob> RedisQueue::create(const NewJob& job) {
  SEQGPT_TRY(check_new_job(job, options_));
  const std::string id = new_job_id();
  const std::lock_guard guard(mutex_);
  SEQGPT_TRY(upload_texts(id, job));
  SEQGPT_ASSIGN(const RedisReply reply,
                run(redis_scripts::kCreate,
                    {id, idempotency_hash(vault_, job), request_hash(vault_, job),
                     owner_hash(job.owner), std::to_string(options_.max_open_jobs), job.kind,
                     job.owner, vault_.seal(job.options, blob_place(id, kOptionsRole, 0)),
                     std::to_string(job.items.size()), std::to_string(options_.clock()),
                     std::to_string(job.keep.count() * 1000)}));
  if (reply.text == "conflict") return idempotency_conflict();
  if (reply.text == "full") return too_many_jobs(options_.max_open_jobs);
  if (reply.array.empty())
    return Error{ErrorCode::kInternal, "the Redis server gave no id for a new job"};
  return CreatedJob{reply.array[0].text, reply.array.size() > 1};
}

Result<JobView> RedisQueue::view(const std::string& id, const std::string& owner) {
  if (!is_job_id(id)) return no_such_job(id);
  SEQGPT_ASSIGN(const RedisReply reply,
                client_.command({"HMGET", key("job", id), "kind", "owner", "state", "items",
                                 "finished", "failed", "created", "ended", "expires"}));
  const std::vector<RedisReply>& facts = reply.array;
  if (facts.size() != 9 || facts[0].is_nil() || facts[1].text != owner) return no_such_job(id);
  JobView view{id, facts[0].text, owner};
  view.state = static_cast<JobState>(facts[2].number());
  view.items = static_cast<size_t>(facts[3].number());
  view.finished_items = static_cast<size_t>(facts[4].number());
  view.failed_items = static_cast<size_t>(facts[5].number());
  view.created = facts[6].number();
  view.finished = facts[7].number();
  view.expires = facts[8].number();
  return view;
}

Result<JobView> RedisQueue::get(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  return view(id, owner);
}

Result<JobPage> RedisQueue::list(const std::string& owner, const std::string& cursor,
                                 size_t limit) {
  if (owner.empty()) return no_listing();
  if (!cursor.empty() && cursor.find_first_not_of("0123456789") != std::string::npos)
    return bad_cursor();
  limit = std::clamp<size_t>(limit, 1, kMaxPage);
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const RedisReply ids,
                client_.command({"ZREVRANGEBYSCORE", key("owner", owner_hash(owner)),
                                 cursor.empty() ? "+inf" : "(" + cursor, "-inf", "WITHSCORES",
                                 "LIMIT", "0", std::to_string(limit + 1)}));
  JobPage page;
  for (size_t i = 0; i + 1 < ids.array.size() && i < 2 * limit; i += 2) {
    Result<JobView> job = view(ids.array[i].text, owner);
    if (!job.ok() && job.error().code != ErrorCode::kNotFound) return job.error();
    if (job.ok()) page.jobs.push_back(std::move(*job));
    if (i + 2 == 2 * limit && ids.array.size() > 2 * limit) page.next = ids.array[i + 1].text;
  }
  return page;
}

Result<ResultPage> RedisQueue::results(const std::string& id, const std::string& owner,
                                       size_t cursor, size_t limit) {
  limit = std::clamp<size_t>(limit, 1, kMaxPage);
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const JobView facts, view(id, owner));
  ResultPage page;
  page.next = cursor;
  bool gap = false;
  while (!gap && page.next < facts.items && page.results.size() < limit) {
    const size_t end = std::min(
        {facts.items, page.next + kResultsAtOnce, page.next + limit - page.results.size()});
    std::vector<std::string> words = {"HMGET", key("result", id)};
    for (size_t index = page.next; index < end; ++index) words.push_back(std::to_string(index));
    SEQGPT_ASSIGN(const RedisReply values, client_.command(words));
    for (const RedisReply& value : values.array) {
      ItemResult result{page.next, ItemOutcome::kCancelled, {}};
      gap = value.text.empty() && facts.state != JobState::kCancelled;
      if (gap) break;
      const char letter = value.text.empty() ? ' ' : value.text.front();
      if (letter == 'c') result.outcome = ItemOutcome::kCrashed;
      if (letter == 'd' || letter == 'f') {
        result.outcome = letter == 'd' ? ItemOutcome::kDone : ItemOutcome::kFailed;
        SEQGPT_ASSIGN(result.payload, vault_.open_blob(value.text.substr(1),
                                                       blob_place(id, kResultRole, page.next)));
      }
      page.results.push_back(std::move(result));
      ++page.next;
    }
    if (values.array.empty()) break;
  }
  page.more = page.next < facts.items;
  return page;
}

Result<JobView> RedisQueue::cancel(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const JobView before, view(id, owner));
  SEQGPT_ASSIGN(const RedisReply reply,
                run(redis_scripts::kCancel, {before.id, std::to_string(options_.clock())}));
  (void)reply;
  return view(id, owner);
}

Status RedisQueue::wipe(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const JobView before, view(id, owner));
  SEQGPT_ASSIGN(const RedisReply reply, run(redis_scripts::kWipe, {before.id}));
  (void)reply;
  return {};
}

Result<QueueDepth> RedisQueue::depth() {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const RedisReply reply, run(redis_scripts::kDepth, {}));
  if (reply.array.size() != 3) return Error{ErrorCode::kInternal, "no depth from Redis"};
  return QueueDepth{static_cast<size_t>(std::max<int64_t>(0, reply.array[0].number())),
                    static_cast<size_t>(reply.array[1].number()),
                    static_cast<size_t>(reply.array[2].number())};
}

}  // namespace seqgpt
