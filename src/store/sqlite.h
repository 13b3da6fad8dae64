// SPDX-License-Identifier: Apache-2.0
// SQLite in a few calls: statements with bound values, transactions, errors in plain words.
// sqlite.cc alone includes its header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace seqgpt {

/// Bytes, as opposed to text; view(nullptr) is not NULL: bind nothing for that.
struct Blob {
  std::string_view bytes;
};

/// A prepared statement, bound from left to right. Lives no longer than its Database.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int64_t value);
  Statement& bind(std::string_view value);
  Statement& bind(Blob value);
  Statement& bind(std::nullptr_t null);

  /// True: a row is there; false: the statement is done.
  Result<bool> step();
  int64_t number(int column) const;
  std::string bytes(int column) const;  // of a text or blob; empty for NULL
  bool is_null(int column) const;

 private:
  friend class Database;
  Statement(sqlite3* database, const std::string* path, sqlite3_stmt* statement)
      : database_(database), path_(path), statement_(statement) {}

  sqlite3* database_;
  const std::string* path_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
  int problem_ = 0;  // of a bind, told by step()
};

/// One connection; one thread at a time.
class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Statement> prepare(const char* sql);
  /// A statement to its end, its rows dropped.
  template <typename... Values>
  Status run(const char* sql, const Values&... values) {
    SEQGPT_ASSIGN(Statement statement, bound(sql, values...));
    return finish(statement);
  }
  /// A statement with its values bound, before its first row.
  template <typename... Values>
  Result<Statement> bound(const char* sql, const Values&... values) {
    SEQGPT_ASSIGN(Statement statement, prepare(sql));
    (bind_one(statement, values), ...);
    return statement;
  }
  /// The first column of the first row, `otherwise` when there is none.
  template <typename... Values>
  Result<int64_t> number(const char* sql, int64_t otherwise, const Values&... values) {
    SEQGPT_ASSIGN(Statement statement, bound(sql, values...));
    SEQGPT_ASSIGN(const bool row, statement.step());
    return row && !statement.is_null(0) ? statement.number(0) : otherwise;
  }
  /// kBadFile, with what the operator can do.
  Error damaged(std::string reason) const;
  int64_t changed() const;  // rows of the last insert, update or delete
  int64_t last_row() const;

 private:
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  static Status finish(Statement& statement);
  template <typename T>
  static void bind_one(Statement& statement, const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      statement.bind(static_cast<int64_t>(value));
    } else {
      statement.bind(value);
    }
  }

  sqlite3* handle_;
  std::string path_;
};

/// Rolled back at the end of its scope unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace seqgpt
