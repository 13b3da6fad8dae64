// SPDX-License-Identifier: Apache-2.0
// Opening a job store: its file, its tables, its key, and what a killed process left running.
#include "store/job_rows.h"
#include "store/job_store.h"

namespace seqgpt {
namespace {

constexpr const char* kFileName = "jobs.sqlite3";
constexpr int64_t kFormat = 1;
constexpr int64_t kPageBytes = 4096;

constexpr const char* kTables[] = {
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
    // turn: when the job was last served; waiting: its queued items; idem, digest: keyed hashes.
    R"sql(CREATE TABLE jobs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL, owner TEXT NOT NULL, options BLOB, items INTEGER NOT NULL,
            finished_items INTEGER NOT NULL DEFAULT 0, failed_items INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL, state INTEGER NOT NULL, turn INTEGER NOT NULL,
            created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0, keep INTEGER NOT NULL,
            expires INTEGER, idem TEXT UNIQUE, digest TEXT NOT NULL))sql",
    "CREATE INDEX jobs_by_owner ON jobs (owner, seq)",
    "CREATE INDEX jobs_waiting ON jobs (turn, seq) WHERE waiting > 0",
    "CREATE INDEX jobs_open ON jobs (state) WHERE state < 2",
    "CREATE INDEX jobs_expiring ON jobs (expires) WHERE expires IS NOT NULL",
    R"sql(CREATE TABLE items (job INTEGER NOT NULL, idx INTEGER NOT NULL, state INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, text BLOB, result BLOB))sql",
    "CREATE UNIQUE INDEX items_by_place ON items (job, idx)",
    "CREATE INDEX items_queued ON items (job, idx) WHERE state = 0",
    "CREATE INDEX items_running ON items (job, idx) WHERE state = 1",
    "CREATE INDEX items_tried ON items (job, idx) WHERE state = 0 AND attempts > 0",
};

}  // namespace

Result<std::unique_ptr<JobStore>> JobStore::open(const std::filesystem::path& directory,
                                                 const Vault& vault, const QueueOptions& options) {
  SEQGPT_TRY(make_private_directory(directory));
  std::unique_ptr<JobStore> store(new JobStore(vault, options));
  SEQGPT_ASSIGN(store->lock_, FileLock::take(directory / "jobs.lock", "the job store"));
  // The file exists before SQLite opens it, so that its mode (and its -wal's, which follows) is
  // ours.
  SEQGPT_ASSIGN(const bool made, make_private_file(directory / kFileName, ""));
  (void)made;
  SEQGPT_ASSIGN(store->database_, Database::open(directory / kFileName));
  SEQGPT_TRY(store->prepare_file());
  SEQGPT_TRY(store->make_tables());
  SEQGPT_TRY(store->check_key());
  SEQGPT_TRY(store->recover());
  return store;
}

Status JobStore::prepare_file() {
  Database& database = *database_;
  // Before the first table: freed pages can go back to the disk.
  SEQGPT_TRY(database.run("PRAGMA auto_vacuum = INCREMENTAL"));
  SEQGPT_TRY(database.run("PRAGMA journal_mode = WAL"));
  // A 202 was promised and an outcome is told once: each commit reaches the disk.
  SEQGPT_TRY(database.run("PRAGMA synchronous = FULL"));
  SEQGPT_TRY(database.run("PRAGMA secure_delete = ON"));
  SEQGPT_TRY(database.run("PRAGMA temp_store = MEMORY"));
  const uint64_t pages = options_.max_store_bytes / kPageBytes;
  SEQGPT_TRY(database.run(("PRAGMA max_page_count = " + std::to_string(pages)).c_str()));
  SEQGPT_ASSIGN(Statement check, database.prepare("PRAGMA quick_check(1)"));
  SEQGPT_ASSIGN(const bool row, check.step());
  if (row && check.bytes(0) != "ok") return database.damaged(check.bytes(0));
  return {};
}

Status JobStore::make_tables() {
  SEQGPT_ASSIGN(const int64_t format, database_->number("PRAGMA user_version", 0));
  if (format == kFormat) return {};
  if (format != 0)
    return Error{ErrorCode::kUnsupported,
                 "the job store has format " + std::to_string(format) +
                     ", written by a newer seqgpt: use that one, or another directory"};
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  for (const char* table : kTables) SEQGPT_TRY(database_->run(table));
  SEQGPT_TRY(database_->run("PRAGMA user_version = 1"));
  return transaction.commit();
}

Status JobStore::check_key() {
  SEQGPT_ASSIGN(Statement proof, database_->bound("SELECT value FROM meta WHERE name = 'key'"));
  SEQGPT_ASSIGN(const bool row, proof.step());
  if (!row)
    return database_->run("INSERT INTO meta (name, value) VALUES ('key', ?)",
                          Blob{vault_.seal(kKeyProof, kKeyProof)});
  if (vault_.open_blob(proof.bytes(0), kKeyProof).ok()) return {};
  return Error{ErrorCode::kInvalidArgument,
               "the key file is not the one this job store was written with: name that one, or "
               "give an empty directory"};
}

Status JobStore::recover() {
  SEQGPT_ASSIGN(turn_, database_->number("SELECT max(turn) FROM jobs", 0));
  SEQGPT_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  SEQGPT_TRY(database_->run("UPDATE items SET state = 0 WHERE state = 1 AND attempts < ?",
                            options_.max_attempts));
  while (true) {
    SEQGPT_ASSIGN(Statement left,
                  database_->bound("SELECT rowid, job FROM items WHERE state = 1 LIMIT 1"));
    SEQGPT_ASSIGN(const bool row, left.step());
    if (!row) break;
    SEQGPT_TRY(database_->run("UPDATE items SET state = ?, text = NULL WHERE rowid = ?",
                              ItemState::kCrashed, left.number(0)));
    SEQGPT_TRY(count_outcome(left.number(1), true));
  }
  SEQGPT_TRY(
      database_->run("UPDATE jobs SET waiting = (SELECT count(*) FROM items WHERE job = seq AND "
                     "items.state = 0) WHERE state < 2"));
  return transaction.commit();
}

}  // namespace seqgpt
