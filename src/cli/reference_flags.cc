// SPDX-License-Identifier: Apache-2.0
// The reference time of a command: what was said, or the present.
#include "cli/reference_flags.h"

#include <ctime>

#include "api/reference_time.h"

namespace seqgpt::cli {

void ReferenceFlags::add_to(CLI::App& command) {
  command.add_option("--reference-time", reference_time,
                     "what 去年 or 下周三 are read against: ISO 8601, or none (default: now)");
  command.add_option("--timezone", timezone, "zone of times that name none: a name or +08:00")
      ->capture_default_str();
}

Status ReferenceFlags::apply(AnswerOptions& options) const {
  SEQGPT_ASSIGN(const int offset, timezone_offset(timezone));
  options.timezone = timezone;
  if (reference_time.empty()) {
    options.reference_time = format_reference_time(std::time(nullptr), offset);
    return {};
  }
  SEQGPT_ASSIGN(options.reference_time, parse_reference_time(reference_time, timezone));
  return {};
}

}  // namespace seqgpt::cli
