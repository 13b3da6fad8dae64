// SPDX-License-Identifier: Apache-2.0
// KvStore: KV blocks of one type with what is kept in them for later prompts.
#pragma once

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/kv_pool.h"
#include "engine/prefix_cache.h"

namespace seqgpt {

/// An engine has one for each KV type, so that what was read in one type never serves another.
struct KvStore {
  KvStore(std::unique_ptr<KvBlocks> blocks, size_t cache_bytes, EngineCounters& counters)
      : pool(std::move(blocks)) {
    const size_t cached = cache_bytes / pool.block_bytes();
    if (cached > 0)
      prefixes.emplace(pool, static_cast<int>(std::min<size_t>(cached, INT_MAX)), counters);
  }

  KvPool pool;
  std::optional<PrefixCache> prefixes;
};

}  // namespace seqgpt
