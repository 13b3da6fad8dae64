// SPDX-License-Identifier: Apache-2.0
// Reading ISO 8601 moments and zone names; writing them back.
#include "normalize/reference_time.h"

#include <cstdio>
#include <cstdlib>

namespace seqgpt {
namespace {

struct NamedZone {
  std::string_view name;
  int offset_minutes;
};
constexpr NamedZone kZones[] = {
    {"UTC", 0},
    {"GMT", 0},
    {"Z", 0},
    {"Etc/UTC", 0},
    {"Etc/GMT", 0},
    {"Asia/Shanghai", 480},
    {"Asia/Chongqing", 480},
    {"Asia/Harbin", 480},
    {"Asia/Beijing", 480},
    {"PRC", 480},
    {"Asia/Hong_Kong", 480},
    {"Hongkong", 480},
    {"Asia/Macau", 480},
    {"Asia/Taipei", 480},
    {"Asia/Singapore", 480},
    {"Singapore", 480},
    {"Asia/Kuala_Lumpur", 480},
    {"Asia/Manila", 480},
    {"Asia/Tokyo", 540},
    {"Japan", 540},
    {"Asia/Seoul", 540},
    {"Asia/Bangkok", 420},
    {"Asia/Ho_Chi_Minh", 420},
    {"Asia/Jakarta", 420},
    {"Asia/Kolkata", 330},
    {"Asia/Dubai", 240},
    {"Asia/Urumqi", 360},
};

/// A reader of fixed digit fields.
class Digits {
 public:
  explicit Digits(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool number(size_t digits, int& out) {
    if (text_.size() - at_ < digits) return false;
    out = 0;
    for (const char c : text_.substr(at_, digits)) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + (c - '0');
    }
    at_ += digits;
    return true;
  }
  void skip_fraction() {
    if (!take('.') && !take(',')) return;
    while (!done() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

/// +08:00, -0330, +08
bool take_offset(Digits& in, int& minutes) {
  const bool minus = in.take('-');
  if (!minus && !in.take('+')) return false;
  int hours = 0;
  int rest = 0;
  if (!in.number(2, hours) || hours > 18) return false;
  const bool colon = in.take(':');
  if ((colon || !in.done()) && (!in.number(2, rest) || rest > 59)) return false;
  minutes = (hours * 60 + rest) * (minus ? -1 : 1);
  return true;
}

bool take_date(Digits& in, CivilTime& out) {
  return in.number(4, out.year) && in.take('-') && in.number(2, out.month) && in.take('-') &&
         in.number(2, out.day) && valid_date(out.year, out.month, out.day);
}

bool take_clock(Digits& in, CivilTime& out) {
  if (!in.number(2, out.hour) || !in.take(':') || !in.number(2, out.minute)) return false;
  if (in.take(':')) {
    if (!in.number(2, out.second)) return false;
    in.skip_fraction();
  }
  return out.hour < 24 && out.minute < 60 && out.second < 60;
}

Error bad_time(std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          "reference_time must be none or ISO 8601 such as 2026-11-30T09:00:00+08:00, not \"" +
              std::string(text.substr(0, 40)) + "\"",
          "reference_time"};
}

}  // namespace

Result<TimeZone> TimeZone::parse(std::string_view name) {
  for (const NamedZone& zone : kZones) {
    if (zone.name == name) return TimeZone{zone.offset_minutes};
  }
  Digits in(name);
  TimeZone zone;
  if (take_offset(in, zone.offset_minutes) && in.done()) return zone;
  return Error{ErrorCode::kInvalidArgument,
               "timezone \"" + std::string(name.substr(0, 40)) +
                   "\" is not known: give Asia/Shanghai, UTC or an offset such as +08:00",
               "timezone"};
}

Result<ReferenceTime> ReferenceTime::parse(std::string_view text, std::optional<TimeZone> zone) {
  if (text == "none") return ReferenceTime();
  Digits in(text);
  CivilTime time;
  if (!take_date(in, time)) return bad_time(text);
  if (in.done()) return ReferenceTime(time, zone.value_or(TimeZone()));
  if ((!in.take('T') && !in.take(' ') && !in.take('t')) || !take_clock(in, time))
    return bad_time(text);
  if (in.done()) return ReferenceTime(time, zone.value_or(TimeZone()));
  int offset = 0;
  if (!in.take('Z') && !in.take('z') && !take_offset(in, offset)) return bad_time(text);
  if (!in.done()) return bad_time(text);
  return at(seconds_of(time) - offset * 60, zone.value_or(TimeZone{offset}));
}

ReferenceTime ReferenceTime::at(int64_t unix_seconds, TimeZone zone) {
  constexpr int64_t kEarliest = -62135596800;  // 0001-01-01
  constexpr int64_t kLatest = 253402300799;    // 9999-12-31
  const int64_t local = unix_seconds + zone.offset_minutes * 60;
  const int64_t kept = local < kEarliest ? kEarliest : (local > kLatest ? kLatest : local);
  return {civil_of_seconds(kept), zone};
}

std::string ReferenceTime::text() const {
  if (!given()) return "none";
  char out[64];
  const int offset = std::abs(zone_.offset_minutes);
  std::snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", local_->year,
                local_->month, local_->day, local_->hour, local_->minute, local_->second,
                zone_.offset_minutes < 0 ? '-' : '+', offset / 60, offset % 60);
  return out;
}

}  // namespace seqgpt
