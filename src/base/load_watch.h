// SPDX-License-Identifier: Apache-2.0
// LoadWatch: how many bytes of weights a thread has taken in, for another thread that shows it.
#pragma once

#include <atomic>
#include <cstdint>

namespace seqgpt {

/// While it lives, what its thread loads is added to `bytes`: each weight file about once when it
/// is packed (less what stays mapped) and once for the fingerprint. One a thread.
class LoadWatch {
 public:
  explicit LoadWatch(std::atomic<uint64_t>& bytes);
  ~LoadWatch();
  LoadWatch(const LoadWatch&) = delete;
  LoadWatch& operator=(const LoadWatch&) = delete;

  /// Of whoever loads; does nothing on a thread that is not watched.
  static void add(uint64_t bytes);
};

}  // namespace seqgpt
