// SPDX-License-Identifier: Apache-2.0
// Writing of the audit log: one sealed record a write, a new file for each day, size and process.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "store/audit_files.h"
#include "store/private_file.h"
#include "store/utc_day.h"

namespace seqgpt {
namespace {

constexpr int kMaxNumber = 9999;  // of files begun in one second

std::string with_length(const std::string& sealed) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>(sealed.size() >> shift));
  return bytes + sealed;
}

class AuditWriter : public AuditLog {
 public:
  AuditWriter(std::filesystem::path directory, const Vault& vault, AuditOptions options,
              FileLock lock)
      : directory_(std::move(directory)),
        vault_(vault),
        options_(std::move(options)),
        lock_(std::move(lock)) {}
  ~AuditWriter() override { (void)close(); }

  Status append(const AuditRecord& record) override;
  Status sync() override;
  Status close() override;

 private:
  // With mutex_ held.
  Status begin_file(UnixMs now);
  Status end_file();
  Status write(const std::string& bytes);
  void abandon_file();
  Status remove_old();

  std::filesystem::path directory_;
  Vault vault_;
  AuditOptions options_;
  FileLock lock_;
  std::mutex mutex_;
  std::filesystem::path file_;
  std::unique_ptr<SealedStreamWriter> stream_;  // null: no file is open
  int descriptor_ = -1;
  uint64_t size_ = 0;
  int64_t day_ = 0;
};

Status AuditWriter::append(const AuditRecord& record) {
  const std::lock_guard guard(mutex_);
  const UnixMs now = options_.clock();
  if (stream_ && (size_ >= options_.max_file_bytes || utc_day(now) != day_)) SEQGPT_TRY(end_file());
  if (!stream_) SEQGPT_TRY(begin_file(now));
  AuditRecord timed = record;
  if (timed.time == 0) timed.time = now;
  return write(with_length(stream_->push(encode_audit_record(timed), false)));
}

Status AuditWriter::begin_file(UnixMs now) {
  for (int number = 0; descriptor_ < 0; ++number) {
    char suffix[32];
    std::snprintf(suffix, sizeof suffix, "-%04d.sgaudit", number);
    file_ = directory_ / ("audit-" + utc_compact(now) + suffix);
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor_ < 0 && (errno != EEXIST || number == kMaxNumber))
      return io_error("make", file_, errno);
  }
  size_ = 0;
  day_ = utc_day(now);
  stream_ = std::make_unique<SealedStreamWriter>(vault_.audit_key());
  SEQGPT_TRY(write(std::string(kAuditMagic) + stream_->header()));
  return remove_old();
}

Status AuditWriter::write(const std::string& bytes) {
  const int problem = write_whole(descriptor_, bytes);
  if (problem == 0) {
    size_ += bytes.size();
    return {};
  }
  // What follows a torn record cannot be read: leave this file, the next record begins another.
  abandon_file();
  return io_error("write", file_, problem);
}

void AuditWriter::abandon_file() {
  stream_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Status AuditWriter::end_file() {
  SEQGPT_TRY(write(with_length(stream_->push("", true))));
  const bool synced = ::fsync(descriptor_) == 0;
  const int problem = errno;
  abandon_file();
  if (!synced) return io_error("sync", file_, problem);
  return {};
}

Status AuditWriter::remove_old() {
  if (options_.keep_files == 0) return {};
  SEQGPT_ASSIGN(const std::vector<std::filesystem::path> files, audit_files(directory_));
  for (size_t i = 0; i + options_.keep_files < files.size(); ++i) {
    std::error_code error;
    std::filesystem::remove(files[i], error);
    if (error) return io_error("remove", files[i], error.value());
  }
  return {};
}

Status AuditWriter::sync() {
  const std::lock_guard guard(mutex_);
  if (stream_ && ::fsync(descriptor_) != 0) return io_error("sync", file_, errno);
  return {};
}

Status AuditWriter::close() {
  const std::lock_guard guard(mutex_);
  return stream_ ? end_file() : Status{};
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::filesystem::path& directory,
                                                 const Vault& vault, const AuditOptions& options) {
  SEQGPT_TRY(make_private_directory(directory));
  SEQGPT_ASSIGN(FileLock lock, FileLock::take(directory / "audit.lock", "the audit directory"));
  return std::unique_ptr<AuditLog>(
      std::make_unique<AuditWriter>(directory, vault, options, std::move(lock)));
}

}  // namespace seqgpt
