// SPDX-License-Identifier: Apache-2.0
// Laying out an extraction for people and spreadsheets.
#include "cli/table.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "api/answer_cells.h"
#include "base/utf8.h"
#include "records/csv_writer.h"
#include "records/display_width.h"

namespace seqgpt::cli {
namespace {

std::string_view value_of(const Entity& entity, std::string_view text) {
  return text.substr(entity.span.begin, entity.span.end - entity.span.begin);
}

/// Columns as wide as their widest cell; trailing blanks are cut.
std::string laid_out(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::vector<std::string> value_row(const Label& label, const Entity& entity,
                                   std::string_view text) {
  char place[64];
  std::snprintf(place, sizeof place, "%zu-%zu", utf8_count(text.substr(0, entity.span.begin)),
                utf8_count(text.substr(0, entity.span.end)));
  char confidence[16];
  std::snprintf(confidence, sizeof confidence, "%3.0f %%", 100 * entity.confidence);
  return {label.name, printable(value_of(entity, text)), printable(canonical_cell(entity)), place,
          confidence};
}

std::vector<std::string> keys_of(const Answer& answer) {
  std::vector<std::string> keys;
  for (const Label& label : answer.labels) keys.push_back(label.key);
  return keys;
}

/// One row for the answer, or one for each of its records.
std::vector<std::vector<std::string>> result_rows(const Answer& answer, std::string_view text,
                                                  const AnswerOptions& options) {
  if (!answer.records) return {answer_cells(answer, text, options)};
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Entity>& record : *answer.records) {
    Answer one;
    one.labels = answer.labels;
    one.entities = record;
    rows.push_back(answer_cells(one, text, options));
  }
  return rows;
}

}  // namespace

std::string extraction_table(const Answer& answer, std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  for (size_t label = 0; label < answer.labels.size(); ++label) {
    const size_t before = rows.size();
    for (const Entity& entity : answer.entities) {
      if (entity.label == label) rows.push_back(value_row(answer.labels[label], entity, text));
    }
    if (rows.size() == before) rows.push_back({answer.labels[label].name, "-"});
  }
  std::string out = laid_out(rows);
  if (!answer.records) return out;
  std::vector<std::vector<std::string>> records{keys_of(answer)};
  for (auto& row : result_rows(answer, text, {})) {
    for (std::string& cell : row) cell = cell.empty() ? "-" : printable(cell);
    records.push_back(std::move(row));
  }
  return out + "\n" + laid_out(records);
}

std::string extraction_csv(const Answer& answer, std::string_view text,
                           const AnswerOptions& options) {
  std::string out = csv_record(keys_of(answer));
  for (const auto& row : result_rows(answer, text, options)) out += csv_record(row);
  return out;
}

}  // namespace seqgpt::cli
