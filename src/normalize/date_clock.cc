// SPDX-License-Identifier: Apache-2.0
// Times of the day: 三点一刻, 15:30, 3pm, 凌晨.
#include "normalize/date_reader.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

DayPart take_part(Cursor& cursor) {
  if (cursor.take_any({U"凌晨", U"清晨", U"拂晓", U"黎明"})) return DayPart::kSmallHours;
  if (cursor.take_any({U"早上", U"早晨", U"早间", U"一大早", U"一早", U"清早", U"早", U"晨"}))
    return DayPart::kMorning;
  if (cursor.take_any({U"上午", U"午前"})) return DayPart::kForenoon;
  if (cursor.take_any({U"中午", U"晌午"})) return DayPart::kNoon;
  if (cursor.take_any({U"下午", U"午后", U"午间"})) return DayPart::kAfternoon;
  if (cursor.take_any({U"傍晚", U"黄昏"})) return DayPart::kDusk;
  if (cursor.take_any({U"半夜", U"深夜", U"午夜", U"后半夜", U"子夜"})) return DayPart::kMidnight;
  if (cursor.take_any({U"晚上", U"晚间", U"夜间", U"夜里", U"夜晚", U"晚", U"夜"}))
    return DayPart::kNight;
  if (cursor.take(U"白天")) return DayPart::kDaytime;
  return DayPart::kNone;
}

bool take_am_pm(Cursor& cursor, DateWords& out) {
  if (cursor.take_any({U"am", U"AM", U"a.m.", U"A.M.", U"a.m", U"A.M", U"Am"})) {
    out.part = DayPart::kAm;
    return true;
  }
  if (cursor.take_any({U"pm", U"PM", U"p.m.", U"P.M.", U"p.m", U"P.M", U"Pm"})) {
    out.part = DayPart::kPm;
    return true;
  }
  return false;
}

bool two_digits(Cursor& cursor, int& value) {
  if (!is_ascii_digit(cursor.peek()) || !is_ascii_digit(cursor.peek(1)) ||
      is_ascii_digit(cursor.peek(2)))
    return false;
  value = static_cast<int>(cursor.peek() - U'0') * 10 + static_cast<int>(cursor.peek(1) - U'0');
  cursor.skip(2);
  return true;
}

/// 15:30, 15:30:10, 11:00时
bool take_colons(Cursor& cursor, const Count& hour, DateWords& out) {
  int minute = 0;
  int second = 0;
  if (!hour.arabic || hour.digits > 2 || !cursor.take(U':') || !two_digits(cursor, minute))
    return false;
  out.hour = hour.value;
  out.minute = minute;
  if (cursor.take(U':')) {
    if (!two_digits(cursor, second)) return false;
    out.second = second;
    if (cursor.peek() == U'.' && is_ascii_digit(cursor.peek(1))) {
      cursor.skip();
      while (is_ascii_digit(cursor.peek())) cursor.skip();
    }
  }
  cursor.take_any({U"时", U"分"});
  take_am_pm(cursor, out);
  return true;
}

/// Behind 点 or 时: 半, 一刻, 二十分, 零五, 三十分十秒
bool take_minutes(Cursor& cursor, DateWords& out) {
  if (cursor.take(U'半')) {
    out.minute = 30;
    return true;
  }
  const size_t start = cursor.at();
  cursor.take(U'过');
  Count minute;
  if (!take_count(cursor, minute)) {
    cursor.go(start);
    return true;
  }
  if (cursor.take(U'刻')) {
    if (minute.value < 1 || minute.value > 3) return false;
    out.minute = minute.value * 15;
    return true;
  }
  const bool named = cursor.take(U'分');
  if (!named && minute.digits == 1) {
    cursor.go(start);
    return true;
  }
  out.minute = minute.value;
  cursor.take(U'钟');
  if (!named) return true;
  Count second;
  const size_t seconds = cursor.at();
  if (take_count(cursor, second) && cursor.take(U'秒')) {
    out.second = second.value;
  } else {
    cursor.go(seconds);
  }
  return true;
}

bool take_spoken(Cursor& cursor, const Count& hour, DateWords& out) {
  if (!cursor.take_any({U"点", U"时"})) return false;
  if (hour.digits > 2) return false;
  out.hour = hour.value;
  if (cursor.take(U'多')) out.approximate = true;
  if (cursor.take(U'钟') || cursor.take_any({U"整", U"正"})) return true;
  return take_minutes(cursor, out);
}

/// 差五分三点, 三点差一刻: minutes before the hour.
bool take_before(Cursor& cursor, int& minutes) {
  const size_t start = cursor.at();
  Count count;
  if (cursor.take(U'差') && take_count(cursor, count)) {
    minutes = count.value < 60 ? count.value : 0;
    if (cursor.take(U'刻')) minutes *= 15;
    cursor.take_any({U"分钟", U"分"});
    if (minutes >= 1 && minutes < 60) return true;
  }
  cursor.go(start);
  return false;
}

void go_back(DateWords& out, int minutes) {
  out.hour = (*out.hour + 23) % 24;
  out.minute = 60 - minutes;
}

bool take_hour(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  Count hour;
  if (!take_count(cursor, hour)) return false;
  const size_t behind = cursor.at();
  DateWords read = out;
  if (take_colons(cursor, hour, read)) {
    out = read;
    return true;
  }
  cursor.go(behind);
  read = out;
  if (hour.arabic && hour.digits <= 2 && take_am_pm(cursor, read)) {
    read.hour = hour.value;
    out = read;
    return true;
  }
  cursor.go(behind);
  if (take_spoken(cursor, hour, read)) {
    out = read;
    return true;
  }
  cursor.go(start);
  return false;
}

}  // namespace

bool take_clock(Cursor& cursor, DateWords& out) {
  const size_t start = cursor.at();
  cursor.take_any({U"大约", U"约", U"的"});
  const bool midday = cursor.take(U"正午");
  const DayPart part = midday ? DayPart::kNoon : take_part(cursor);
  out.part = part;
  cursor.take_any({U"大约", U"约", U"的"});
  int before = 0;
  const bool early = take_before(cursor, before);
  const bool clock = take_hour(cursor, out);
  if (early && !clock) {
    cursor.go(start);
    return false;
  }
  if (early || (clock && !out.minute && take_before(cursor, before))) go_back(out, before);
  if (!clock && midday) out.hour = 12;
  if (!clock && part == DayPart::kNone) {
    cursor.go(start);
    return false;
  }
  if (cursor.take_any({U"左右", U"许", U"前后"})) out.approximate = true;
  return true;
}

}  // namespace seqgpt
