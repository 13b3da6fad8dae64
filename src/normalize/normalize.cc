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
    {"date", ValueKind::kDate},          {"datetime", ValueKind::kDate},
    {"time", ValueKind::kDate},          {"range", ValueKind::kDate},
    {"duration", ValueKind::kDuration},  {"amount", ValueKind::kAmount},
    {"number", ValueKind::kNumber},      {"ordinal", ValueKind::kNumber},
    {"percent", ValueKind::kPercent},    {"phone", ValueKind::kPhone},
    {"email", ValueKind::kEmail},        {"id", ValueKind::kIdentifier},
    {"id_card", ValueKind::kIdCard},     {"uscc", ValueKind::kCreditCode},
    {"bank_card", ValueKind::kBankCard}, {"plate", ValueKind::kPlate},
    {"postal", ValueKind::kPostal},      {"person", ValueKind::kText},
    {"org", ValueKind::kText},           {"place", ValueKind::kText},
    {"text", ValueKind::kText},          {"auto", ValueKind::kAuto},
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
  switch (kind) {
    case ValueKind::kDate:
      return normalize_date(folded, reference);
    case ValueKind::kDuration:
      return normalize_duration(folded);
    case ValueKind::kAmount:
      return normalize_amount(folded);
    case ValueKind::kNumber:
      return normalize_number(folded);
    case ValueKind::kPercent:
      return normalize_percent(folded);
    case ValueKind::kPhone:
      return normalize_phone(folded);
    case ValueKind::kIdCard:
      return normalize_id_card(folded);
    case ValueKind::kCreditCode:
      return normalize_credit_code(folded);
    case ValueKind::kBankCard:
      return normalize_bank_card(folded);
    case ValueKind::kPlate:
      return normalize_plate(folded);
    case ValueKind::kPostal:
      return normalize_postal(folded);
    case ValueKind::kIdentifier:
      return normalize_identifier(folded, fold_width(text));
    default:
      return detect(folded, fold_width(text), reference);
  }
}

}  // namespace seqgpt
