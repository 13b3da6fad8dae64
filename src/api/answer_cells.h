// SPDX-License-Identifier: Apache-2.0
// Answers as cells of a table: one a label key, as `result` of the body has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "pipeline/answer.h"

namespace seqgpt {

/// The canonical value of one entity as `result` has it; empty where there is none.
std::string canonical_cell(const Entity& entity);

/// Extraction: one cell for each label, in their order; several values joined by ；, a range as
/// low~high, none empty. Classification: the class (several joined by ；), then its probability.
/// The cells are not guarded yet (records/csv_writer.h).
std::vector<std::string> answer_cells(const Answer& answer, std::string_view text,
                                      const AnswerOptions& options);

}  // namespace seqgpt
