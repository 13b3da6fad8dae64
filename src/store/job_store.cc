// SPDX-License-Identifier: Apache-2.0
// The job queue's calls on SQLite: each is one transaction.
#include "store/job_store.h"

#include <algorithm>
#include <charconv>

#include "store/job_rows.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxPageBytes = size_t{32} << 20;  // of results read into memory at once

constexpr const char* kViewColumns =
    "SELECT id, kind, owner, state, items, finished_items, failed_items, created, finished,"
    " expires, waiting, seq FROM jobs ";

JobView read_view(const Statement& row) {
  JobView view;
  view.id = row.bytes(0);
  view.kind = row.bytes(1);
  view.owner = row.bytes(2);
  view.state = static_cast<JobState>(row.number(3));
  view.items = static_cast<size_t>(row.number(4));
  view.finished_items = static_cast<size_t>(row.number(5));
  view.failed_items = static_cast<size_t>(row.number(6));
  view.created = row.number(7);
  view.finished = row.number(8);
  view.expires = row.number(9);
  return view;
}

}  // namespace

Result<CreatedJob> JobStore::create(const NewJob& job) {
  SEQGPT_TRY(check_new_job(job, options_));
  const std::string idempotency = idempotency_hash(vault_, job);
  const std::string digest = request_hash(vault_, job);
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  if (!idempotency.empty()) {
    SEQGPT_ASSIGN(CreatedJob before, earlier(idempotency, digest));
    if (before.existing) return before;
  }
  SEQGPT_ASSIGN(const int64_t open,
                database_->number("SELECT count(*) FROM jobs WHERE state < 2", 0));
  if (static_cast<size_t>(open) >= options_.max_open_jobs)
    return too_many_jobs(options_.max_open_jobs);
  const std::string id = new_job_id();
  SEQGPT_ASSIGN(Statement insert,
                database_->bound(
                    "INSERT INTO jobs (id, kind, owner, options, items, waiting, state, turn, "
                    "created, keep, digest, idem) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
                    std::string_view(id), std::string_view(job.kind), std::string_view(job.owner),
                    Blob{vault_.seal(job.options, blob_place(id, kOptionsRole, 0))},
                    job.items.size(), job.items.size(), turn_, options_.clock(),
                    job.keep.count() * 1000, std::string_view(digest)));
  idempotency.empty() ? insert.bind(nullptr) : insert.bind(std::string_view(idempotency));
  SEQGPT_ASSIGN(const bool row, insert.step());
  (void)row;
  SEQGPT_TRY(insert_items(database_->last_row(), id, job));
  SEQGPT_TRY(transaction.commit());
  return CreatedJob{id, false};
}

Result<CreatedJob> JobStore::earlier(const std::string& idempotency, const std::string& digest) {
  SEQGPT_ASSIGN(Statement found, database_->bound("SELECT id, digest FROM jobs WHERE idem = ?",
                                                  std::string_view(idempotency)));
  SEQGPT_ASSIGN(const bool row, found.step());
  if (!row) return CreatedJob{};
  if (found.bytes(1) != digest) return idempotency_conflict();
  return CreatedJob{found.bytes(0), true};
}

Status JobStore::insert_items(int64_t job, const std::string& id, const NewJob& request) {
  for (size_t index = 0; index < request.items.size(); ++index) {
    const std::string sealed = vault_.seal(request.items[index], blob_place(id, kTextRole, index));
    SEQGPT_TRY(database_->run("INSERT INTO items (job, idx, state, text) VALUES (?, ?, 0, ?)", job,
                              index, Blob{sealed}));
  }
  return {};
}

Result<int64_t> JobStore::find(const std::string& id, const std::string& owner) {
  if (!is_job_id(id)) return no_such_job(id);
  SEQGPT_ASSIGN(
      const int64_t job,
      database_->number("SELECT seq FROM jobs WHERE id = ? AND owner = ? AND (expires IS "
                        "NULL OR expires > ?)",
                        0, std::string_view(id), std::string_view(owner), options_.clock()));
  if (job == 0) return no_such_job(id);
  return job;
}

