// SPDX-License-Identifier: Apache-2.0
// UTF-8 against the Unicode standard's own table of well-formed sequences and its examples of
// replacement.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace seqgpt {
namespace {

bool is_surrogate(char32_t point) {
  return point >= 0xD800 && point < 0xE000;
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    std::string text;
    utf8_append(text, point);
    const Decoded decoded = utf8_decode(text, 0);
    ASSERT_EQ(decoded.code_point, is_surrogate(point) ? 0xFFFD : point);
    ASSERT_EQ(decoded.bytes, text.size());
    ASSERT_TRUE(decoded.valid);
    ASSERT_EQ(text.size(), is_surrogate(point) ? 3U
                           : point < 0x80      ? 1U
                           : point < 0x800     ? 2U
                           : point < 0x10000   ? 3U
                                               : 4U);
    ASSERT_EQ(utf8_count(text), 1U);
    ASSERT_EQ(utf16_count(text), point < 0x10000 ? 1U : 2U);
  }
  std::string beyond;
  utf8_append(beyond, 0x110000);
  EXPECT_EQ(beyond, "\uFFFD");
}

/// A naive reading: the length from the lead byte, the value from the bits, then the value checked.
bool naive_valid(const std::string& bytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const size_t length = byte(0) < 0x80       ? 1
                        : byte(0) >> 5 == 6  ? 2
                        : byte(0) >> 4 == 14 ? 3
                        : byte(0) >> 3 == 30 ? 4
                                             : 0;
  if (length == 0 || bytes.size() != length) return false;
  if (length == 1) return true;
  uint32_t value = byte(0) & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return false;
    value = value << 6 | (byte(i) & 0x3F);
  }
  const uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  return value >= least && value <= 0x10FFFF && !is_surrogate(value);
}

TEST(Utf8, AgreesWithANaiveReadingOnShortSequences) {
  const std::string tails = {'\x00', '\x7F', '\x80', '\x8F', '\x90',
                             '\x9F', '\xA0', '\xBF', '\xC0', '\xFF'};
  const auto check = [](const std::string& bytes) {
    const bool single = !utf8_first_invalid(bytes) && utf8_count(bytes) == 1;
    ASSERT_EQ(single, naive_valid(bytes)) << ::testing::PrintToString(bytes);
  };
  for (int lead = 0; lead < 256; ++lead) {
    const std::string one(1, static_cast<char>(lead));
    check(one);
    for (const char second : tails) {
      check(one + second);
      for (const char third : tails) {
        check(one + second + third);
        for (const char fourth : tails) check(one + second + third + fourth);
      }
    }
  }
}

TEST(Utf8, ReplacesEachMaximalInvalidPart) {
  // The Unicode standard, section 3.9, tables 3-8 to 3-11.
  EXPECT_EQ(utf8_lossy("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(utf8_lossy("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(utf8_lossy("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB");
  EXPECT_EQ(utf8_lossy("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(utf8_lossy("valid 王"), "valid 王");
  EXPECT_EQ(utf8_lossy(""), "");
  EXPECT_EQ(utf8_lossy("a\xE7\x8E"), "a\uFFFD");
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  EXPECT_EQ(utf8_first_invalid(""), std::nullopt);
  EXPECT_EQ(utf8_first_invalid("王伟"), std::nullopt);
  EXPECT_EQ(utf8_first_invalid("王\x80伟\xFF"), 3U);
  EXPECT_EQ(utf8_first_invalid("王伟\xE7"), 6U);
}

TEST(Utf8, CountsAndBoundaries) {
  const std::string text = "a王😀é";
  EXPECT_EQ(utf8_count(text), 4U);
  EXPECT_EQ(utf16_count(text), 5U);
  std::string boundaries;
  for (size_t at = 0; at <= text.size() + 1; ++at)
    boundaries += utf8_boundary(text, at) ? '|' : '.';
  EXPECT_EQ(boundaries, "||..|...|.||");
}

}  // namespace
}  // namespace seqgpt
