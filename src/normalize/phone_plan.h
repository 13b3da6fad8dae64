// SPDX-License-Identifier: Apache-2.0
// Numbering plans: the mainland's common ranges decided here, everything else by libphonenumber.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seqgpt {

/// A number as its plan writes it.
struct PlannedNumber {
  std::string international;  // "+86 138 0013 8000", masked digits as *
  std::string e164;           // "+8613800138000"
  std::string_view type;      // mobile, landline, service, foreign, other
};

/// A national number of the mainland (digits and *, without 86 and without the trunk 0).
/// `trunk`: a 0 or a country code stood before it, which landlines need.
std::optional<PlannedNumber> mainland_number(std::string_view national, bool trunk);

/// "+" and digits, any country, by libphonenumber.
std::optional<PlannedNumber> foreign_number(const std::string& number);

}  // namespace seqgpt
