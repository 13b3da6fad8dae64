// SPDX-License-Identifier: Apache-2.0
// The state machine of CSV, one byte at a time.
#include "records/csv_reader.h"

namespace seqgpt {

void CsvReader::give_up(ErrorCode code, const std::string& message) {
  record_.error =
      Error{code, "the record that begins on line " + std::to_string(record_.line) + " " + message};
  record_.cells = {};
  cell_ = {};
  place_ = Place::kSkipping;
}

void CsvReader::append(char byte) {
  cell_ += byte;
  if (++bytes_ > most_)
    give_up(ErrorCode::kTooLarge,
            "is larger than " + std::to_string(most_) + " bytes: is a quote left open there?");
}

void CsvReader::end_cell() {
  record_.cells.push_back(std::move(cell_));
  cell_.clear();
  place_ = Place::kCellStart;
  if (record_.cells.size() > kMaxCsvColumns)
    give_up(ErrorCode::kTooLarge, "has more than " + std::to_string(kMaxCsvColumns) + " columns");
}

/// A line feed outside quotes ends the record.
void CsvReader::take(char byte) {
  line_ += byte == '\n';
  if (place_ == Place::kQuoted) {
    if (byte == '"') {
      place_ = Place::kQuoteSeen;
    } else {
      append(byte);
    }
    return;
  }
  if (byte == '\n') {
    // A carriage return right before it was taken as text of a bare cell.
    if (place_ == Place::kBare && cell_.ends_with('\r')) cell_.pop_back();
    record_.terminated = true;
    return;
  }
  if (place_ == Place::kSkipping) return;
  if (byte == ',') return end_cell();
  if (byte == '"' && place_ == Place::kCellStart) {
    place_ = Place::kQuoted;
    record_.blank = false;
    return;
  }
  const bool doubled = byte == '"' && place_ == Place::kQuoteSeen;
  place_ = doubled ? Place::kQuoted : Place::kBare;
  append(byte);
}

Result<std::optional<CsvRecord>> CsvReader::next() {
  record_ = CsvRecord{{}, line_, true, false, {}};
  cell_.clear();
  bytes_ = 0;
  place_ = Place::kCellStart;
  bool any = false;
  while (!record_.terminated) {
    SEQGPT_ASSIGN(const bool more, buffer_.fill());
    if (!more) break;
    any = true;
    const std::string_view pending = buffer_.pending();
    size_t used = 0;
    while (used < pending.size() && !record_.terminated) take(pending[used++]);
    buffer_.take(used);
  }
  if (!any) return std::optional<CsvRecord>();
  if (place_ == Place::kQuoted)
    give_up(ErrorCode::kInvalidArgument, "opens a quote that is never closed");
  if (place_ != Place::kSkipping) end_cell();
  record_.blank = record_.blank && record_.cells.size() == 1 && record_.cells[0].empty();
  return std::optional<CsvRecord>(std::move(record_));
}

}  // namespace seqgpt
