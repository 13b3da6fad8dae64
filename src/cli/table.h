// SPDX-License-Identifier: Apache-2.0
// An extraction as a table for a terminal, and as CSV.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/answer.h"

namespace seqgpt::cli {

/// One line a value: label, value, offsets; absent labels show a dash. Columns line up by display
/// width.
std::string extraction_table(const Answer& answer, std::string_view text);

/// RFC 4180: a header of keys and one row; several values joined by ；. A cell that a spreadsheet
/// would take for a formula gets a leading apostrophe.
std::string extraction_csv(const Answer& answer, std::string_view text);

}  // namespace seqgpt::cli
