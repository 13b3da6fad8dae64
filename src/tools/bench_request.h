// SPDX-License-Identifier: Apache-2.0
// Whole requests through the engine: one alone, with drafting and without, and many clients at
// once.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tools/bench_report.h"

namespace seqgpt {

struct RequestOptions {
  int repeats = 5;           // of the request alone, of each kind, taken in turns
  std::vector<int> clients;  // for each such number a throughput is measured
  double most_seconds = 60;  // after so long a client sends no further request
};

/// The engine alone is measured: no tokenizer, no normaliser, no server. Prefix caching is off:
/// every request is read as new. A client sends its next request, on another text, when its last
/// has ended: two each and eight in all.
/// First the answers are checked: each text's must have the same choices and log-probabilities, bit
/// for bit, among all others and alone, with drafting and without; else error kInternal, and
/// nothing is timed. The model must be one that generates.
Result<RequestFigures> measure_requests(Model& model, const RequestOptions& options);

}  // namespace seqgpt
