// SPDX-License-Identifier: Apache-2.0
// Windows around the reference time: 近30天, 未来7天, 17天内.
#include "normalize/date_range.h"
#include "normalize/date_reader.h"
#include "normalize/duration.h"

namespace seqgpt {
namespace {

Period moment(CivilTime at, bool whole_days) {
  Period out;
  if (whole_days) {
    at.hour = at.minute = at.second = 0;
    out.unit = DateUnit::kDay;
  } else {
    out.unit = at.second == 0 ? DateUnit::kMinute : DateUnit::kSecond;
  }
  out.first = out.last = at;
  return out;
}

DateRange failed(std::string_view reason) {
  DateRange out;
  out.reason = reason;
  return out;
}

}  // namespace

/// 近30天, 过去三年, 最近10分钟, 未来7天, 17天内: from or to the reference time.
DateRange read_window(Folded text, const ReferenceTime& reference) {
  Cursor cursor(text);
  const bool past = cursor.take_any({U"最近的", U"最近", U"过去的", U"过去", U"近来", U"近"});
  const bool future = !past && cursor.take_any({U"未来的", U"未来", U"今后的", U"今后", U"接下来的",
                                                U"接下来", U"之后", U"还剩"});
  Duration length;
  if (!take_duration(cursor, length) || length.business_days) return failed("not_a_date");
  const bool within = cursor.take_any({U"以内", U"之内", U"内"});
  cursor.take_any({U"来", U"里", U"间"});
  if (!cursor.at_end() || (!past && !future && !within)) return failed("not_a_date");
  if (!reference.given()) return failed("needs_reference_time");
  DateWords::Shift shift;
  if (!to_shift(length, shift)) return failed("out_of_range");
  const CivilTime now = reference.local();
  const std::optional<CivilTime> other = moved(now, shift, past ? -1 : 1);
  if (!other) return failed("out_of_range");
  const bool whole_days = shift.seconds == 0;
  DateRange out;
  out.approximate = length.approximate;
  out.start = moment(past ? *other : now, whole_days);
  out.end = moment(past ? now : *other, whole_days);
  return out;
}

}  // namespace seqgpt