Result<JobView> JobStore::view(int64_t job) {
  SEQGPT_ASSIGN(Statement row,
                database_->bound((std::string(kViewColumns) + "WHERE seq = ?").c_str(), job));
  SEQGPT_ASSIGN(const bool there, row.step());
  if (!there) return no_such_job("");
  return read_view(row);
}

Result<JobView> JobStore::get(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const int64_t job, find(id, owner));
  return view(job);
}

Result<JobPage> JobStore::list(const std::string& owner, const std::string& cursor, size_t limit) {
  if (owner.empty()) return no_listing();
  int64_t before = INT64_MAX;
  const char* end = cursor.data() + cursor.size();
  if (!cursor.empty()) {
    const auto [stop, error] = std::from_chars(cursor.data(), end, before);
    if (error != std::errc() || stop != end || before <= 0) return bad_cursor();
  }
  limit = std::clamp<size_t>(limit, 1, kMaxPage);
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Statement rows,
                database_->bound(
                    (std::string(kViewColumns) + "WHERE owner = ? AND seq < ? AND (expires IS "
                                                 "NULL OR expires > ?) ORDER BY seq DESC LIMIT ?")
                        .c_str(),
                    std::string_view(owner), before, options_.clock(), limit + 1));
  JobPage page;
  int64_t last = 0;
  while (true) {
    SEQGPT_ASSIGN(const bool row, rows.step());
    if (!row) return page;
    if (page.jobs.size() == limit) {
      page.next = std::to_string(last);
      return page;
    }
    page.jobs.push_back(read_view(rows));
    last = rows.number(11);
  }
}

Result<ResultPage> JobStore::results(const std::string& id, const std::string& owner, size_t cursor,
                                     size_t limit) {
  limit = std::clamp<size_t>(limit, 1, kMaxPage);
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const int64_t job, find(id, owner));
  SEQGPT_ASSIGN(const JobView facts, view(job));
  SEQGPT_ASSIGN(Statement rows,
                database_->bound("SELECT idx, state, result FROM items WHERE job = ? AND idx >= ? "
                                 "ORDER BY idx LIMIT ?",
                                 job, std::min<size_t>(cursor, facts.items), limit));
  ResultPage page;
  page.next = cursor;
  for (size_t bytes = 0; bytes < kMaxPageBytes;) {
    SEQGPT_ASSIGN(const bool row, rows.step());
    const auto state = row ? static_cast<ItemState>(rows.number(1)) : ItemState::kQueued;
    if (state == ItemState::kQueued || state == ItemState::kRunning) break;
    ItemResult result{static_cast<size_t>(rows.number(0)), outcome_of(state), {}};
    if (!rows.is_null(2)) {
      SEQGPT_ASSIGN(result.payload,
                    vault_.open_blob(rows.bytes(2), blob_place(id, kResultRole, result.index)));
    }
    bytes += result.payload.size();
    page.next = result.index + 1;
    page.results.push_back(std::move(result));
  }
  page.more = page.next < facts.items;
  return page;
}

Result<JobView> JobStore::cancel(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  SEQGPT_ASSIGN(const int64_t job, find(id, owner));
  const UnixMs now = options_.clock();
  SEQGPT_TRY(
      database_->run("UPDATE items SET state = ?, text = NULL WHERE job = ? AND state < 2 "
                     "AND (SELECT state FROM jobs WHERE seq = job) < 2",
                     ItemState::kCancelled, job));
  SEQGPT_TRY(
      database_->run("UPDATE jobs SET state = ?, waiting = 0, options = NULL, finished = ?, "
                     "expires = ? + keep WHERE seq = ? AND state < 2",
                     JobState::kCancelled, now, now, job));
  SEQGPT_ASSIGN(JobView after, view(job));
  SEQGPT_TRY(transaction.commit());
  SEQGPT_TRY(wipe_pages());
  return after;
}

