// SPDX-License-Identifier: Apache-2.0
// Cutting a source at its line feeds.
#include "records/lines.h"

namespace seqgpt {

Result<std::optional<Line>> LineReader::next() {
  Line line;
  bool any = false;
  while (!line.terminated) {
    SEQGPT_ASSIGN(const bool more, buffer_.fill());
    if (!more) break;
    any = true;
    const std::string_view pending = buffer_.pending();
    const size_t end = pending.find('\n');
    line.terminated = end != std::string_view::npos;
    const std::string_view part = pending.substr(0, end);
    line.too_long = line.too_long || line.text.size() + part.size() > most_;
    if (!line.too_long) line.text += part;
    buffer_.take(part.size() + (line.terminated ? 1 : 0));
  }
  if (!any) return std::optional<Line>();
  if (line.too_long) {
    line.text = std::string();
  } else if (line.terminated && line.text.ends_with('\r')) {
    line.text.pop_back();
  }
  return std::optional<Line>(std::move(line));
}

}  // namespace seqgpt
