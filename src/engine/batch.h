// SPDX-License-Identifier: Apache-2.0
// Batch: picks laid out as one Step, and the way back of what it computed.
#pragma once

#include <span>
#include <vector>

#include "engine/scheduler.h"
#include "model/step.h"

namespace seqgpt {

/// How one request fared in a step.
struct Delivery {
  Request* request = nullptr;
  Status status;
};

/// One step over the picked rows. Its slices look at the sequences' block tables, which therefore
/// stay as they are until it has run. Made to be used again: its memory grows to the largest step.
struct Batch {
  std::vector<Pick> picks;  // those of one request stand together
  Step step;
  std::vector<Delivery> deliveries;  // in the order of the picks
  std::vector<std::vector<float>> spare_values;
};

/// Gives every picked sequence blocks for its rows and lays the step out. A second call for the
/// same rows takes nothing more.
void make_batch(std::span<const Pick> picks, Batch& batch);

/// After the step has run: counts the rows as computed, hands every request its outputs and lets it
/// go on; fills `deliveries`.
void deliver(Batch& batch, EngineCounters& counters);

/// The picks that begin with `first` and belong to its request.
std::span<const Pick> picks_of_one_request(std::span<const Pick> picks, size_t first);

}  // namespace seqgpt
