// SPDX-License-Identifier: Apache-2.0
// The grammar of durations.
#include "normalize/duration.h"

#include "normalize/fold.h"
#include "normalize/measure.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotDuration = "not_a_duration";

enum class Unit {
  kNone,
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kWorkDay,
  kHour,
  kQuarterHour,
  kMinute,
  kSecond
};

Unit take_unit(Cursor& cursor) {
  if (cursor.take_any({U"年", U"周年", U"周岁"})) return Unit::kYear;
  if (cursor.take_any({U"季度", U"季"})) return Unit::kQuarter;
  if (cursor.take_any({U"月"})) return Unit::kMonth;
  if (cursor.take_any({U"周", U"星期", U"礼拜"})) return Unit::kWeek;
  if (cursor.take_any({U"工作日", U"交易日", U"营业日", U"工作天"})) return Unit::kWorkDay;
  if (cursor.take_any({U"自然日", U"日历日", U"日历天", U"天", U"日", U"昼夜"})) return Unit::kDay;
  if (cursor.take_any({U"小时", U"钟头", U"钟", U"h", U"H"})) return Unit::kHour;
  if (cursor.take_any({U"刻钟", U"刻"})) return Unit::kQuarterHour;
  if (cursor.take_any({U"分钟", U"分", U"min"})) return Unit::kMinute;
  if (cursor.take_any({U"秒钟", U"秒", U"s"})) return Unit::kSecond;
  return Unit::kNone;
}

void add(Duration& out, Unit unit, const Decimal& count) {
  const auto plus = [&count](Decimal& part, int64_t each) { part = part + count * Decimal(each); };
  switch (unit) {
    case Unit::kYear:
      return plus(out.years, 1);
    case Unit::kQuarter:
      return plus(out.months, 3);
    case Unit::kMonth:
      return plus(out.months, 1);
    case Unit::kWeek:
      return plus(out.weeks, 1);
    case Unit::kWorkDay:
      out.business_days = true;
      return plus(out.days, 1);
    case Unit::kDay:
      return plus(out.days, 1);
    case Unit::kHour:
      return plus(out.hours, 1);
    case Unit::kQuarterHour:
      return plus(out.minutes, 15);
    case Unit::kMinute:
      return plus(out.minutes, 1);
    case Unit::kSecond:
      return plus(out.seconds, 1);
    case Unit::kNone:
      return;
  }
}

/// Half of a unit in the next smaller one: half a year is six months, half a day twelve hours.
void add_half(Duration& out, Unit unit) {
  switch (unit) {
    case Unit::kYear:
      return add(out, Unit::kMonth, 6);
    case Unit::kQuarter:
      add(out, Unit::kMonth, 1);
      return add(out, Unit::kDay, 15);
    case Unit::kMonth:
      return add(out, Unit::kDay, 15);
    case Unit::kWeek:
      return add(out, Unit::kHour, 84);
    case Unit::kDay:
    case Unit::kWorkDay:
      return add(out, Unit::kHour, 12);
    case Unit::kHour:
      return add(out, Unit::kMinute, 30);
    case Unit::kMinute:
      return add(out, Unit::kSecond, 30);
    case Unit::kQuarterHour:
      return add(out, Unit::kSecond, 450);
    case Unit::kSecond:
      return add(out, Unit::kSecond, Decimal(5, 1));
    case Unit::kNone:
      return;
  }
}

struct Part {
  Decimal count;
  Decimal high;
  bool half = false;         // 一个半, 半
  bool approximate = false;  // 多, 几
  bool spans = false;
  Unit unit = Unit::kNone;
};

void add_part(Duration& out, const Part& part, bool upper = false) {
  add(out, part.unit, upper ? part.high : part.count);
  if (part.half) add_half(out, part.unit);
  out.approximate = out.approximate || part.approximate;
}

