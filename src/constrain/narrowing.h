// SPDX-License-Identifier: Apache-2.0
// Which index a label's values come from: its type, pattern or list narrow the text's own.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/span_index.h"
#include "task/task.h"

namespace seqgpt {

/// One index for each of `labels` (checked), in their order; labels that narrow alike share one.
/// A pattern and a list narrow always: when the text has nothing that fits, the index is empty and
/// the label can only answer None. A type narrows only when the text has something that fits, or
/// where `present` says that the document does of which this text is a window; and not where a
/// pattern or list is given.
/// Errors: kUnbuildable, naming "labels[i].pattern", when matching it would cost too much on this
/// text (kMaxPatternWork).
Result<std::vector<std::shared_ptr<const SpanIndex>>> narrow_to_labels(
    const std::shared_ptr<const SpanIndex>& whole, std::span<const Label> labels,
    const std::vector<bool>& present = {});

/// Sets present[i] where `text` (valid UTF-8) has something of the type of labels[i].
void note_types(std::string_view text, std::span<const Label> labels, std::vector<bool>& present);

}  // namespace seqgpt
