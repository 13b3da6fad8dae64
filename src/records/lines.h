// SPDX-License-Identifier: Apache-2.0
// LineReader: lines of a source, each of bounded size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "records/byte_source.h"

namespace seqgpt {

inline constexpr size_t kMaxRecordBytes = size_t{64} << 20;  // of a line or a CSV record

struct Line {
  std::string text;         // without LF or CRLF
  bool too_long = false;    // over the limit: text is empty, the rest of the line was skipped
  bool terminated = false;  // by a line feed, not by the end of the source
};

class LineReader {
 public:
  explicit LineReader(ByteSource& source, size_t most = kMaxRecordBytes)
      : buffer_(source), most_(most) {}
  /// nullopt at the end. An error of the source comes in place of the line that it cut.
  Result<std::optional<Line>> next();
  /// Bytes of the source up to the end of the last line given.
  uint64_t position() const { return buffer_.taken(); }
  double share_taken() const { return buffer_.share_taken(); }

 private:
  ByteBuffer buffer_;
  size_t most_;
};

}  // namespace seqgpt
