// SPDX-License-Identifier: Apache-2.0
// The reference time of a command: what was said, or the present.
#include "cli/reference_flags.h"

#include <ctime>

#include "normalize/reference_time.h"

namespace seqgpt::cli {

void ReferenceFlags::add_to(CLI::App& command) {
  command.add_option("--reference-time", reference_time,
                     "what 去年 or 下周三 are read against: ISO 8601, or none (default: now)");
  command.add_option("--timezone", timezone,
                     "zone of times that name none: a name or +08:00 (default: Asia/Shanghai)");
}

Status ReferenceFlags::apply(TaskOptions& options) const {
  std::optional<TimeZone> zone;
  if (!timezone.empty()) {
    SEQGPT_ASSIGN(zone, TimeZone::parse(timezone));
  }
  ReferenceTime moment = ReferenceTime::at(std::time(nullptr), zone.value_or(TimeZone{}));
  if (!reference_time.empty()) {
    SEQGPT_ASSIGN(moment, ReferenceTime::parse(reference_time, zone));
  }
  options.reference_time = moment.text();
  return {};
}

}  // namespace seqgpt::cli
