// SPDX-License-Identifier: Apache-2.0
// OutputFile: appends to a file through a buffer, with the means to cut, sync and lock it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

class OutputFile {
 public:
  /// Opens or creates; what is there stays. Errors: kIo, also while another process holds it.
  static Result<std::unique_ptr<OutputFile>> open(const std::string& path);
  /// A descriptor that stays the caller's (standard output).
  static std::unique_ptr<OutputFile> borrow(int descriptor);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Cuts the file (or fills nothing in) and appends from there on.
  Status cut(uint64_t size);
  Status write(std::string_view bytes);
  Status flush();
  /// flush, and to the disk.
  Status sync();
  uint64_t size() const { return size_; }  // written, the buffer included

 private:
  OutputFile(int descriptor, bool owned, std::string name, uint64_t size);
  Error failed(const std::string& what) const;

  int descriptor_;
  bool owned_;
  std::string name_;
  std::string buffer_;
  uint64_t size_;
};

/// Replaces the file in one step: whoever looks sees the old content or the new, never a part.
Status replace_file(const std::string& path, std::string_view content);

}  // namespace seqgpt
