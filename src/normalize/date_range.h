// SPDX-License-Identifier: Apache-2.0
// Ranges of time: two ends that share their words, open ends, windows around the reference time.
#pragma once

#include <optional>

#include "normalize/date_resolve.h"

namespace seqgpt {

/// A single period, or a range from one to another; an end that is absent is open.
struct DateRange {
  std::optional<Period> start;
  std::optional<Period> end;
  bool single = false;  // `start` alone, and no range wording
  bool approximate = false;
  std::string_view reason;

  bool ok() const { return reason.empty(); }
};

DateRange read_dates(Folded text, const ReferenceTime& reference);

/// 近30天, 过去三年, 最近10分钟, 未来7天, 17天内: from or to the reference time.
DateRange read_window(Folded text, const ReferenceTime& reference);

}  // namespace seqgpt
