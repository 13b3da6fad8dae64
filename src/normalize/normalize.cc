// SPDX-License-Identifier: Apache-2.0
// The door of the room: names of kinds, checks of the text, and which grammar reads it.
#include "normalize/normalize.h"

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

/// Tried in this order when the kind is not known: the strict ones first.
Normalized detect(Folded text, Folded wide, const ReferenceTime& reference) {
  if (text.find(U'@') != Folded::npos) return normalize_email(wide);
  if (Normalized out = normalize_plate(text); out.has_value()) return out;
  if (Normalized out = normalize_id_card(text); out.has_value()) return out;
  if (Normalized out = normalize_credit_code(text); out.has_value()) return out;
  if (Normalized out = normalize_percent(text); out.has_value()) return out;
  Normalized phone = normalize_phone(text);
  const bool dialled =
      phone.has_value() && phone.fields.size() > 1 && phone.flat.first->starts_with('+');
  if (dialled) return phone;
  if (Normalized out = normalize_amount(text);
      out.has_value() && text.find(U'分') != 0 && out.fields.size() > 1) {
    for (const Field& field : out.fields) {
      const auto* code = std::get_if<std::string>(&field.value);
      if (field.name == "currency" && code != nullptr) return out;
    }
  }
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
  Normalized out = read(kind, folded, text, reference);
  if (out.has_value() || folded.find(U'(') == Folded::npos) return out;
  const std::u32string plain = without_remarks(folded);
  if (plain.empty() || plain.size() == folded.size()) return out;
  Normalized again = read(kind, plain, text, reference);
  return again.has_value() ? again : out;
}

}  // namespace seqgpt