Status JobStore::wipe(const std::string& id, const std::string& owner) {
  const std::lock_guard guard(mutex_);
  {
    SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
    SEQGPT_ASSIGN(const int64_t job, find(id, owner));
    SEQGPT_TRY(database_->run("DELETE FROM items WHERE job = ?", job));
    SEQGPT_TRY(database_->run("DELETE FROM jobs WHERE seq = ?", job));
    SEQGPT_TRY(transaction.commit());
  }
  return wipe_pages();
}

Result<std::vector<WorkItem>> JobStore::claim(size_t max) {
  std::vector<WorkItem> claimed;
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(const int64_t waiting,
                database_->number("SELECT 1 FROM jobs WHERE waiting > 0 LIMIT 1", 0));
  if (waiting == 0) return claimed;
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  SEQGPT_ASSIGN(const int64_t out,
                database_->number("SELECT count(*) FROM items WHERE state = 1", 0));
  SEQGPT_ASSIGN(const int64_t tried_out,
                database_->number("SELECT 1 FROM items WHERE state = 1 AND attempts > 1", 0));
  if (tried_out != 0) return claimed;
  {
    SEQGPT_ASSIGN(Statement tried,
                  database_->bound("SELECT job, idx FROM items WHERE state = 0 AND attempts > 0 "
                                   "ORDER BY job, idx LIMIT 1"));
    SEQGPT_ASSIGN(const bool row, tried.step());
    if (row && out > 0) return claimed;  // its turn comes when the others are done
    if (row) {
      SEQGPT_TRY(hand_out(tried.number(0), tried.number(1), claimed));
      max = 0;
    }
  }
  while (claimed.size() < max) {
    SEQGPT_ASSIGN(const bool more, claim_next(claimed));
    if (!more) break;
  }
  SEQGPT_TRY(transaction.commit());
  return claimed;
}

Result<bool> JobStore::claim_next(std::vector<WorkItem>& claimed) {
  SEQGPT_ASSIGN(const int64_t job,
                database_->number("SELECT seq FROM jobs WHERE waiting > 0 ORDER BY turn, seq "
                                  "LIMIT 1",
                                  0));
  if (job == 0) return false;
  SEQGPT_ASSIGN(const int64_t index,
                database_->number("SELECT idx FROM items WHERE job = ? AND state = 0 ORDER BY idx "
                                  "LIMIT 1",
                                  0, job));
  SEQGPT_TRY(hand_out(job, index, claimed));
  return true;
}

Status JobStore::hand_out(int64_t job, int64_t index, std::vector<WorkItem>& claimed) {
  SEQGPT_ASSIGN(Statement row,
                database_->bound("SELECT id, kind, owner, options, text, attempts FROM jobs, items "
                                 "WHERE seq = ? AND job = seq AND idx = ?",
                                 job, index));
  SEQGPT_ASSIGN(const bool there, row.step());
  if (!there) return Error{ErrorCode::kInternal, "a queued item is not there"};
  SEQGPT_TRY(
      database_->run("UPDATE items SET state = 1, attempts = attempts + 1 WHERE job = ? AND "
                     "idx = ?",
                     job, index));
  SEQGPT_TRY(
      database_->run("UPDATE jobs SET state = 1, waiting = waiting - 1, turn = ? WHERE seq = "
                     "?",
                     ++turn_, job));
  WorkItem item{
      row.bytes(0), static_cast<size_t>(index), row.bytes(1), row.bytes(2), "", "", 1, ""};
  item.attempt = static_cast<int>(row.number(5)) + 1;
  Result<std::string> options =
      vault_.open_blob(row.bytes(3), blob_place(item.job, kOptionsRole, 0));
  Result<std::string> text =
      vault_.open_blob(row.bytes(4), blob_place(item.job, kTextRole, item.index));
  if (!options.ok() || !text.ok()) return give_up(job, index);
  item.options = std::move(*options);
  item.payload = std::move(*text);
  claimed.push_back(std::move(item));
  return {};
}

