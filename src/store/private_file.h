// SPDX-License-Identifier: Apache-2.0
// Files that are the operator's alone: read with their mode checked, made whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// "cannot WHAT PATH: reason", with a word on how to mend what is common (full disk, rights).
Error io_error(const std::string& what, const std::filesystem::path& path, int error_number);

/// At most `limit` bytes of a regular file none of whose mode bits in `forbidden` are set and that
/// is owned by this user or root. `what` names it in errors.
/// Errors: kNotFound; kInvalidArgument (mode, owner, not a file); kTooLarge; kIo.
Result<std::string> read_private_file(const std::filesystem::path& path, size_t limit,
                                      unsigned forbidden, const std::string& what);

/// Makes `path` with mode 0600 and this content, synced, unless it is there: false then.
Result<bool> make_private_file(const std::filesystem::path& path, std::string_view content);

/// Appends in one write and syncs; the file is made with mode 0600 where absent.
Status append_private_file(const std::filesystem::path& path, std::string_view content);

/// A directory with mode 0700, parents too; one that is there stays as it is.
Status make_private_directory(const std::filesystem::path& path);

/// All of `bytes`, whatever signals come between; the errno of a failure, else 0.
int write_whole(int descriptor, std::string_view bytes);

/// A lock on `path` (made if absent) held until the object goes; kIo while another process has it.
class FileLock {
 public:
  static Result<FileLock> take(const std::filesystem::path& path, const std::string& what);
  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  int descriptor_ = -1;
};

}  // namespace seqgpt
