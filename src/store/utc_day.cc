// SPDX-License-Identifier: Apache-2.0
// Writing of instants.
#include "store/utc_day.h"

#include <cstdio>
#include <ctime>

namespace seqgpt {
namespace {

std::string formatted(UnixMs time, const char* pattern) {
  const std::time_t seconds = utc_day(time) * 86'400 + (time - utc_day(time) * 86'400'000) / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, pattern, &parts)};
}

}  // namespace

std::string utc_date(UnixMs time) {
  return formatted(time, "%Y%m%d");
}
std::string utc_compact(UnixMs time) {
  return formatted(time, "%Y%m%dT%H%M%S");
}

std::string utc_iso(UnixMs time) {
  char part[16];
  std::snprintf(part, sizeof part, ".%03dZ", static_cast<int>(((time % 1000) + 1000) % 1000));
  return formatted(time, "%Y-%m-%dT%H:%M:%S") + part;
}

}  // namespace seqgpt
