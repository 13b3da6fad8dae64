// SPDX-License-Identifier: Apache-2.0
// Every encoding with and without its mark, damage named by offset, detection.
#include "base/encoding.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace seqgpt {
namespace {

using std::string_literals::operator""s;

const std::string kText = "王伟，abc€😀\r\n";
const std::string kUtf16Le =
    "\x8b\x73\x1f\x4f\x0c\xff"
    "a\0b\0c\0"
    "\xac\x20\x3d\xd8\x00\xde\r\0\n\0"s;
const std::string kGb18030 = "\xCD\xF5\xCE\xB0\xA3\xAC"s + "abc\xA2\xE3\x94\x39\xFC\x36\r\n";

std::string swapped(std::string bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  return bytes;
}

void expect_text(std::string_view bytes, std::string_view encoding, std::string_view text,
                 std::string_view read_as) {
  const auto decoded = decode_text(bytes, encoding);
  ASSERT_TRUE(decoded.ok()) << encoding << ": " << decoded.error().message;
  EXPECT_EQ(decoded->text, text) << encoding;
  EXPECT_EQ(decoded->encoding, read_as);
}

/// The bytes are refused, and the message names the encoding tried and the offset.
void expect_damage(std::string_view bytes, std::string_view encoding, std::string_view tried,
                   size_t offset) {
  const auto decoded = decode_text(bytes, encoding);
  ASSERT_FALSE(decoded.ok()) << encoding << " gave " << decoded->text << " as "
                             << decoded->encoding;
  const std::string& message = decoded.error().message;
  EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(message.find(tried), std::string::npos) << message;
  EXPECT_NE(message.find("offset " + std::to_string(offset) + " "), std::string::npos) << message;
}

TEST(Encoding, ReadsWhatItIsTold) {
  expect_text(kText, "utf-8", kText, "utf-8");
  expect_text(kText, "UTF-8", kText, "utf-8");
  expect_text("\xEF\xBB\xBF" + kText, "utf-8", kText, "utf-8");
  expect_text(kUtf16Le, "utf-16le", kText, "utf-16le");
  expect_text(swapped(kUtf16Le), "utf-16be", kText, "utf-16be");
  expect_text("\xFF\xFE" + kUtf16Le, "utf-16", kText, "utf-16le");
  expect_text("\xFE\xFF" + swapped(kUtf16Le), "utf-16", kText, "utf-16be");
  expect_text("\xFF\xFE" + kUtf16Le, "utf-16le", kText, "utf-16le");
  expect_text(kGb18030, "gb18030", kText, "gb18030");
  expect_text("\x84\x31\x95\x33" + kGb18030, "gb18030", kText, "gb18030");
  for (const char* name : {"utf-8", "utf-16le", "utf-16be", "gb18030", "auto"}) {
    expect_text("", name, "", name == "auto"s ? "utf-8" : name);
  }
}

TEST(Encoding, FindsOutByItself) {
  expect_text("plain", "auto", "plain", "utf-8");
  expect_text(kText, "auto", kText, "utf-8");
  expect_text("\xEF\xBB\xBF" + kText, "auto", kText, "utf-8");
  expect_text("\xFF\xFE" + kUtf16Le, "auto", kText, "utf-16le");
  expect_text("\xFE\xFF" + swapped(kUtf16Le), "auto", kText, "utf-16be");
  expect_text(kGb18030, "auto", kText, "gb18030");
  expect_text("\xC4\xE3\xBA\xC3", "auto", "你好", "gb18030");
  expect_text("\xFF\xFE", "auto", "", "utf-16le");
  expect_text("\xEF\xBB\xBF", "auto", "", "utf-8");
}

TEST(Encoding, NamesDamageByOffset) {
  expect_damage("ab\xFF", "utf-8", "utf-8", 2);
  expect_damage(
      "\xEF\xBB\xBF"
      "ab\x80",
      "auto", "utf-8", 5);
  expect_damage("王\xED\xA0\x80", "utf-8", "utf-8", 3);         // a surrogate
  expect_damage("王\xE7\x8E", "utf-8", "utf-8", 3);             // cut off
  expect_damage("\xC0\x80", "utf-8", "utf-8", 0);               // overlong
  expect_damage("a\0\0"s, "utf-16le", "utf-16le", 2);           // half a unit
  expect_damage("a\0\x3d\xd8"s, "utf-16le", "utf-16le", 2);     // half a pair
  expect_damage("a\0\x3d\xd8g\0"s, "utf-16le", "utf-16le", 2);  // high, then no low
  expect_damage("\xFF\xFE\x00\xde"s, "auto", "utf-16le", 2);    // low alone
  expect_damage("\0a\xde\x00"s, "utf-16be", "utf-16be", 2);
  expect_damage("\xCD\xF5\xFF\xFF", "gb18030", "gb18030", 2);
  expect_damage("ab\xCD", "gb18030", "gb18030", 2);  // cut off
  expect_damage("ab\x80zz", "gb18030", "gb18030", 2);
  expect_damage("ab\xE9 cd", "auto", "utf-8", 2);  // Latin-1: neither will do
  expect_damage("ab\xE9 cd", "auto", "gb18030", 2);
}

TEST(Encoding, DamagedUtf8IsNotTakenForGb18030) {
  const std::string chinese = "公司将在北京总部召开年度总结会议";
  const std::string damaged = chinese + "\xE4\xBD" + chinese;
  ASSERT_TRUE(decode_text(damaged + "a", "gb18030").ok() || decode_text(damaged, "gb18030").ok());
  expect_damage(damaged, "auto", "utf-8", chinese.size());
  expect_damage(damaged + "a", "auto", "utf-8", chinese.size());
}

TEST(Encoding, Utf16WithoutMarkAsksWhich) {
  const auto decoded = decode_text(kUtf16Le, "utf-16");
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().message.find("utf-16le"), std::string::npos);
}

