// SPDX-License-Identifier: Apache-2.0
// Text files of several encodings read as UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

struct DecodedText {
  std::string text;      // valid UTF-8, without a byte order mark
  std::string encoding;  // what the bytes were read as: utf-8, utf-16le, utf-16be or gb18030
};

/// Reads `bytes` as `encoding`: auto, utf-8, utf-16 (needs a byte order mark), utf-16le, utf-16be
/// or gb18030. auto: by the byte order mark, else UTF-8 when all of it is valid, else GB18030 when
/// all of it is valid. A text that is UTF-8 but for a few bytes is damaged, not GB18030 (which
/// would accept it as gibberish). An undecodable byte is an error that names its offset and the
/// encoding tried.
Result<DecodedText> decode_text(std::string_view bytes, std::string_view encoding);

}  // namespace seqgpt
