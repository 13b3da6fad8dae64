// SPDX-License-Identifier: Apache-2.0
// OUT.state: what a batch was asked, so that only the same batch goes on, and how far it has come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// Everything that an output byte may depend on, by name, in a fixed order.
using BatchSettings = std::vector<std::pair<std::string, std::string>>;

/// A place in the output at which a record ends.
struct BatchProgress {
  uint64_t items = 0;   // answered, of this shard
  uint64_t failed = 0;  // of them
  uint64_t bytes = 0;   // of the output
};

struct BatchState {
  BatchSettings settings;
  BatchProgress progress;
};

/// nullopt when there is no file. Errors: kBadFile when it is none of ours or was changed by hand.
Result<std::optional<BatchState>> read_state(const std::string& path);
/// In one step; `progress` must be on the disk already.
Status write_state(const std::string& path, const BatchState& state);

/// The value of a setting; empty when there is none.
std::string setting(const BatchSettings& settings, const std::string& name);

/// Errors: kInvalidArgument that names what differs and how to start anew.
Status check_same(const BatchSettings& before, const BatchSettings& now, const std::string& output);

}  // namespace seqgpt
