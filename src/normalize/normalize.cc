// SPDX-License-Identifier: Apache-2.0
// The door of the room: names of kinds, checks of the text, and which grammar reads it.
#include "normalize/normalize.h"

#include <algorithm>

#include "base/utf8.h"
#include "normalize/amount.h"
#include "normalize/date.h"
#include "normalize/duration.h"
#include "normalize/fold.h"
#include "normalize/identifiers.h"
#include "normalize/number.h"
#include "normalize/phone.h"

namespace seqgpt {
namespace {

struct KindName {
  std::string_view name;
  ValueKind kind;
};
constexpr KindName kKindNames[] = {
    {"date", ValueKind::kDate},       {"datetime", ValueKind::kDate},
    {"time", ValueKind::kDate},       {"range", ValueKind::kDate},
    {"recurrence", ValueKind::kDate}, {"duration", ValueKind::kDuration},
    {"amount", ValueKind::kAmount},   {"number", ValueKind::kNumber},
    {"ordinal", ValueKind::kNumber},  {"percent", ValueKind::kPercent},
    {"phone", ValueKind::kPhone},     {"email", ValueKind::kEmail},
    {"id", ValueKind::kIdentifier},   {"id_card", ValueKind::kIdCard},
    {"uscc", ValueKind::kCreditCode}, {"bank_card", ValueKind::kBankCard},
    {"plate", ValueKind::kPlate},     {"postal", ValueKind::kPostal},
    {"person", ValueKind::kText},     {"org", ValueKind::kText},
    {"place", ValueKind::kText},      {"text", ValueKind::kText},
    {"auto", ValueKind::kAuto},
};

bool holds_any(Folded text, std::initializer_list<Folded> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](Folded word) { return text.find(word) != Folded::npos; });
}

bool names_currency(const Normalized& amount) {
  return std::any_of(amount.fields.begin(), amount.fields.end(), [](const NormalizedPart& field) {
    return field.name == "currency" && std::holds_alternative<std::string>(field.value);
  });
}

/// 3.14 alone is a number before it is a day in March.
bool is_decimal(Folded text) {
  return text.find(U'.') != Folded::npos && text.find(U'.') == text.rfind(U'.') &&
         text.find_first_not_of(U"-0123456789.") == Folded::npos;
}

/// Tried in this order when the kind is not known: the strict ones first.
Normalized detect(Folded text, Folded wide, const ReferenceTime& reference) {
  if (text.find(U'@') != Folded::npos) return normalize_email(wide);
  if (Normalized out = normalize_plate(text); out.has_value()) return out;
  if (Normalized out = normalize_id_card(text); out.has_value()) return out;
  if (Normalized out = normalize_credit_code(text); out.has_value()) return out;
  if (holds_any(text, {U"%", U"‰", U"百分", U"千分", U"万分", U"成", U"折", U"基点"})) {
    if (Normalized out = normalize_percent(text); out.has_value()) return out;
  }
  if (Normalized out = normalize_phone(text); out.has_value() && out.flat.first->front() == '+')
    return out;
  if (Normalized out = normalize_amount(text); out.has_value() && names_currency(out)) return out;
  if (is_decimal(text)) return normalize_number(text);
  if (Normalized out = normalize_date(text, reference);
      out.has_value() || out.reason == "needs_reference_time")
    return out;
  if (Normalized out = normalize_duration(text); out.has_value()) return out;
  if (Normalized out = normalize_bank_card(text); out.has_value()) return out;
  if (Normalized out = normalize_number(text); out.has_value()) return out;
  return no_value("no_known_kind");
}

Normalized read(ValueKind kind, Folded text, std::string_view verbatim,
                const ReferenceTime& reference) {
  switch (kind) {
    case ValueKind::kDate:
      return normalize_date(text, reference);
    case ValueKind::kDuration:
      return normalize_duration(text);
    case ValueKind::kAmount:
      return normalize_amount(text);
    case ValueKind::kNumber:
      return normalize_number(text);
    case ValueKind::kPercent:
      return normalize_percent(text);
    case ValueKind::kPhone:
      return normalize_phone(text);
    case ValueKind::kIdCard:
      return normalize_id_card(text);
    case ValueKind::kCreditCode:
      return normalize_credit_code(text);
    case ValueKind::kBankCard:
      return normalize_bank_card(text);
    case ValueKind::kPlate:
      return normalize_plate(text);
    case ValueKind::kPostal:
      return normalize_postal(text);
    case ValueKind::kIdentifier:
      return normalize_identifier(text, fold_width(verbatim));
    default:
      return detect(text, fold_width(verbatim), reference);
  }
}

/// 万元, 亿, 千元: the head of a column, no value. (百 and 十 alone are numbers: 百元大钞.)
bool is_bare_unit(Folded text) {
  return text.find_first_not_of(U"千万亿萬億元圆人民币美港欧日") == Folded::npos &&
         text.find_first_of(U"千万亿萬億") != Folded::npos;
}

/// 3年(2022年1月1日至2024年12月31日), and the other way round: one says what the other means.
Normalized read_before_brackets(ValueKind kind, Folded text, const ReferenceTime& reference) {
  const size_t open = text.find(U'(');
  const bool temporal = kind == ValueKind::kDate || kind == ValueKind::kDuration;
  if (!temporal || open == 0 || text.back() != U')' || text.rfind(U')') != text.find(U')'))
    return {};
  const Folded head = text.substr(0, open);
  const Folded inside = text.substr(open + 1, text.size() - open - 2);
  const bool dates = kind == ValueKind::kDate;
  const Normalized other = dates ? normalize_duration(inside) : normalize_date(inside, reference);
  if (!other.has_value()) return {};
  return dates ? normalize_date(head, reference) : normalize_duration(head);
}

}  // namespace

std::optional<ValueKind> value_kind(std::string_view name) {
  for (const KindName& entry : kKindNames) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::string_view value_kind_names() {
  return "date, datetime, time, range, duration, amount, number, ordinal, percent, phone, email, "
         "id, id_card, uscc, bank_card, plate, postal, person, org, place, text, auto";
}

Normalized normalize(ValueKind kind, std::string_view text, const ReferenceTime& reference) {
  if (kind == ValueKind::kText) return {};
  if (text.size() > kMaxValueBytes) return no_value("too_long");
  if (utf8_first_invalid(text)) return no_value("not_utf8");
  if (kind == ValueKind::kEmail) return normalize_email(fold_width(text));
  const std::u32string folded = fold_chinese(text);
  if (folded.empty()) return no_value("empty");
  if (is_bare_unit(folded)) return no_value("unit_without_number");
  Normalized out = read(kind, folded, text, reference);
  if (out.has_value() || folded.find(U'(') == Folded::npos) return out;
  if (Normalized head = read_before_brackets(kind, folded, reference); head.has_value())
    return head;
  const std::u32string plain = without_remarks(folded);
  if (plain.empty() || plain.size() == folded.size()) return out;
  Normalized again = read(kind, plain, text, reference);
  return again.has_value() ? again : out;
}

}  // namespace seqgpt
