// SPDX-License-Identifier: Apache-2.0
// The grammar of amounts: currency, figure, 元角分, pay periods, ranges.
#include "normalize/amount.h"

#include <algorithm>

#include "normalize/currency.h"
#include "normalize/fold.h"
#include "normalize/measure.h"
#include "normalize/wording.h"

namespace seqgpt {
namespace {

constexpr std::string_view kNotAmount = "not_an_amount";
constexpr int kShownDecimals = 2;

struct Money {
  Quantity quantity;
  std::string_view currency;  // empty: not named
  bool has_unit = false;      // 元, 角, a currency: the figure is complete
};

/// 角 毛 分 厘 as powers of ten of the main unit, 0 when there is none; 美分 and its like name
/// their currency.
int take_sub_unit(Cursor& cursor, std::string_view& currency) {
  const auto foreign = [&](Folded word, std::string_view code) {
    if (!cursor.take(word)) return false;
    currency = code;
    return true;
  };
  if (cursor.take_any({U"角", U"毛"})) return -1;
  if (cursor.sees(U"分之")) return 0;
  if (foreign(U"美分", "USD") || foreign(U"欧分", "EUR") || foreign(U"港仙", "HKD") ||
      foreign(U"便士", "GBP") || cursor.take_any({U"分", U"仙"}))
    return -2;
  return cursor.take(U'厘') ? -3 : 0;
}

void add_to(Money& money, const Decimal& value) {
  money.quantity.numeral.low = money.quantity.numeral.low + value;
  money.quantity.numeral.high = money.quantity.numeral.high + value;
}

/// Behind 元, 角 or 分: 五角八分, 零二分, 六 (角), 零四 (分). `last` is the unit just read (0 is
/// 元).
bool take_small_change(Cursor& cursor, Money& money, int last) {
  for (;;) {
    const size_t start = cursor.at();
    const bool zero = cursor.peek() == U'零' && chinese_digit(cursor.peek(1)) > 0;
    if (zero) cursor.skip();
    Numeral part;
    if (!take_numeral(cursor, part)) {
      cursor.go(start);
      return true;
    }
    const bool digit = part.lone_exponent == 0 || part.low.zero();
    std::string_view named;
    int unit = take_sub_unit(cursor, named);
    if (!named.empty()) money.currency = named;
    if (unit == 0) unit = zero && last == 0 ? -2 : last - 1;
    const bool whole_figure = digit || part.low.compare(Decimal(100)) < 0;
    if (!whole_figure || unit >= last || unit < -3 || part.spans) {
      cursor.go(start);
      return false;
    }
    add_to(money, part.low.shifted(unit));
    last = unit;
  }
}

std::string_view take_period(Cursor& cursor) {
  const size_t start = cursor.at();
  const bool marked = cursor.take_any({U"/每", U"/", U"每个", U"每", U"一个", U"一", U"·"});
  if (marked) {
    if (cursor.take_any({U"天", U"日", U"day"})) return "day";
    if (cursor.take_any({U"月", U"month"})) return "month";
    if (cursor.take_any({U"年", U"year"})) return "year";
    if (cursor.take_any({U"小时", U"时", U"h", U"hour"})) return "hour";
  }
  cursor.go(start);
  return {};
}

/// 元/吨, 元/人, 元每平方米: what the amount is for one of.
Folded take_per(Cursor& cursor) {
  constexpr size_t kLongest = 4;
  const size_t start = cursor.at();
  if (!cursor.take(U'/') && !cursor.take(U'每')) return {};
  const Folded rest = cursor.rest().substr(0, cursor.rest().find_first_of(U"-~"));
  const bool word = !rest.empty() && rest.size() <= kLongest &&
                    std::all_of(rest.begin(), rest.end(), [](char32_t c) {
                      return (c >= U'一' && c <= U'龥') || is_ascii_letter(c) || c == U'²';
                    });
  if (!word) {
    cursor.go(start);
    return {};
  }
  cursor.skip(rest.size());
  return rest;
}

std::string_view take_pay_word(Cursor& cursor) {
  if (cursor.take_any({U"年薪", U"年收入", U"每年", U"年租金"})) return "year";
  if (cursor.take_any({U"月薪", U"月收入", U"每个月", U"每月", U"月租金", U"月租"})) return "month";
  if (cursor.take_any({U"日薪", U"每天", U"每日"})) return "day";
  if (cursor.take_any({U"时薪", U"每小时"})) return "hour";
  return {};
}

/// Words before the figure that say nothing about it.
void take_lead(Cursor& cursor) {
  while (cursor.take_any({U"共计", U"合计", U"总计", U"总共", U"累计", U"总额", U"金额", U"大写",
                          U"小写", U"税前", U"税后", U"含税", U"估算", U"折合", U"约合", U"为",
                          U"共", U"计", U":"})) {
  }
}

/// 最高成交价为, 每股价格, 单价: what the figure is the price of.
void take_price_word(Cursor& cursor) {
  const size_t start = cursor.at();
  cursor.take_any({U"最高", U"最低", U"平均", U"每股"});
  cursor.take_any({U"成交", U"发行", U"交易", U"转让", U"回购"});
  if (!cursor.take_any({U"价格", U"价款", U"均价", U"单价", U"总价", U"售价", U"报价", U"价"}))
    cursor.go(start);
}

/// 人民币 1,234.56 元 整
bool take_money(Cursor& cursor, Money& money, Wording& wording) {
  take_lead(cursor);
  bool minus = cursor.take_any({U"负", U"-"});
  money.currency = take_currency(cursor);
  if (!money.currency.empty()) {
    cursor.take_any({U"大写", U":"});
    cursor.take(U':');
    const std::string_view second = take_currency(cursor);  // 人民币¥
    if (!second.empty()) money.currency = second;
    take_wording_before(cursor, wording);  // 人民币约5万元
    minus = cursor.take_any({U"负", U"-"}) || minus;
  }
  if (!take_numeral(cursor, money.quantity.numeral)) return false;
  if (cursor.take_any({U"余", U"多"})) money.quantity.numeral.approximate = true;  // 4.63亿余元
  cursor.take(U'个');
  money.has_unit = !money.currency.empty();
  const bool main_unit = take_main_unit(cursor);
  std::string_view named = take_currency(cursor);
  const int unit = main_unit || !named.empty() ? 0 : take_sub_unit(cursor, named);
  if (unit != 0) {
    Numeral& numeral = money.quantity.numeral;
    numeral.low = numeral.low.shifted(unit);
    numeral.high = numeral.high.shifted(unit);
  }
  if (main_unit || !named.empty() || unit != 0) {
    if (!take_small_change(cursor, money, unit)) return false;
    money.has_unit = true;
    if (named.empty()) named = take_currency(cursor);  // 一千元人民币
    if (money.currency.empty()) money.currency = named.empty() ? "CNY" : named;
    if (!named.empty() && named != money.currency) return false;  // ¥100美元
  }
  if (cursor.take_any({U"多", U"余"})) money.quantity.numeral.approximate = true;
  cursor.take_any({U"钱"});
  cursor.take_any({U"整", U"正"});
  if (minus) {
    Numeral& numeral = money.quantity.numeral;
    const Decimal low = numeral.low;
    numeral.low = -numeral.high;
    numeral.high = -low;
  }
  return true;
}

struct Amount {
  Money low;
  Money high;
  bool range = false;
  Wording wording;
  std::string_view period;
};

/// A bare lower end takes the upper one's units and currency; each end the other's currency.
bool agree(Amount& amount) {
  if (!amount.low.has_unit || amount.low.quantity.numeral.scale == 0) {
    const bool figure_alone = !amount.low.has_unit || amount.high.has_unit;
    if (figure_alone && (!amount.low.has_unit || !amount.low.currency.empty()))
      share_units(amount.low.quantity, amount.high.quantity);
  }
  std::string_view& low = amount.low.currency;
  std::string_view& high = amount.high.currency;
  if (low.empty()) low = high;
  if (high.empty()) high = low;
  return low == high;
}

Normalized value_of(const Amount& amount) {
  const Numeral& first = amount.low.quantity.numeral;
  const Decimal& last = amount.high.quantity.numeral.high;
  if (!first.low.fits() || !last.fits()) return no_value("too_many_digits");
  const bool spans = amount.range || first.spans;
  if (spans && first.low.compare(last) > 0) return no_value("low_above_high");
  Normalized out{.kind = "amount", .fields = {}, .flat = {}, .reason = {}};
  if (spans) {
    out.add("low", first.low.text(kShownDecimals));
    out.add("high", last.text(kShownDecimals));
    out.flat = {Flat::Shape::kLowHigh, first.low.text(), last.text()};
  } else {
    out.add("value", first.low.text(kShownDecimals));
    out.flat = {Flat::Shape::kNumber, first.low.text(), {}};
  }
  if (amount.low.currency.empty()) {
    out.add("currency", nullptr);
  } else {
    out.add("currency", amount.low.currency);
  }
  const Wording& wording = amount.wording;
  if (!amount.period.empty()) out.add("period", amount.period);
  if (wording.approximate || (first.spans && !amount.range) || first.approximate)
    out.add("approx", true);
  if (wording.any_bound()) {
    out.add("bound", wording.bound_name());
  } else if (wording.nearly) {
    out.add("bound", "below");
  }
  return out;
}

/// 20k·14薪: pay by the month, so many months a year.
bool take_salary_months(Cursor& cursor) {
  const size_t start = cursor.at();
  Count months;
  if ((cursor.take(U'·') || cursor.take(U'*')) && take_count(cursor, months) &&
      cursor.take_any({U"薪", U"个月"}))
    return true;
  cursor.go(start);
  return false;
}

/// 五万元以上五十万元以下: the upper end behind a lower one.
bool take_upper_bound(Cursor& cursor, Amount& amount) {
  const size_t start = cursor.at();
  if (amount.range || amount.wording.bound != Wording::Bound::kAbove) return false;
  cursor.take(U',');
  Wording upper;
  take_wording_before(cursor, upper);
  if (take_money(cursor, amount.high, upper)) {
    take_wording_after(cursor, upper);
    amount.range = upper.bound == Wording::Bound::kBelow && agree(amount);
  }
  if (amount.range) {
    amount.wording.bound = Wording::Bound::kNone;
  } else {
    amount.high = amount.low;
    cursor.go(start);
  }
  return amount.range;
}

Normalized read_amount(Folded text) {
  Cursor cursor(text);
  Amount amount;
  take_price_word(cursor);
  take_lead(cursor);
  amount.period = take_pay_word(cursor);
  take_lead(cursor);
  take_wording_before(cursor, amount.wording);
  if (!take_money(cursor, amount.low, amount.wording)) return no_value(kNotAmount);
  std::string_view period = take_period(cursor);
  Folded per = take_per(cursor);
  amount.range = take_range_mark(cursor);
  if (amount.range) {
    if (!take_money(cursor, amount.high, amount.wording) || !agree(amount))
      return no_value(kNotAmount);
    period = take_period(cursor);
  } else {
    amount.high = amount.low;
  }
  if (amount.period.empty()) amount.period = period;
  if (take_salary_months(cursor) && amount.period.empty()) amount.period = "month";
  cursor.take_any({U"之间", U"间", U"不等"});
  take_wording_after(cursor, amount.wording);
  if (!cursor.at_end()) take_upper_bound(cursor, amount);
  if (amount.period.empty()) amount.period = take_period(cursor);
  if (const Folded last = take_per(cursor); !last.empty()) per = last;
  if (!cursor.at_end()) return no_value(kNotAmount);
  Normalized out = value_of(amount);
  if (out.has_value() && !per.empty()) out.add("per", to_utf8(per));
  return out;
}

std::string_view currency_of(const Normalized& amount) {
  for (const NormalizedPart& field : amount.fields) {
    const auto* code = std::get_if<std::string>(&field.value);
    if (field.name == "currency" && code != nullptr) return *code;
  }
  return {};
}

/// 壹仟元整(¥1000.00): the same amount said twice; a reason when the two differ. In two currencies,
/// 950欧元(约7335元), the first counts.
Normalized read_twice(Folded text) {
  const size_t open = text.find(U'(');
  if (open == 0 || text.back() != U')') return no_value(kNotAmount);
  Normalized first = read_amount(text.substr(0, open));
  const Normalized second = read_amount(text.substr(open + 1, text.size() - open - 2));
  if (!first.has_value() || !second.has_value()) return no_value(kNotAmount);
  if (currency_of(first) != currency_of(second)) return first;
  const bool same = first.flat.shape == second.flat.shape &&
                    first.flat.first == second.flat.first &&
                    first.flat.second == second.flat.second;
  return same ? first : no_value("amounts_differ");
}

}  // namespace

Normalized normalize_amount(Folded text) {
  const Normalized out = read_amount(text);
  return out.has_value() || text.find(U'(') == Folded::npos ? out : read_twice(text);
}

}  // namespace seqgpt
