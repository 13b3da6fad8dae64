// SPDX-License-Identifier: Apache-2.0
// parse_shard_index: which shard holds which tensor, out of an index file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// Canonical tensor name -> file name. Ordered, so that shards are opened in the same order
/// everywhere.
using ShardIndex = std::map<std::string, std::string, std::less<>>;

/// Reads model.safetensors.index.json or pytorch_model.bin.index.json. A shard is a plain file
/// name: one with a directory in it, absolute or '..', is refused. `name` is the index file's, for
/// messages.
Result<ShardIndex> parse_shard_index(std::string_view json, std::string_view name);

}  // namespace seqgpt
