// SPDX-License-Identifier: Apache-2.0
// Canonical values of what a task found, and ends set right by what parses.
#pragma once

#include <string_view>
#include <vector>

#include "constrain/span_index.h"
#include "normalize/normalize.h"
#include "pipeline/answer.h"
#include "task/task.h"

namespace seqgpt {

/// What a label's values are read as: its type, or the kind of identifier that it says.
ValueKind kind_of(const Label& label);

/// The span with the characters beside it that belong to a value of its kind (the 月 of 2022年3,
/// the 元 of 120万, the rest of a number), where the longer string has a canonical value too.
/// Otherwise the span.
ByteSpan whole_value(std::string_view text, ByteSpan span, ValueKind kind,
                     const ReferenceTime& reference);

/// Of each label, whether two of its values cannot begin at one place: those of a type that has a
/// form, when values are verified and the caller gives no pattern or list.
std::vector<bool> labels_of_one_thing(const Task& task);

/// The task's reference time; none when it gives none. Errors: kInvalidArgument.
Result<ReferenceTime> reference_of(const Task& task);

/// Fills in the canonical value of every entity by its label's type, with a warning for each value
/// of a type that has none.
void add_canonical(Answer& answer, const Task& task, const ReferenceTime& reference);

}  // namespace seqgpt
