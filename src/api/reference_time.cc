// SPDX-License-Identifier: Apache-2.0
// Reading and writing moments without the C library's zones, which are a process's global state.
#include "api/reference_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace seqgpt {
namespace {

struct Zone {
  std::string_view name;
  int minutes;
};
constexpr Zone kZones[] = {
    {"Asia/Shanghai", 480},  {"Asia/Hong_Kong", 480}, {"Asia/Macau", 480}, {"Asia/Taipei", 480},
    {"Asia/Singapore", 480}, {"Asia/Tokyo", 540},     {"UTC", 0},          {"Z", 0}};

/// Digits of `text` at `at`; -1 when there are none.
int number_at(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size()) return -1;
  int value = 0;
  for (const char c : text.substr(at, digits)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool parse_offset(std::string_view text, int& minutes) {
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  const int hours = number_at(text, 1, 2);
  const int rest = number_at(text, 4, 2);
  if (hours < 0 || hours > 14 || rest < 0 || rest > 59) return false;
  minutes = (hours * 60 + rest) * (text[0] == '-' ? -1 : 1);
  return true;
}

struct Moment {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

std::string written_out(const Moment& moment, int offset) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", moment.year,
                moment.month, moment.day, moment.hour, moment.minute, moment.second,
                offset < 0 ? '-' : '+', std::abs(offset) / 60, std::abs(offset) % 60);
  return text.data();
}

bool in_calendar(const Moment& moment) {
  const std::chrono::year_month_day date{std::chrono::year(moment.year),
                                         std::chrono::month(static_cast<unsigned>(moment.month)),
                                         std::chrono::day(static_cast<unsigned>(moment.day))};
  return moment.year >= 1 && date.ok() && moment.hour <= 23 && moment.minute <= 59 &&
         moment.second <= 59;
}

/// Takes "THH:MM[:SS[.fraction]]" from the front of `rest`, when it is there.
bool take_time(std::string_view& rest, Moment& moment) {
  if (rest.empty() || (rest[0] != 'T' && rest[0] != ' ')) return true;
  moment.hour = number_at(rest, 1, 2);
  moment.minute = number_at(rest, 4, 2);
  if (moment.hour < 0 || moment.minute < 0 || rest[3] != ':') return false;
  rest.remove_prefix(6);
  if (!rest.starts_with(':')) return true;
  moment.second = number_at(rest, 1, 2);
  if (moment.second < 0) return false;
  rest.remove_prefix(3);
  if (!rest.starts_with('.')) return true;
  const size_t digits = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  rest.remove_prefix(digits);
  return digits > 1;
}

}  // namespace

Result<int> timezone_offset(std::string_view timezone) {
  int minutes = 0;
  if (parse_offset(timezone, minutes)) return minutes;
  const auto zone = std::ranges::find(kZones, timezone, &Zone::name);
  if (zone != std::end(kZones)) return zone->minutes;
  return Error{ErrorCode::kInvalidArgument,
               "timezone \"" + std::string(timezone) +
                   "\" is not known here; give its offset, such as +08:00",
               "timezone"};
}

Result<std::string> parse_reference_time(std::string_view written, std::string_view timezone) {
  if (written == "none") return std::string(written);
  const Error wrong{ErrorCode::kInvalidArgument,
                    "reference_time must be ISO 8601, such as 2026-11-30T09:00:00+08:00, or none; "
                    "not \"" +
                        std::string(written) + "\"",
                    "reference_time"};
  Moment moment;
  moment.year = number_at(written, 0, 4);
  moment.month = number_at(written, 5, 2);
  moment.day = number_at(written, 8, 2);
  if (moment.year < 0 || moment.month < 0 || moment.day < 0 || written[4] != '-' ||
      written[7] != '-')
    return wrong;
  std::string_view rest = written.substr(10);
  if (!take_time(rest, moment) || !in_calendar(moment)) return wrong;
  int offset = 0;
  if (rest.empty()) {
    SEQGPT_ASSIGN(offset, timezone_offset(timezone));
  } else if (rest != "Z" && !parse_offset(rest, offset)) {
    return wrong;
  }
  return written_out(moment, offset);
}

std::string format_reference_time(int64_t seconds, int offset_minutes) {
  namespace chrono = std::chrono;
  const chrono::sys_seconds local{chrono::seconds(seconds + int64_t{60} * offset_minutes)};
  const auto day = chrono::floor<chrono::days>(local);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss time(local - day);
  return written_out(
      {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
       static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(time.hours().count()),
       static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count())},
      offset_minutes);
}

}  // namespace seqgpt
