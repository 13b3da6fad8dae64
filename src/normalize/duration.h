// SPDX-License-Identifier: Apache-2.0
// Lengths of time.
#pragma once

#include <string>

#include "normalize/cursor.h"
#include "normalize/decimal.h"
#include "normalize/normalized.h"

namespace seqgpt {

/// A length by calendar unit; quarters are months, half units are the next smaller ones.
struct Duration {
  Decimal years;
  Decimal months;
  Decimal weeks;
  Decimal days;
  Decimal hours;
  Decimal minutes;
  Decimal seconds;
  bool business_days = false;
  bool approximate = false;

  bool fits() const;
  std::string iso() const;  // P1Y6M, PT2621.2H, P0D
};

/// 三年六个月, 一个半小时, 70多分钟, 半年; moves nothing when there is none.
bool take_duration(Cursor& cursor, Duration& out);

/// A duration, a range of them (3~6个月) or one with a bound (六个月以下).
Normalized normalize_duration(Folded text);

}  // namespace seqgpt
