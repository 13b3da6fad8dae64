// SPDX-License-Identifier: Apache-2.0
// The words that bound a quantity, longest first.
#include "normalize/wording.h"

namespace seqgpt {
namespace {

using Bound = Wording::Bound;

struct BoundWord {
  Folded word;
  Bound bound;
  bool inclusive;
};

constexpr BoundWord kBefore[] = {
    {U"大于或者等于", Bound::kAbove, true},
    {U"大于或等于", Bound::kAbove, true},
    {U"大于等于", Bound::kAbove, true},
    {U"高于或等于", Bound::kAbove, true},
    {U"不小于", Bound::kAbove, true},
    {U"不低于", Bound::kAbove, true},
    {U"不少于", Bound::kAbove, true},
    {U"不得低于", Bound::kAbove, true},
    {U"不得少于", Bound::kAbove, true},
    {U"不应低于", Bound::kAbove, true},
    {U"至少", Bound::kAbove, true},
    {U"最少", Bound::kAbove, true},
    {U"起码", Bound::kAbove, true},
    {U"最低", Bound::kAbove, true},
    {U">=", Bound::kAbove, true},
    {U"≥", Bound::kAbove, true},
    {U"小于或者等于", Bound::kBelow, true},
    {U"小于或等于", Bound::kBelow, true},
    {U"小于等于", Bound::kBelow, true},
    {U"低于或等于", Bound::kBelow, true},
    {U"不大于", Bound::kBelow, true},
    {U"不高于", Bound::kBelow, true},
    {U"不超过", Bound::kBelow, true},
    {U"不超", Bound::kBelow, true},
    {U"不多于", Bound::kBelow, true},
    {U"不得超过", Bound::kBelow, true},
    {U"不得高于", Bound::kBelow, true},
    {U"最多", Bound::kBelow, true},
    {U"至多", Bound::kBelow, true},
    {U"顶多", Bound::kBelow, true},
    {U"最高", Bound::kBelow, true},
    {U"<=", Bound::kBelow, true},
    {U"≤", Bound::kBelow, true},
    {U"大于", Bound::kAbove, false},
    {U"高于", Bound::kAbove, false},
    {U"多于", Bound::kAbove, false},
    {U"超过", Bound::kAbove, false},
    {U"超出", Bound::kAbove, false},
    {U"超", Bound::kAbove, false},
    {U"逾", Bound::kAbove, false},
    {U">", Bound::kAbove, false},
    {U"小于", Bound::kBelow, false},
    {U"低于", Bound::kBelow, false},
    {U"少于", Bound::kBelow, false},
    {U"不足", Bound::kBelow, false},
    {U"不到", Bound::kBelow, false},
    {U"不满", Bound::kBelow, false},
    {U"未满", Bound::kBelow, false},
    {U"<", Bound::kBelow, false},
};

constexpr BoundWord kAfter[] = {
    {U"及以上", Bound::kAbove, true}, {U"或以上", Bound::kAbove, true},
    {U"以上", Bound::kAbove, true},   {U"及以下", Bound::kBelow, true},
    {U"或以下", Bound::kBelow, true}, {U"以下", Bound::kBelow, true},
    {U"以内", Bound::kBelow, true},   {U"之内", Bound::kBelow, true},
    {U"起", Bound::kAbove, true},     {U"或更多", Bound::kAbove, true},
    {U"或更高", Bound::kAbove, true}, {U"或更大", Bound::kAbove, true},
    {U"或更少", Bound::kBelow, true}, {U"或更低", Bound::kBelow, true},
    {U"或更小", Bound::kBelow, true}, {U"封顶", Bound::kBelow, true},
};

template <size_t n>
bool take_bound(Cursor& cursor, const BoundWord (&words)[n], Wording& wording) {
  for (const BoundWord& entry : words) {
    if (!cursor.take(entry.word)) continue;
    wording.bound = entry.bound;
    wording.inclusive = entry.inclusive;
    return true;
  }
  return false;
}

}  // namespace

bool take_comparison(Cursor& cursor, Wording& wording) {
  if (!take_bound(cursor, kBefore, wording)) return false;
  cursor.take(U'了');
  cursor.take_any({U"是", U"有", U"为"});
  return true;
}

void take_wording_before(Cursor& cursor, Wording& wording) {
  for (;;) {
    if (cursor.take_any({U"大约", U"大概", U"差不多", U"约为", U"约"})) {
      wording.approximate = true;
    } else if (cursor.take_any({U"将近", U"接近", U"近"})) {
      wording.nearly = true;
    } else if (!take_comparison(cursor, wording)) {
      return;
    }
  }
}

void take_wording_after(Cursor& cursor, Wording& wording) {
  for (;;) {
    if (cursor.take_any({U"左右", U"上下", U"许"})) {
      wording.approximate = true;
    } else if (cursor.sees(U"(含)") || cursor.sees(U"(包含)")) {
      cursor.take_any({U"(含)", U"(包含)"});
    } else if (!take_bound(cursor, kAfter, wording)) {
      return;
    }
  }
}

bool take_range_mark(Cursor& cursor) {
  cursor.take_any({U"(含)", U"(包含)"});
  if (cursor.take_any({U"到", U"至"})) return true;
  const char32_t mark = cursor.peek();
  if (mark != U'-' && mark != U'~') return false;
  while (cursor.take(mark)) {
  }
  return true;
}

}  // namespace seqgpt
