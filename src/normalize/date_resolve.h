// SPDX-License-Identifier: Apache-2.0
// Date words read against a reference time: a period of whole units, or the reason why not.
#pragma once

#include <string_view>

#include "normalize/civil.h"
#include "normalize/date_words.h"
#include "normalize/reference_time.h"

namespace seqgpt {

/// From the first to the last unit, both included; one unit unless `spans`.
struct Period {
  DateUnit unit = DateUnit::kDay;
  bool dated =
      true;  // false: a time of any day (first and last lie on 1970-01-01 or the day after)
  bool spans = false;
  bool show_seconds = false;
  CivilTime first;
  CivilTime last;
  std::string_view reason;  // empty when resolved

  bool ok() const { return reason.empty(); }
};

/// Reasons: needs_reference_time, no_such_day, no_such_time, out_of_range, not_a_date.
Period resolve(const DateWords& words, const ReferenceTime& reference);

/// `at` moved by a length, forwards (1) or backwards (-1); nothing beyond the years that values
/// have.
std::optional<CivilTime> moved(const CivilTime& at, const DateWords::Shift& shift, int sign);

/// The first second of the period, for comparing.
int64_t begin_of(const Period& period);

}  // namespace seqgpt