// An item whose blobs do not open (a damaged page) ends as one that crashed: the queue goes on.
Status JobStore::give_up(int64_t job, int64_t index) {
  SEQGPT_TRY(database_->run("UPDATE items SET state = ?, text = NULL WHERE job = ? AND idx = ?",
                            ItemState::kCrashed, job, index));
  return count_outcome(job, true);
}

Result<bool> JobStore::complete(const WorkItem& item, ItemOutcome outcome,
                                std::string_view payload) {
  const bool failed = outcome != ItemOutcome::kDone;
  const std::string sealed = vault_.seal(payload, blob_place(item.job, kResultRole, item.index));
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  SEQGPT_ASSIGN(const int64_t job, database_->number("SELECT seq FROM jobs WHERE id = ?", 0,
                                                     std::string_view(item.job)));
  SEQGPT_TRY(database_->run(
      "UPDATE items SET state = ?, result = ?, text = NULL WHERE job = ? AND "
      "idx = ? AND state = 1",
      failed ? ItemState::kFailed : ItemState::kDone, Blob{sealed}, job, item.index));
  if (database_->changed() == 0) return false;
  SEQGPT_TRY(count_outcome(job, failed));
  SEQGPT_TRY(transaction.commit());
  return true;
}

Status JobStore::count_outcome(int64_t job, bool failed) {
  SEQGPT_TRY(
      database_->run("UPDATE jobs SET finished_items = finished_items + 1, failed_items = "
                     "failed_items + ? WHERE seq = ?",
                     failed, job));
  SEQGPT_ASSIGN(const JobView facts, view(job));
  if (facts.finished_items < facts.items) return {};
  const UnixMs now = options_.clock();
  return database_->run(
      "UPDATE jobs SET state = ?, options = NULL, finished = ?, expires = ? + "
      "keep WHERE seq = ?",
      ended_state(facts.items, facts.failed_items), now, now, job);
}

Status JobStore::release(const WorkItem& item) {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  SEQGPT_ASSIGN(const int64_t job, database_->number("SELECT seq FROM jobs WHERE id = ?", 0,
                                                     std::string_view(item.job)));
  SEQGPT_TRY(
      database_->run("UPDATE items SET state = 0, attempts = attempts - 1 WHERE job = ? AND "
                     "idx = ? AND state = 1",
                     job, item.index));
  if (database_->changed() == 0) return {};
  SEQGPT_TRY(database_->run("UPDATE jobs SET waiting = waiting + 1 WHERE seq = ?", job));
  return transaction.commit();
}

Result<size_t> JobStore::sweep() {
  const std::lock_guard guard(mutex_);
  const UnixMs now = options_.clock();
  int64_t jobs = 0;
  {
    SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
    SEQGPT_TRY(
        database_->run("DELETE FROM items WHERE job IN (SELECT seq FROM jobs WHERE expires "
                       "<= ?)",
                       now));
    SEQGPT_TRY(database_->run("DELETE FROM jobs WHERE expires <= ?", now));
    jobs = database_->changed();
    SEQGPT_TRY(transaction.commit());
  }
  // Always: texts of items done since the last sweep still stand in the write-ahead log.
  SEQGPT_TRY(wipe_pages());
  return static_cast<size_t>(jobs);
}

Status JobStore::wipe_pages() {
  SEQGPT_TRY(database_->run("PRAGMA incremental_vacuum"));
  return database_->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<QueueDepth> JobStore::depth() {
  const std::lock_guard guard(mutex_);
  SEQGPT_ASSIGN(Statement row,
                database_->bound("SELECT (SELECT coalesce(sum(waiting), 0) FROM jobs WHERE waiting "
                                 "> 0), (SELECT count(*) FROM items WHERE state = 1), (SELECT "
                                 "count(*) FROM jobs WHERE state < 2)"));
  SEQGPT_ASSIGN(const bool there, row.step());
  (void)there;
  return QueueDepth{static_cast<size_t>(row.number(0)), static_cast<size_t>(row.number(1)),
                    static_cast<size_t>(row.number(2))};
}

}  // namespace seqgpt
