// SPDX-License-Identifier: Apache-2.0
// Offsets in every unit, over texts longer than a stride and with characters across its edges.
#include "api/offsets.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace seqgpt {
namespace {

TEST(Offsets, EqualASlowCountEverywhere) {
  std::string text = "x";
  for (int i = 0; i < 800; ++i) text += i % 3 == 0 ? "王" : i % 3 == 1 ? "😀" : "é\n";
  ASSERT_GT(text.size(), 2048U);
  const Offsets codepoints(text, OffsetUnit::kCodepoint);
  const Offsets units(text, OffsetUnit::kUtf16);
  const Offsets bytes(text, OffsetUnit::kBytes);
  for (size_t at = 0; at <= text.size(); ++at) {
    if (!utf8_boundary(text, at)) continue;
    ASSERT_EQ(codepoints(at), utf8_count(std::string_view(text).substr(0, at)));
    ASSERT_EQ(units(at), utf16_count(std::string_view(text).substr(0, at)));
    ASSERT_EQ(bytes(at), at);
  }
}

TEST(Offsets, AnEmptyTextHasOnlyItsBeginning) {
  EXPECT_EQ(Offsets("", OffsetUnit::kUtf16)(0), 0U);
}

}  // namespace
}  // namespace seqgpt