TEST(Encoding, UnknownNamesListTheKnown) {
  for (const char* name : {"", "latin-1", "utf8", "gbk"}) {
    const auto decoded = decode_text("a", name);
    ASSERT_FALSE(decoded.ok()) << name;
    EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(decoded.error().param, "encoding");
    for (const char* known : {"auto", "utf-8", "utf-16", "utf-16le", "utf-16be", "gb18030"}) {
      EXPECT_NE(decoded.error().message.find(known), std::string::npos) << known;
    }
  }
}

/// Every character beyond the private ones survives the way through UTF-16.
TEST(Encoding, EveryCodePointThroughUtf16) {
  std::string utf8;
  std::string utf16;
  const auto put = [&utf16](uint32_t unit) {
    utf16.push_back(static_cast<char>(unit >> 8));
    utf16.push_back(static_cast<char>(unit & 0xFF));
  };
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    utf8_append(utf8, point);
    if (point < 0x10000) {
      put(point);
    } else {
      put(0xD800 + ((point - 0x10000) >> 10));
      put(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  const auto decoded = decode_text(utf16, "utf-16be");
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(decoded->text == utf8);
}

/// Whatever two or four bytes GB18030 accepts comes out as valid UTF-8, more than one buffer long.
TEST(Encoding, Gb18030GivesValidUtf8) {
  std::string all;
  size_t accepted = 0;
  for (int first = 0x81; first < 0xFF; ++first) {
    for (int second = 0x40; second < 0xFF; ++second) {
      const std::string pair = {static_cast<char>(first), static_cast<char>(second)};
      const auto decoded = decode_text(pair, "gb18030");
      if (!decoded.ok()) continue;
      EXPECT_EQ(utf8_count(decoded->text), 1U) << first << " " << second;
      all += pair;
      ++accepted;
    }
  }
  EXPECT_GT(accepted, 23000U);
  const auto decoded = decode_text(all, "gb18030");
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(utf8_first_invalid(decoded->text), std::nullopt);
  EXPECT_EQ(utf8_count(decoded->text), accepted);
}

}  // namespace
}  // namespace seqgpt
