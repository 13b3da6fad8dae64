// SPDX-License-Identifier: Apache-2.0
// The values decided so far, as a list that states share, and the memory it lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>

#include "constrain/span_index.h"

namespace seqgpt {

struct DecidedValue {
  SpanIndex::State value;
  uint32_t label = 0;
  // Tokens, as ExtractedValue tells.
  uint32_t first_token = 0;
  uint32_t end_token = 0;
  uint32_t stop_token = 0;
  bool capped = false;
};

/// The newest value and those before it. Never changed: states that fork share what they have in
/// common.
struct DecidedList {
  DecidedValue value;
  std::shared_ptr<const DecidedList> before;
};

/// Memory for lists: what dropped ones gave back is used again, so that deciding a value allocates
/// nothing while no more than `values` of them live at a time. Any thread may use it; lists keep it
/// alive.
class DecidedMemory {
 public:
  explicit DecidedMemory(size_t values);
  DecidedMemory(const DecidedMemory&) = delete;
  DecidedMemory& operator=(const DecidedMemory&) = delete;

  void* take(size_t bytes);
  void give_back(void* memory, size_t bytes);

 private:
  std::mutex mutex_;
  std::pmr::monotonic_buffer_resource whole_;
  std::pmr::unsynchronized_pool_resource pool_;
};

/// `before` and one more.
std::shared_ptr<const DecidedList> with_value(const std::shared_ptr<DecidedMemory>& memory,
                                              std::shared_ptr<const DecidedList> before,
                                              const DecidedValue& value);

}  // namespace seqgpt
