// SPDX-License-Identifier: Apache-2.0
// Text files of several encodings as a stream of UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "records/byte_source.h"

namespace seqgpt {

/// Stands in the stream for a byte that the encoding cannot read; no UTF-8 text holds it.
inline constexpr char kUnreadableByte = '\xFF';

struct Utf8Stream {
  std::unique_ptr<ByteSource> bytes;  // without a byte order mark
  std::string encoding;               // utf-8, utf-16le, utf-16be or gb18030
};

/// Reads `source` as `encoding` (the names of base/encoding.h). auto looks at the first 64 KiB
/// only: byte order mark, then UTF-8, then GB18030. UTF-8 passes unchecked, so that one damaged
/// line spoils no other; of the other encodings each unreadable byte becomes kUnreadableByte.
Result<Utf8Stream> open_utf8(std::unique_ptr<ByteSource> source, std::string_view encoding);

}  // namespace seqgpt
