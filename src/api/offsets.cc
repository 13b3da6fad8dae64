// SPDX-License-Identifier: Apache-2.0
// Sums at every kStride bytes.
#include "api/offsets.h"

#include <algorithm>

#include "base/utf8.h"

namespace seqgpt {

Offsets::Offsets(std::string_view text, OffsetUnit unit) : text_(text), unit_(unit) {
  if (unit == OffsetUnit::kBytes) return;
  before_.push_back(0);
  for (size_t at = kStride; at <= text.size(); at += kStride)
    before_.push_back(before_.back() + count(at - kStride, at));
}

size_t Offsets::operator()(size_t at) const {
  if (unit_ == OffsetUnit::kBytes) return at;
  const size_t stride = at / kStride;
  return before_[stride] + count(stride * kStride, at);
}

/// Both counts look at first bytes only, so a range may begin inside a character.
size_t Offsets::count(size_t begin, size_t end) const {
  const std::string_view part = text_.substr(begin, end - begin);
  return unit_ == OffsetUnit::kUtf16 ? utf16_count(part) : utf8_count(part);
}

}  // namespace seqgpt
