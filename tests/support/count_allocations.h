// SPDX-License-Identifier: Apache-2.0
// Counts calls of operator new in a test program. To be included by one of its files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace seqgpt::testing_support {

inline std::atomic<long> allocations{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCountsAllocations = false;  // sanitizers have an operator new of their own
#else
inline constexpr bool kCountsAllocations = true;
#endif

}  // namespace seqgpt::testing_support

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace seqgpt::testing_support {

inline void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
inline void* counted(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}

}  // namespace seqgpt::testing_support

void* operator new(std::size_t size) {
  return seqgpt::testing_support::counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return seqgpt::testing_support::counted(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
#endif
