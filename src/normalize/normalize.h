// SPDX-License-Identifier: Apache-2.0
// normalize: a verbatim string and its kind to the value a database takes, or the reason why not.
#pragma once

#include <optional>
#include <string_view>

#include "normalize/normalized.h"
#include "normalize/reference_time.h"

namespace seqgpt {

/// What a string is read as. kAuto finds out by its shape; kText has no canonical values.
enum class ValueKind {
  kAuto,
  kText,      // person, org, place, text
  kDate,      // date, datetime, time, range: one grammar decides which
  kDuration,  //
  kAmount,
  kNumber,  // number, ordinal
  kPercent,
  kPhone,
  kEmail,
  kIdentifier,  // id: the kind by its shape, else the spelling alone
  kIdCard,      // citizen number, GB 11643
  kCreditCode,  // uscc, GB 32100
  kBankCard,
  kPlate,
  kPostal,
};

/// The kind that a name of the suites or a field type of the product stands for: date, datetime,
/// time, range, duration, amount, number, ordinal, percent, phone, email, id, id_card, uscc,
/// bank_card, plate, postal, person, org, place, text, auto.
std::optional<ValueKind> value_kind(std::string_view name);

/// Every name that value_kind knows, for messages.
std::string_view value_kind_names();

/// The canonical value of `text` (UTF-8, verbatim from a document: line breaks, full-width forms
/// and a leading label are fine) read as `kind`; relative times are read against `reference`. Pure:
/// the same arguments give the same answer. Never a guess: what does not parse has a reason, among
/// them not_utf8, too_long (over 1,024 bytes), empty, not_a_KIND and needs_reference_time.
Normalized normalize(ValueKind kind, std::string_view text, const ReferenceTime& reference);

}  // namespace seqgpt
