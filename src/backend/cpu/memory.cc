// SPDX-License-Identifier: Apache-2.0
// Heap memory below a few huge pages, else an anonymous mapping with MADV_HUGEPAGE.
#include "backend/cpu/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace seqgpt::cpu {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kMappedFrom = 2 * kHugePage;  // smaller pieces would waste much of a huge page
constexpr size_t kLimit = size_t{1} << 46;  // 64 TiB: beyond what any host has, and sums stay exact

size_t round_up(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

Error too_large(size_t bytes, std::string_view what) {
  return {ErrorCode::kTooLarge, "cannot allocate " + std::to_string(bytes) + " bytes for " +
                                    std::string(what) +
                                    ": the system has not that much memory to give"};
}

/// A mapping of `bytes` (whole huge pages) on a huge page's edge, or nullptr.
std::byte* map_huge(size_t bytes) {
  void* raw =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(raw);
  const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(raw) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  if (before < kHugePage) munmap(begin + before + bytes, kHugePage - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);  // advice: small pages serve as well, only slower
  return begin + before;
}

}  // namespace

Result<AlignedMemory> AlignedMemory::allocate(size_t bytes, std::string_view what) {
  AlignedMemory memory;
  memory.bytes_ = bytes;
  if (bytes > kLimit) return too_large(bytes, what);
  if (bytes >= kMappedFrom) {
    memory.mapped_ = round_up(bytes, kHugePage);
    memory.data_ = map_huge(memory.mapped_);
  } else {
    memory.data_ = static_cast<std::byte*>(std::aligned_alloc(kLine, round_up(bytes + 1, kLine)));
  }
  if (memory.data_ == nullptr) {
    memory.mapped_ = 0;
    return too_large(bytes, what);
  }
  return memory;
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept {
  *this = std::move(other);
}

AlignedMemory& AlignedMemory::operator=(AlignedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

AlignedMemory::~AlignedMemory() {
  if (mapped_ > 0) {
    munmap(data_, mapped_);
  } else {
    std::free(data_);
  }
}

}  // namespace seqgpt::cpu
