// SPDX-License-Identifier: Apache-2.0
// Reading, making and locking of the operator's files.
#include "store/private_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "store/crypto.h"

namespace seqgpt {
namespace {

/// Closes a descriptor at the end of its scope.
struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

std::string octal(unsigned mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", mode & 07777U);
  return text;
}

Status check_private(const struct stat& facts, unsigned forbidden, const std::string& name,
                     const std::string& what) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, what + " " + name + " " + why};
  };
  if (!S_ISREG(facts.st_mode)) return refuse("is not a regular file");
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
    return refuse("belongs to another user: chown it to the one who runs seqgpt");
  if ((facts.st_mode & forbidden) != 0)
    return refuse("has mode " + octal(facts.st_mode) + ", wider than " + octal(0777U & ~forbidden) +
                  ": others could use it; run chmod " + octal(0666U & ~forbidden) + " " + name);
  return {};
}

Result<std::string> read_open(int descriptor, size_t limit, const std::filesystem::path& path) {
  std::string content(limit + 1, '\0');
  size_t have = 0;
  while (have < content.size()) {
    const ssize_t got = ::read(descriptor, content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", path, errno);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  if (have > limit)
    return Error{ErrorCode::kTooLarge,
                 path.string() + " is larger than " + std::to_string(limit) + " bytes"};
  content.resize(have);
  return content;
}

}  // namespace

Error io_error(const std::string& what, const std::filesystem::path& path, int error_number) {
  std::string message =
      "cannot " + what + " " + path.string() + ": " + std::generic_category().message(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) message += "; free space and try again";
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS)
    message += "; check the owner and mode of the file and its directory";
  return {ErrorCode::kIo, message};
}

int write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return 0;
}

Result<std::string> read_private_file(const std::filesystem::path& path, size_t limit,
                                      unsigned forbidden, const std::string& what) {
  // Non-blocking, so that a FIFO in its place is refused and not waited for.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0 && errno == ENOENT)
    return Error{ErrorCode::kNotFound, what + " " + path.string() + " does not exist"};
  if (file.number < 0) return io_error("open", path, errno);
  struct stat facts{};
  if (::fstat(file.number, &facts) != 0) return io_error("examine", path, errno);
  SEQGPT_TRY(check_private(facts, forbidden, path.string(), what));
  return read_open(file.number, limit, path);
}

Result<bool> make_private_file(const std::filesystem::path& path, std::string_view content) {
  // Written beside and linked into place: whoever looks sees the whole file or none, and of two
  // that make it at once one wins.
  const std::filesystem::path draft = path.string() + "." + to_hex(random_bytes(8)) + ".tmp";
  int problem = 0;
  {
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.number < 0) return io_error("make", path, errno);
    problem = write_whole(file.number, content);
    if (problem == 0 && ::fsync(file.number) != 0) problem = errno;
  }
  if (problem == 0 && ::link(draft.c_str(), path.c_str()) != 0) problem = errno;
  ::unlink(draft.c_str());
  if (problem == EEXIST) return false;
  if (problem != 0) return io_error("make", path, problem);
  return true;
}

Status append_private_file(const std::filesystem::path& path, std::string_view content) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number < 0) return io_error("open", path, errno);
  int problem = write_whole(file.number, content);
  if (problem == 0 && ::fsync(file.number) != 0) problem = errno;
  if (problem != 0) return io_error("write", path, problem);
  return {};
}

Status make_private_directory(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {};
  if (path.has_parent_path() && path.parent_path() != path)
    SEQGPT_TRY(make_private_directory(path.parent_path()));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return io_error("make the directory", path, errno);
  return {};
}

Result<FileLock> FileLock::take(const std::filesystem::path& path, const std::string& what) {
  FileLock lock;
  lock.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock.descriptor_ < 0) return io_error("open", path, errno);
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorCode::kIo, "another process uses " + what + " " +
                                     path.parent_path().string() +
                                     ": stop it, or give this one a directory of its own"};
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace seqgpt
