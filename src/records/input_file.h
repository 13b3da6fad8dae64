// SPDX-License-Identifier: Apache-2.0
// InputFile: a file of records opened through its compression and its encoding, as UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "records/byte_source.h"
#include "records/decompress.h"

namespace seqgpt {

class InputFile {
 public:
  /// A path, or "-" for the descriptor `standard_input`. Plain, gzip, zstd or xz by its first
  /// bytes, whatever its name; encoding as for open_utf8.
  static Result<InputFile> open(const std::string& path, const std::string& encoding,
                                int standard_input = 0);

  ByteSource& text() { return *text_; }
  const std::string& name() const { return file_->name(); }
  const std::string& encoding() const { return encoding_; }
  /// Of the file as stored; of an archive those whose content was read.
  uint64_t bytes_read() const { return archive_ ? archive_->consumed() : file_->position(); }
  std::optional<uint64_t> size() const { return file_->size(); }
  /// Tells one file from another: hash of its first 64 KiB as stored, and its size.
  const std::string& identity() const { return identity_; }

 private:
  FileSource* file_ = nullptr;        // at the bottom of text_
  const Archive* archive_ = nullptr;  // above it, if it is one
  std::unique_ptr<ByteSource> text_;
  std::string encoding_;
  std::string identity_;
};

/// 16 hex digits (FNV-1a): tells contents apart, proves nothing.
std::string content_hash(std::string_view bytes);

/// The name without .gz, .zst or .xz, then its extension in lower case, with the dot; empty when
/// it has none.
std::string record_extension(const std::string& path);

}  // namespace seqgpt
