// SPDX-License-Identifier: Apache-2.0
// The grammar of numbers: values, ranges, comparisons, ordinals.
#include "normalize/number.h"

#include <algorithm>

#include "normalize/fold.h"
#include "normalize/measure.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

using Bound = Wording::Bound;

constexpr std::string_view kNotNumber = "not_a_number";
constexpr std::string_view kTooManyDigits = "too_many_digits";

/// What is counted; only these may stand behind a number.
bool take_counter(Cursor& cursor) {
  return cursor.take_any(
      {U"平方米", U"平方公里", U"立方米", U"公顷", U"公里", U"千米", U"厘米", U"毫米", U"米",
       U"千克",   U"公斤",     U"毫克",   U"克",   U"斤",   U"吨",   U"毫升", U"升",   U"亩",
       U"人次",   U"个人",     U"人",     U"名",   U"位",   U"个",   U"台",   U"套",   U"件",
       U"份",     U"家",       U"次",     U"项",   U"只",   U"条",   U"张",   U"户",   U"辆",
       U"间",     U"栋",       U"页",     U"册",   U"本",   U"箱",   U"批",   U"股",   U"倍",
       U"票",     U"字",       U"岁",     U"瓶",   U"支",   U"把",   U"架",   U"艘",   U"座",
       U"棵",     U"头",       U"匹",     U"盒",   U"包",   U"袋",   U"桶",   U"块",   U"卷",
       U"片",     U"幅",       U"门",     U"所",   U"层",   U"楼",   U"级",   U"届",   U"期",
       U"章",     U"节",       U"款",     U"行",   U"集",   U"部",   U"对",   U"双",   U"打",
       U"分",     U"死",       U"伤",     U"例",   U"宗",   U"起",   U"枚",   U"亿股", U"万股",
       U"㎡",     U"m²",       U"m2",     U"km",   U"kg",   U"cm",   U"mm",   U"度",   U"千瓦时",
       U"千瓦",   U"兆瓦",     U"GB",     U"MB",   U"TB",   U"℃"});
}

struct Ends {
  std::optional<Decimal> low;
  std::optional<Decimal> high;
  bool low_inclusive = true;
  bool high_inclusive = true;

  void set(const Wording& wording, const Decimal& value) {
    if (wording.bound == Bound::kAbove) {
      low = value;
      low_inclusive = wording.inclusive;
    } else {
      high = value;
      high_inclusive = wording.inclusive;
    }
  }
};

std::optional<std::string> digits(const std::optional<Decimal>& value) {
  if (!value) return std::nullopt;
  return value->text();
}

Normalized comparison(const Ends& ends) {
  Normalized out{.kind = "number", .fields = {}, .flat = {}, .reason = {}};
  const auto inclusive = [&out](std::string_view name, bool given, bool value) {
    if (given) {
      out.add(name, value);
    } else {
      out.add(name, nullptr);
    }
  };
  out.add("low", digits(ends.low));
  out.add("high", digits(ends.high));
  inclusive("low_inclusive", ends.low.has_value(), ends.low_inclusive);
  inclusive("high_inclusive", ends.high.has_value(), ends.high_inclusive);
  out.flat = {Flat::Shape::kLowHigh, digits(ends.low), digits(ends.high)};
  return out;
}

Normalized interval(const Decimal& low, const Decimal& high, bool approximate) {
  if (low.compare(high) > 0) return no_value("low_above_high");
  Normalized out{.kind = "number", .fields = {}, .flat = {}, .reason = {}};
  out.add("low", low.text());
  out.add("high", high.text());
  if (approximate) out.add("approx", true);
  out.flat = {Flat::Shape::kLowHigh, low.text(), high.text()};
  return out;
}

