// SPDX-License-Identifier: Apache-2.0
// printable: a name out of a file, made fit for an error message.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace seqgpt {

/// Quoted, cut to 120 bytes, control characters and invalid UTF-8 replaced: names in files are
/// hostile too.
inline std::string printable(std::string_view name) {
  constexpr size_t kMaxBytes = 120;
  size_t end = std::min(name.size(), kMaxBytes);
  while (end > 0 && !utf8_boundary(name, end)) --end;
  std::string text = utf8_lossy(name.substr(0, end));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return "'" + text + (end < name.size() ? "…'" : "'");
}

}  // namespace seqgpt