/// 四个多星期, 一个半小时, 半年, 两年半, 1.5小时
bool take_part(Cursor& cursor, Part& part) {
  const size_t start = cursor.at();
  if (cursor.take(U'半')) {
    part.half = true;
  } else if (cursor.sees(U"个半")) {  // 个半小时
    part.count = part.high = Decimal(1);
  } else {
    Quantity quantity;
    if (!take_signed(cursor, quantity) || quantity.low().negative()) {
      cursor.go(start);
      return false;
    }
    part.count = quantity.low();
    part.high = quantity.high();
    part.approximate = quantity.numeral.approximate;
    part.spans = quantity.numeral.spans && !quantity.numeral.approximate;
  }
  cursor.take_any({U"个", U"整"});  // 一整天
  if (!part.half) part.half = cursor.take(U'半');
  if (cursor.take_any({U"多", U"余", U"来"})) part.approximate = true;
  part.unit = take_unit(cursor);
  if (part.unit == Unit::kNone) {
    cursor.go(start);
    return false;
  }
  if (cursor.take_any({U"多", U"余"})) part.approximate = true;
  if (!part.half && cursor.peek() == U'半' && cursor.peek(1) != U'天' && cursor.peek(1) != U'年') {
    cursor.skip();
    part.half = true;
    if (part.unit == Unit::kMinute || part.unit == Unit::kSecond) cursor.take(U'钟');
  }
  return true;
}

/// 1.5小时 is an hour and a half; 2621.2小时 stays in hours unless the rest is whole minutes.
void split_half(Duration& out) {
  const auto half = Decimal(5, 1);
  const auto split = [&half](Decimal& part, Decimal& next, int64_t count) {
    const Decimal rest = part - half;
    if (!part.fits() || part.whole() || !rest.whole() || rest.negative()) return;
    part = rest;
    next = next + Decimal(count);
  };
  split(out.hours, out.minutes, 30);
  split(out.minutes, out.seconds, 30);
  split(out.days, out.hours, 12);
  split(out.years, out.months, 6);
  split(out.months, out.days, 15);
}

std::string shown(const Decimal& value, char letter) {
  return value.zero() ? "" : value.text() + letter;
}

bool take_duration_span(Cursor& cursor, Duration& low, Duration& high, bool& spans) {
  Part part;
  if (!take_part(cursor, part)) return false;
  spans = part.spans;
  low = Duration();
  high = Duration();
  add_part(low, part);
  add_part(high, part, true);
  if (part.half && part.count.zero()) high = low;
  for (int more = 0; more < 8; ++more) {
    const size_t start = cursor.at();
    cursor.take_any({U"又", U"零", U"余", U"和", U","});
    Part next;
    const bool later = take_part(cursor, next) && !next.spans && next.unit > part.unit;
    if (!later) {
      cursor.go(start);
      break;
    }
    add_part(low, next);
    add_part(high, next);
    part = next;
  }
  split_half(low);
  split_half(high);
  return true;
}

Normalized described(std::optional<std::string> low, std::optional<std::string> high,
                     const Duration& sample, bool approximate) {
  Normalized out{.kind = "duration", .fields = {}, .flat = {}, .reason = {}};
  out.add("low", low);
  out.add("high", high);
  if (sample.business_days) out.add("business_days", true);
  if (approximate) out.add("approx", true);
  out.flat = {Flat::Shape::kLowHighText, std::move(low), std::move(high)};
  return out;
}