Normalized single(const Quantity& value, const Wording& wording) {
  Normalized out{.kind = "number", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", value.low().text());
  if (!value.fraction.empty()) out.add("fraction", value.fraction);
  if (wording.approximate || wording.nearly) out.add("approx", true);
  out.flat = {Flat::Shape::kNumber, value.low().text(), {}};
  return out;
}

/// 大于10并且小于20, 不大于50不小于20, 比三十大
Normalized read_comparisons(Cursor cursor) {
  Ends ends;
  int clauses = 0;
  Wording wording;
  Quantity value;
  while (!cursor.at_end() && clauses < 2) {
    if (clauses > 0) cursor.take_any({U"并且", U"而且", U"并", U"且", U"但", U",", U"和"});
    wording = Wording();
    const bool than = cursor.take(U'比');
    const bool before = !than && take_comparison(cursor, wording);
    if (!take_number(cursor, value) || value.numeral.spans) break;
    if (!value.fits()) return no_value(kTooManyDigits);
    if (than) {
      const bool more = cursor.take_any({U"大", U"多", U"高"});
      if (!more && !cursor.take_any({U"小", U"少", U"低"})) break;
      wording.bound = more ? Bound::kAbove : Bound::kBelow;
      wording.inclusive = false;
    }
    take_counter(cursor);
    if (!than && !before) take_wording_after(cursor, wording);  // 30以上50以下
    if (!wording.any_bound()) break;
    ends.set(wording, value.low());
    ++clauses;
  }
  if (clauses == 0 || !cursor.at_end()) return no_value(kNotNumber);
  return comparison(ends);
}

/// 介于…和…之间, …与…间, …到…
bool take_upper_end(Cursor& cursor, Quantity& high) {
  const size_t start = cursor.at();
  if (take_range_mark(cursor)) {
    if (take_number(cursor, high)) return true;
  } else if (cursor.take_any({U"和", U"与"}) && take_number(cursor, high)) {
    if (cursor.sees(U"之间") || cursor.sees(U"间")) return true;
  }
  cursor.go(start);
  return false;
}

void add_unit(Normalized& out, Folded unit) {
  if (!unit.empty() && out.has_value()) out.add("unit", to_utf8(unit));
}

/// A counter, and up to four characters of what is counted: 300人, 1700名员工.
Folded take_unit(Cursor& cursor) {
  constexpr size_t kLongestNoun = 4;
  const size_t start = cursor.at();
  if (!take_counter(cursor)) return {};
  const Folded noun = cursor.rest();
  const bool plain =
      noun.size() <= kLongestNoun && std::all_of(noun.begin(), noun.end(), [](char32_t c) {
        return c >= U'一' && c <= U'龥' && chinese_digit(c) < 0 && unit_exponent(c) == 0 &&
               Folded(U"以到至和与或左上下之及多余").find(c) == Folded::npos;
      });
  if (plain) cursor.skip(noun.size());
  return cursor.since(start);
}

Normalized read_values(Cursor cursor) {
  Wording wording;
  take_wording_before(cursor, wording);
  cursor.take_any({U"介于", U"在"});
  Quantity low;
  if (!take_number(cursor, low)) return no_value(kNotNumber);
  Folded unit = take_unit(cursor);
  Quantity high;
  const bool range = take_upper_end(cursor, high);
  if (range) {
    if (unit.empty()) share_units(low, high);
    cursor.take_any({U"之间", U"间"});
    if (const Folded last = take_unit(cursor); !last.empty()) unit = last;
  }
  if (cursor.take_any({U"多", U"余"})) wording.approximate = true;
  take_wording_after(cursor, wording);
  if (!cursor.at_end()) return no_value(kNotNumber);
  if (!low.fits() || !high.fits()) return no_value(kTooManyDigits);
  Normalized out;
  if (range || low.numeral.spans) {
    out = interval(low.low(), range ? high.high() : low.high(), !range || wording.approximate);
  } else if (wording.any_bound()) {
    Ends ends;
    ends.set(wording, low.low());
    out = comparison(ends);
  } else {
    out = single(low, wording);
  }
  add_unit(out, unit);
  return out;
}

Normalized read_ordinal(Cursor cursor) {
  Numeral numeral;
  if (!take_numeral(cursor, numeral) || numeral.spans || !numeral.low.whole())
    return no_value(kNotNumber);
  const Folded unit = take_unit(cursor);
  if (!cursor.at_end()) return no_value(kNotNumber);
  if (!numeral.low.fits()) return no_value(kTooManyDigits);
  Normalized out{.kind = "ordinal", .fields = {}, .flat = {}, .reason = {}};
  out.add("value", numeral.low.text());
  add_unit(out, unit);
  out.flat = {Flat::Shape::kNumber, numeral.low.text(), {}};
  return out;
}

}  // namespace

Normalized normalize_number(Folded text) {
  Cursor cursor(text);
  if (cursor.take(U'第')) return read_ordinal(cursor);
  cursor.take_any({U"共计", U"合计", U"总计", U"总共", U"共", U"计", U"等于", U"从"});
  Normalized out = read_values(cursor);
  if (out.has_value() || out.reason != kNotNumber) return out;
  return read_comparisons(cursor);
}

}  // namespace seqgpt
