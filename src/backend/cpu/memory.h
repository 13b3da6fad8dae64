// SPDX-License-Identifier: Apache-2.0
// AlignedMemory: owned memory on a cache line's edge; large pieces ask the kernel for huge pages.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace seqgpt::cpu {

/// Move-only. Small pieces come from the heap, large ones from their own mapping (those start as
/// zeros that take no room before they are touched).
class AlignedMemory {
 public:
  /// `what` names the purpose in the message. Errors: kTooLarge.
  static Result<AlignedMemory> allocate(size_t bytes, std::string_view what);

  AlignedMemory() = default;
  AlignedMemory(AlignedMemory&& other) noexcept;
  AlignedMemory& operator=(AlignedMemory&& other) noexcept;
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;
  ~AlignedMemory();

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  size_t mapped_ = 0;  // bytes of the mapping, 0 for heap memory
};

}  // namespace seqgpt::cpu
