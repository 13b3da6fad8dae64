// SPDX-License-Identifier: Apache-2.0
// Writing by descriptor: a stream of the standard library can neither sync nor cut.
#include "records/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace seqgpt {
namespace {

constexpr size_t kBufferBytes = size_t{8} << 10;  // little is lost when the process is killed

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

OutputFile::OutputFile(int descriptor, bool owned, std::string name, uint64_t size)
    : descriptor_(descriptor), owned_(owned), name_(std::move(name)), size_(size) {}

OutputFile::~OutputFile() {
  (void)flush();  // whoever cares has called it and looked
  if (owned_) close(descriptor_);
}

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return Error{ErrorCode::kIo, "cannot write " + path + ": " + std::strerror(errno), "output"};
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor);
    return Error{ErrorCode::kIo, "another process is writing " + path, "output"};
  }
  struct stat info{};
  const bool known = fstat(descriptor, &info) == 0;
  return std::unique_ptr<OutputFile>(
      new OutputFile(descriptor, true, path, known ? static_cast<uint64_t>(info.st_size) : 0));
}

std::unique_ptr<OutputFile> OutputFile::borrow(int descriptor) {
  return std::unique_ptr<OutputFile>(new OutputFile(descriptor, false, "standard output", 0));
}

Error OutputFile::failed(const std::string& what) const {
  return {ErrorCode::kIo, "cannot " + what + " " + name_ + ": " + std::strerror(errno), "output"};
}

Status OutputFile::cut(uint64_t size) {
  if (!owned_) return {};
  const auto offset = static_cast<off_t>(size);
  const bool regular = size == 0 || size <= size_;
  if (!regular || (ftruncate(descriptor_, offset) != 0 && errno != EINVAL) ||
      (lseek(descriptor_, offset, SEEK_SET) < 0 && errno != ESPIPE))
    return failed("cut");
  size_ = size;
  return {};
}

Status OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  size_ += bytes.size();
  if (buffer_.size() < kBufferBytes) return {};
  return flush();
}

Status OutputFile::flush() {
  const bool good = write_all(descriptor_, buffer_);
  buffer_.clear();
  if (!good) return failed("write to");
  return {};
}

Status OutputFile::sync() {
  SEQGPT_TRY(flush());
  if (owned_ && fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP)
    return failed("write to");
  return {};
}

Status replace_file(const std::string& path, std::string_view content) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 &&
      !S_ISREG(info.st_mode)) {  // a device or a pipe stays itself
    SEQGPT_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::open(path));
    SEQGPT_TRY(file->write(content));
    return file->flush();
  }
  const std::string fresh = path + ".new";
  const int descriptor = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = descriptor >= 0;
  if (good) {
    good = write_all(descriptor, content) && (fdatasync(descriptor) == 0 || errno == EINVAL);
    good = close(descriptor) == 0 && good;
  }
  good = good && std::rename(fresh.c_str(), path.c_str()) == 0;
  if (good) return {};
  return Error{ErrorCode::kIo, "cannot write " + path + ": " + std::strerror(errno)};
}

}  // namespace seqgpt
