// SPDX-License-Identifier: Apache-2.0
// The watch of this thread.
#include "base/load_watch.h"

namespace seqgpt {
namespace {

thread_local std::atomic<uint64_t>* watched = nullptr;

}  // namespace

LoadWatch::LoadWatch(std::atomic<uint64_t>& bytes) {
  watched = &bytes;
}

LoadWatch::~LoadWatch() {
  watched = nullptr;
}

void LoadWatch::add(uint64_t bytes) {
  if (watched) watched->fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace seqgpt
