// SPDX-License-Identifier: Apache-2.0
// Dates, times and ranges of them.
#pragma once

#include "normalize/cursor.h"
#include "normalize/normalized.h"
#include "normalize/reference_time.h"

namespace seqgpt {

/// kind date, datetime, time or range, at the precision stated. Reasons: not_a_date, no_such_day,
/// no_such_month, no_such_week, no_such_time, needs_reference_time, end_before_start,
/// several_dates, out_of_range; lunar_calendar, solar_term and recurrence for what is not read.
Normalized normalize_date(Folded text, const ReferenceTime& reference);

}  // namespace seqgpt
