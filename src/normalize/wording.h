// SPDX-License-Identifier: Apache-2.0
// Wording around a quantity: about, at least, less than, and the marks between two ends.
#pragma once

#include "normalize/cursor.h"

namespace seqgpt {

struct Wording {
  enum class Bound { kNone, kAbove, kBelow };

  bool approximate = false;
  bool nearly = false;  // 近, 将近: a little less
  Bound bound = Bound::kNone;
  bool inclusive = true;  // 不低于 and 以上 include the bound, 超过 and 不足 do not

  bool any_bound() const { return bound != Bound::kNone; }
  std::string_view bound_name() const { return bound == Bound::kAbove ? "above" : "below"; }
};

/// 约, 不低于, 超过, … any number of them.
void take_wording_before(Cursor& cursor, Wording& wording);
/// 左右, 以上, 以内, … any number of them.
void take_wording_after(Cursor& cursor, Wording& wording);
/// 到, 至, 或, - or ~, one or more of the same.
bool take_range_mark(Cursor& cursor);
/// 大于, ≥, 不超过, 至少有, …: one comparison.
bool take_comparison(Cursor& cursor, Wording& wording);

}  // namespace seqgpt
