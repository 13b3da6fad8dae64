// SPDX-License-Identifier: Apache-2.0
// Laying out an extraction for people and spreadsheets.
#include "cli/table.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "api/answer_cells.h"
#include "base/utf8.h"
#include "records/csv_writer.h"

namespace seqgpt::cli {
namespace {

std::string_view value_of(const Entity& entity, std::string_view text) {
  return text.substr(entity.span.begin, entity.span.end - entity.span.begin);
}

/// Columns on a terminal: wide for CJK and full-width forms, none for what does not advance is not
/// attempted.
size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = utf8_decode(text, at);
    const char32_t c = decoded.code_point;
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                      (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                      (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x3FFFD);
    width += wide ? 2 : 1;
    at += decoded.bytes;
  }
  return width;
}

/// One line, whatever the value holds: line breaks and other controls show as spaces.
std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return out;
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, display_width(text)) + 2, ' ');
}

struct Row {
  std::string label;
  std::string value;
  std::string place;
};

std::vector<Row> rows_of(const Answer& answer, std::string_view text) {
  std::vector<Row> rows;
  for (size_t label = 0; label < answer.labels.size(); ++label) {
    const size_t before = rows.size();
    for (const Entity& entity : answer.entities) {
      if (entity.label != label) continue;
      char place[64];
      std::snprintf(place, sizeof place, "%zu-%zu  %3.0f %%",
                    utf8_count(text.substr(0, entity.span.begin)),
                    utf8_count(text.substr(0, entity.span.end)), 100 * entity.confidence);
      rows.push_back({answer.labels[label].name, printable(value_of(entity, text)), place});
    }
    if (rows.size() == before) rows.push_back({answer.labels[label].name, "-", ""});
  }
  return rows;
}

}  // namespace

std::string extraction_table(const Answer& answer, std::string_view text) {
  const std::vector<Row> rows = rows_of(answer, text);
  size_t label_width = 0;
  size_t value_width = 0;
  for (const Row& row : rows) {
    label_width = std::max(label_width, display_width(row.label));
    value_width = std::max(value_width, display_width(row.value));
  }
  std::string out;
  for (const Row& row : rows)
    out += padded(row.label, label_width) + padded(row.value, value_width) + row.place + "\n";
  return out;
}

std::string extraction_csv(const Answer& answer, std::string_view text,
                           const AnswerOptions& options) {
  std::vector<std::string> header;
  for (const Label& label : answer.labels) header.push_back(label.key);
  return csv_record(header) + csv_record(answer_cells(answer, text, options));
}

}  // namespace seqgpt::cli
