// SPDX-License-Identifier: Apache-2.0
// An extraction as a table for a terminal, and as CSV.
#pragma once

#include <string>
#include <string_view>

#include "api/options.h"
#include "pipeline/answer.h"

namespace seqgpt::cli {

/// One line a value: label, words, canonical value, offsets, confidence; absent labels show a dash.
/// Then one line a record, where records were asked for. Columns line up by display width.
std::string extraction_table(const Answer& answer, std::string_view text);

/// RFC 4180: a header of keys and one row, or one a record; several values joined by ；. Cells that
/// a spreadsheet would run or spoil get a leading apostrophe (records/csv_writer.h). No byte order
/// mark: this is a piece of a stream, not a file.
std::string extraction_csv(const Answer& answer, std::string_view text,
                           const AnswerOptions& options);

}  // namespace seqgpt::cli
