// SPDX-License-Identifier: Apache-2.0
// Files, peeked sources and the read buffer.
#include "records/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace seqgpt {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

size_t copy_from(std::string_view text, size_t& given, std::span<char> buffer) {
  const size_t count = std::min(buffer.size(), text.size() - given);
  std::memcpy(buffer.data(), text.data() + given, count);
  given += count;
  return count;
}

}  // namespace

FileSource::FileSource(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {
  struct stat info{};
  if (fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode))
    size_ = static_cast<uint64_t>(info.st_size);
}

FileSource::~FileSource() {
  if (owned_) close(descriptor_);
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return Error{ErrorCode::kNotFound, "cannot open " + path + ": " + std::strerror(errno)};
  struct stat info{};
  if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(descriptor);
    return Error{ErrorCode::kNotFound, "cannot open " + path + ": it is a directory"};
  }
  return std::unique_ptr<FileSource>(new FileSource(descriptor, true, path));
}

std::unique_ptr<FileSource> FileSource::borrow(int descriptor, const std::string& name) {
  return std::unique_ptr<FileSource>(new FileSource(descriptor, false, name));
}

Result<size_t> FileSource::read(std::span<char> buffer) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return Error{ErrorCode::kIo, "cannot read " + name_ + ": " + std::strerror(errno)};
  position_ += static_cast<uint64_t>(count);
  return static_cast<size_t>(count);
}

Status FileSource::seek(uint64_t position) {
  if (lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
    return Error{ErrorCode::kIo, "cannot seek in " + name_ + ": " + std::strerror(errno)};
  position_ = position;
  return {};
}

Result<std::string_view> PeekedSource::peek(size_t most) {
  while (head_.size() < most) {
    const size_t before = head_.size();
    head_.resize(most);
    const Result<size_t> count = inner_->read(std::span(head_).subspan(before));
    head_.resize(before + (count.ok() ? *count : 0));
    if (!count.ok() && head_.empty()) return count.error();
    if (!count.ok() || *count == 0) break;  // a later error comes again when read() gets there
  }
  return std::string_view(head_);
}

Result<size_t> PeekedSource::read(std::span<char> buffer) {
  if (given_ < head_.size()) return copy_from(head_, given_, buffer);
  return inner_->read(buffer);
}

Result<size_t> TextSource::read(std::span<char> buffer) {
  return copy_from(text_, given_, buffer);
}

ByteBuffer::ByteBuffer(ByteSource& source) : source_(source), buffer_(kBufferBytes, '\0') {}

Result<bool> ByteBuffer::fill() {
  if (begin_ < end_) return true;
  SEQGPT_ASSIGN(const size_t count, source_.read(buffer_));
  begin_ = 0;
  end_ = count;
  read_ += count;
  return count > 0;
}

}  // namespace seqgpt
