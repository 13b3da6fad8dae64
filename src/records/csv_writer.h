// SPDX-License-Identifier: Apache-2.0
// CSV that a spreadsheet opens without running formulas or spoiling numbers, and a program reads
// back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqgpt {

/// Written once at the head of a file: Excel and WPS take a CSV without it for GBK.
inline constexpr std::string_view kCsvMark = "\xEF\xBB\xBF";

/// Between several values of one cell.
inline constexpr std::string_view kCsvValueSeparator = "；";

/// The value with an apostrophe in front when a spreadsheet would change or run it: it begins
/// (after blanks) with = + - @ or their full-width forms, TAB, CR or LF; it is a number with a
/// leading zero, of 12 or more digits, or in scientific notation; or it begins with an apostrophe
/// itself. A program gets every value back by cutting one leading apostrophe where there is one.
std::string guarded_cell(std::string_view value);

/// One record: cells guarded, quoted where RFC 4180 needs it, ended by CRLF.
std::string csv_record(const std::vector<std::string>& cells);

}  // namespace seqgpt
