// SPDX-License-Identifier: Apache-2.0
// ByteSource: bytes read forward in bounded pieces; files, archives and encodings are stacked on
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// Thread contract: one thread reads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` (not empty) from its front; 0 at the end. After an error no more is read.
  /// Errors: kIo; kBadFile for a damaged or truncated archive.
  virtual Result<size_t> read(std::span<char> buffer) = 0;
};

/// A file, or an open descriptor that stays the caller's (standard input).
class FileSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  static std::unique_ptr<FileSource> borrow(int descriptor, const std::string& name);
  ~FileSource() override;

  Result<size_t> read(std::span<char> buffer) override;
  /// Goes on reading at this byte of the file. Errors: kIo when it is no regular file.
  Status seek(uint64_t position);

  uint64_t position() const { return position_; }
  std::optional<uint64_t> size() const { return size_; }  // of a regular file
  const std::string& name() const { return name_; }

 private:
  FileSource(int descriptor, bool owned, std::string name);

  int descriptor_;
  bool owned_;
  std::string name_;
  uint64_t position_ = 0;
  std::optional<uint64_t> size_;
};

/// A source whose first bytes can be looked at before they are read.
class PeekedSource final : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}
  /// The first bytes, `most` of them or all there are; to be called before read().
  Result<std::string_view> peek(size_t most);
  Result<size_t> read(std::span<char> buffer) override;

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string head_;
  size_t given_ = 0;  // of head_
};

/// Bytes of memory.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Result<size_t> read(std::span<char> buffer) override;

 private:
  std::string text_;
  size_t given_ = 0;
};

/// The buffer between a source and a reader that looks at bytes: pending() is what has been read
/// and not taken.
class ByteBuffer {
 public:
  explicit ByteBuffer(ByteSource& source);
  /// False at the end; else pending() is not empty.
  Result<bool> fill();
  std::string_view pending() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void take(size_t bytes) { begin_ += bytes; }
  uint64_t taken() const { return read_ - (end_ - begin_); }
  /// Of what has been read so far, 0..1.
  double share_taken() const {
    return read_ == 0 ? 0 : static_cast<double>(taken()) / static_cast<double>(read_);
  }

 private:
  ByteSource& source_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t read_ = 0;
};

}  // namespace seqgpt
