// SPDX-License-Identifier: Apache-2.0
// A file mapped read-only into memory, with the means to drop its pages again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace seqgpt {

/// Move-only owner of one read-only mapping. An empty file maps to an empty span.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Tells the kernel that the pages wholly inside `part` (a part of bytes()) are not needed soon.
  void drop_pages(std::span<const std::byte> part) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace seqgpt
