// SPDX-License-Identifier: Apache-2.0
// The audit log: who asked what kind of thing when, encrypted at rest; never a text or an answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/clock.h"
#include "store/vault.h"

namespace seqgpt {

struct AuditRecord {
  UnixMs time = 0;  // 0: append() puts the clock's
  std::string key;  // id of the bearer key; empty: none
  std::string route;
  std::string trace_id;
  int status = 0;              // HTTP
  uint64_t request_bytes = 0;  // body
  uint64_t answer_bytes = 0;
  uint64_t text_characters = 0;
  uint64_t items = 0;               // texts of a batch; 1 for a single one
  std::vector<std::string> labels;  // names only
  std::string text_hash;            // Vault::text_hash
  double latency_ms = 0;
};

struct AuditOptions {
  uint64_t max_file_bytes = uint64_t{64} << 20;
  size_t keep_files = 0;  // oldest files beyond are removed; 0: all stay
  UnixClock clock = system_unix_ms;
};

/// Thread contract: any thread may call append(); one process writes a directory at a time.
class AuditLog {
 public:
  /// Makes the directory (0700) and begins a new file; what an earlier process left stays readable.
  static Result<std::unique_ptr<AuditLog>> open(const std::filesystem::path& directory,
                                                const Vault& vault, const AuditOptions& options);
  virtual ~AuditLog() = default;
  /// In the kernel's hands when this returns (a kill -9 loses nothing); sync() puts it on the disk.
  /// Errors: kIo (disk full); the next append() tries a new file.
  virtual Status append(const AuditRecord& record) = 0;
  virtual Status sync() = 0;
  /// Marks the end of the current file; further append() begin a new one.
  virtual Status close() = 0;
};

struct AuditFilter {
  UnixMs since = 0;                 // inclusive
  UnixMs until = INT64_MAX;         // exclusive
  std::vector<std::string> routes;  // any of these; empty: all
  std::string key;                  // empty: all
};

struct AuditFault {
  std::string file;
  std::string problem;
};

struct AuditReport {
  uint64_t files = 0;
  uint64_t records = 0;               // read, before the filter
  std::vector<AuditFault> faults;     // a torn or changed record: what stands before it was read
  std::vector<std::string> unclosed;  // no end mark: being written, or its writer was killed
};

/// Every whole record in order of writing. Errors: kNotFound (no such directory), kIo.
Result<AuditReport> read_audit(const std::filesystem::path& directory, const Vault& vault,
                               const AuditFilter& filter,
                               const std::function<void(const AuditRecord&)>& take);

}  // namespace seqgpt
