// SPDX-License-Identifier: Apache-2.0
// run_batch: a sliding window of items over an answerer, answers out in order.
#pragma once

#include "api/batch_line.h"
#include "base/result.h"
#include "batch/items.h"
#include "pipeline/answerer.h"

namespace seqgpt {

// Texts in work at once: what a kill loses. A text is one sequence of the engine for every six
// labels.
inline constexpr size_t kWindowItems = 48;
inline constexpr size_t kWindowBytes = size_t{1} << 20;  // of text

/// Where answers go, in the order of the items.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual Status put(const BatchLine& line, const Result<Answer>& answer) = 0;
};

/// Keeps up to kWindowItems (and kWindowBytes, by at most one text more) in flight: a long text
/// holds back the answers behind it, not the work on them. When the source fails, what was read is
/// answered first, then its error returned; an error of the sink ends the run at once.
Status run_batch(ItemSource& source, Answerer& answerer, AnswerSink& sink);

}  // namespace seqgpt
