// SPDX-License-Identifier: Apache-2.0
// CsvReader: records of RFC 4180, read forward: quoted cells hold commas, quotes and line breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "records/byte_source.h"
#include "records/lines.h"

namespace seqgpt {

inline constexpr size_t kMaxCsvColumns = 16384;  // as spreadsheets have

struct CsvRecord {
  std::vector<std::string> cells;
  uint64_t line = 1;                // of the file, from 1, where the record begins
  bool blank = false;               // nothing on the line
  bool terminated = false;          // by a line feed, not by the end of the source
  std::optional<Error> error = {};  // kInvalidArgument, kTooLarge: this record cannot be used
};

/// Lenient as spreadsheets are: text after a closing quote is kept, a quote inside a bare cell is
/// text. Records end with LF or CRLF outside quotes. A record over the limit is an error; what
/// follows its next line break is read again as records.
class CsvReader {
 public:
  explicit CsvReader(ByteSource& source, size_t most = kMaxRecordBytes)
      : buffer_(source), most_(most) {}
  /// nullopt at the end.
  Result<std::optional<CsvRecord>> next();
  /// Bytes of the source up to the end of the last record given.
  uint64_t position() const { return buffer_.taken(); }
  double share_taken() const { return buffer_.share_taken(); }

 private:
  enum class Place { kCellStart, kBare, kQuoted, kQuoteSeen, kSkipping };

  void take(char byte);
  void end_cell();
  void append(char byte);
  void give_up(ErrorCode code, const std::string& message);

  ByteBuffer buffer_;
  size_t most_;
  uint64_t line_ = 1;
  // Of the record being read:
  CsvRecord record_;
  std::string cell_;
  size_t bytes_ = 0;
  Place place_ = Place::kCellStart;
};

}  // namespace seqgpt
