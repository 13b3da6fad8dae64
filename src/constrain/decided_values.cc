// SPDX-License-Identifier: Apache-2.0
// A pool of list nodes behind a lock.
#include "constrain/decided_values.h"

#include <utility>

namespace seqgpt {
namespace {

constexpr size_t kNodeBytes = 128;   // a node with its counts, as the pool rounds it up
constexpr size_t kPoolBytes = 2048;  // of the pool's own tables

/// What std::allocate_shared asks for memory; each node's copy keeps the memory alive.
template <typename T>
struct NodeAllocator {
  using value_type = T;

  explicit NodeAllocator(std::shared_ptr<DecidedMemory> from) : memory(std::move(from)) {}
  template <typename Other>
  NodeAllocator(const NodeAllocator<Other>& other) : memory(other.memory) {}

  T* allocate(size_t count) { return static_cast<T*>(memory->take(count * sizeof(T))); }
  void deallocate(T* nodes, size_t count) { memory->give_back(nodes, count * sizeof(T)); }
  template <typename Other>
  bool operator==(const NodeAllocator<Other>& other) const {
    return memory == other.memory;
  }

  std::shared_ptr<DecidedMemory> memory;
};

}  // namespace

DecidedMemory::DecidedMemory(size_t values)
    : whole_(values * kNodeBytes + kPoolBytes),
      pool_({.max_blocks_per_chunk = values, .largest_required_pool_block = kNodeBytes}, &whole_) {
  give_back(take(kNodeBytes), kNodeBytes);  // now rather than with the first value
}

void* DecidedMemory::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return pool_.allocate(bytes);
}

void DecidedMemory::give_back(void* memory, size_t bytes) {
  const std::lock_guard lock(mutex_);
  pool_.deallocate(memory, bytes);
}

std::shared_ptr<const DecidedList> with_value(const std::shared_ptr<DecidedMemory>& memory,
                                              std::shared_ptr<const DecidedList> before,
                                              const DecidedValue& value) {
  return std::allocate_shared<const DecidedList>(NodeAllocator<const DecidedList>(memory),
                                                 DecidedList{value, std::move(before)});
}

}  // namespace seqgpt