Normalized exactly(const Duration& value, bool approximate) {
  Normalized out{.kind = "duration", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", value.iso());
  if (value.business_days) out.add("business_days", true);
  if (approximate) out.add("approx", true);
  out.flat = {Flat::Shape::kText, value.iso(), {}};
  return out;
}

/// 3~6个月, 两万四千到3万秒: a bare figure before a range mark, which takes the unit behind it.
bool take_bare_range(Cursor& cursor, Duration& low, Duration& high) {
  Quantity first;
  Part last;
  if (!take_signed(cursor, first) || first.low().negative() || !take_range_mark(cursor))
    return false;
  Quantity upper;
  const size_t start = cursor.at();
  if (!take_signed(cursor, upper)) return false;
  cursor.go(start);
  if (!take_part(cursor, last) || last.spans) return false;
  share_units(first, upper);
  Part begin = last;
  begin.count = first.low();
  begin.half = false;
  low = Duration();
  high = Duration();
  add_part(low, begin);
  add_part(high, last);
  return true;
}

void take_lead(Cursor& cursor) {
  while (cursor.take_any({U"为期", U"期限", U"有效期", U"共计", U"合计", U"总计", U"总共", U"历时",
                          U"长达", U"整整", U"有期徒刑", U"拘役", U"管制", U"满", U"共", U"为"})) {
  }
}

/// 自合同签订之日起12个月: what the time runs from.
void skip_event(Cursor& cursor) {
  constexpr std::u32string_view kMark = U"之日起";
  const size_t at = cursor.rest().find(kMark);
  if (at == Folded::npos) return;
  cursor.skip(at + kMark.size());
  cursor.take_any({U"计算", U"计", U"的"});
}

/// 6天5晚: the nights say nothing more.
void take_nights(Cursor& cursor) {
  const size_t start = cursor.at();
  Count nights;
  if (!take_count(cursor, nights) || !cursor.take_any({U"晚", U"夜"})) cursor.go(start);
}

/// 十五年以上,30年以下
Normalized read_two_bounds(const Duration& first, const Wording& wording, Cursor cursor) {
  cursor.take(U',');
  Duration second;
  Duration unused;
  bool spans = false;
  Wording other;
  take_wording_before(cursor, other);
  if (!take_duration_span(cursor, second, unused, spans) || spans) return no_value(kNotDuration);
  take_wording_after(cursor, other);
  const bool opposite = wording.any_bound() && other.any_bound() && wording.bound != other.bound;
  if (!cursor.at_end() || !opposite) return no_value(kNotDuration);
  const bool rising = wording.bound == Wording::Bound::kAbove;
  return described((rising ? first : second).iso(), (rising ? second : first).iso(), first, false);
}

Normalized read_span(Cursor cursor, const Wording& before) {
  Duration low;
  Duration high;
  bool spans = false;
  Wording wording = before;
  if (!take_duration_span(cursor, low, high, spans)) return no_value(kNotDuration);
  take_nights(cursor);
  cursor.take_any({U"以内", U"之内", U"内", U"期限", U"期"});
  take_wording_after(cursor, wording);
  bool range = false;
  if (!cursor.at_end() && take_range_mark(cursor)) {
    bool unused = false;
    Duration ignored;
    if (!take_duration_span(cursor, high, ignored, unused)) return no_value(kNotDuration);
    take_wording_after(cursor, wording);
    range = true;
  }
  if (!low.fits() || !high.fits()) return no_value("too_many_digits");
  if (!cursor.at_end())
    return range ? no_value(kNotDuration) : read_two_bounds(low, wording, cursor);
  const bool approximate = wording.approximate || wording.nearly || low.approximate;
  if (range || spans) return described(low.iso(), high.iso(), low, approximate || !range);
  const bool above = wording.bound == Wording::Bound::kAbove;
  const bool within = !above && wording.any_bound();
  if (above) return described(low.iso(), std::nullopt, low, approximate);
  if (within) return described("P0D", low.iso(), low, approximate);
  return exactly(low, approximate);
}

}  // namespace

bool Duration::fits() const {
  return years.fits() && months.fits() && weeks.fits() && days.fits() && hours.fits() &&
         minutes.fits() && seconds.fits();
}

std::string Duration::iso() const {
  const std::string date =
      shown(years, 'Y') + shown(months, 'M') + shown(weeks, 'W') + shown(days, 'D');
  const std::string time = shown(hours, 'H') + shown(minutes, 'M') + shown(seconds, 'S');
  if (date.empty() && time.empty()) return "P0D";
  return "P" + date + (time.empty() ? "" : "T" + time);
}

bool take_duration(Cursor& cursor, Duration& out) {
  Duration high;
  bool spans = false;
  const size_t start = cursor.at();
  if (take_duration_span(cursor, out, high, spans) && !spans) return true;
  cursor.go(start);
  return false;
}

Normalized normalize_duration(Folded text) {
  Cursor cursor(text);
  skip_event(cursor);
  take_lead(cursor);
  Wording wording;
  take_wording_before(cursor, wording);
  Normalized out = read_span(cursor, wording);
  if (out.has_value()) return out;
  Duration low;
  Duration high;
  if (!take_bare_range(cursor, low, high)) return out;
  take_wording_after(cursor, wording);
  cursor.take(U'内');
  if (!cursor.at_end() || !low.fits() || !high.fits()) return out;
  return described(low.iso(), high.iso(), low, wording.approximate || low.approximate);
}

}  // namespace seqgpt
