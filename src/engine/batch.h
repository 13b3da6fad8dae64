// SPDX-License-Identifier: Apache-2.0
// Batch: picks laid out as one Step, and the way back of what it computed.
#pragma once

#include <span>
#include <vector>

#include "engine/scheduler.h"
#include "model/step.h"

namespace seqgpt {

/// One step over the picked rows. Its slices look at the sequences' block tables, which therefore
/// stay as they are until it has run.
struct Batch {
  std::vector<Pick> picks;  // those of one request stand together
  Step step;
};

/// Gives every picked sequence blocks for its rows. A second call for the same rows takes nothing
/// more.
Batch make_batch(std::span<const Pick> picks, KvPool& pool);

/// After the step has run: counts the rows as computed, hands every request its outputs and lets it
/// go on. Returns how each request fared, in the order of the batch.
struct Delivery {
  Request* request = nullptr;
  Status status;
};
std::vector<Delivery> deliver(Batch& batch, EngineCounters& counters);

/// The picks that begin with `first` and belong to its request.
std::span<const Pick> picks_of_one_request(std::span<const Pick> picks, size_t first);

}  // namespace seqgpt
