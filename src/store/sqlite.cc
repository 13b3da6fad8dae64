// SPDX-License-Identifier: Apache-2.0
// SQLite behind sqlite.h.
#include "store/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace seqgpt {
namespace {

constexpr int kBusyMs = 5000;  // only a reader of the operator's can hold it: the store has a lock

Error damaged_store(const std::string& path, std::string reason) {
  std::ranges::replace(reason, '\n', ' ');
  return {ErrorCode::kBadFile, "the job store " + path + " is damaged (" + reason +
                                   "): move it and its -wal file away and start again; its jobs "
                                   "are lost"};
}

Error sqlite_error(sqlite3* database, const std::string& path, int code) {
  const std::string reason = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::kIo, "the job store " + path +
                                  " cannot grow: its disk or its size limit is full; free space, "
                                  "or let results expire sooner"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // the statements are ours and right: the file is not what we wrote
      return damaged_store(path, reason);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return {ErrorCode::kIo, "the job store " + path + " cannot be written (" + reason +
                                  "): check the owner and mode of the file and its directory"};
    case SQLITE_BUSY:
      return {ErrorCode::kIo, "the job store " + path + " is held by another program"};
    default:
      return {ErrorCode::kIo, "the job store " + path + ": " + reason};
  }
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      path_(other.path_),
      statement_(std::exchange(other.statement_, nullptr)),
      bound_(other.bound_),
      problem_(other.problem_) {}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int64_t value) {
  problem_ |= sqlite3_bind_int64(statement_, ++bound_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  problem_ |= sqlite3_bind_text64(statement_, ++bound_, value.data() ? value.data() : "",
                                  value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(Blob value) {
  problem_ |=
      sqlite3_bind_blob64(statement_, ++bound_, value.bytes.data() ? value.bytes.data() : "",
                          value.bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(std::nullptr_t) {
  problem_ |= sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

Result<bool> Statement::step() {
  if (problem_ != SQLITE_OK) return sqlite_error(database_, *path_, problem_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sqlite_error(database_, *path_, code);
}

int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data ? std::string(static_cast<const char*>(data), static_cast<size_t>(size))
              : std::string();
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(handle, path.string()));
  if (code != SQLITE_OK) return sqlite_error(handle, path.string(), code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMs);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return database;
}

Database::~Database() {
  sqlite3_close(handle_);
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) return sqlite_error(handle_, path_, code);
  return Statement(handle_, &path_, statement);
}

Status Database::finish(Statement& statement) {
  while (true) {
    SEQGPT_ASSIGN(const bool row, statement.step());
    if (!row) return {};
  }
}

Error Database::damaged(std::string reason) const {
  return damaged_store(path_, std::move(reason));
}

int64_t Database::changed() const {
  return sqlite3_changes64(handle_);
}
int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(handle_);
}

Result<Transaction> Transaction::begin(Database& database) {
  SEQGPT_TRY(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_) (void)database_->run("ROLLBACK");
}

Status Transaction::commit() {
  SEQGPT_TRY(database_->run("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace seqgpt
