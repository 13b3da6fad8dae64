// SPDX-License-Identifier: Apache-2.0
// Tests of the span index: exactly the slow reference's values, counted, cut and located.
#include "constrain/span_index.h"

#include <gtest/gtest.h>

#include <set>

#include "base/utf8.h"
#include "reference.h"

namespace seqgpt {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kTexts = 1500;
#else
constexpr int kTexts = 15000;
#endif

SpanIndex index_of(std::string_view text) {
  auto index = SpanIndex::build(text);
  EXPECT_TRUE(index.ok()) << index.error().message;
  return std::move(index).value();
}

using Values = std::map<std::string, SpanIndex::State>;

// Every value the index accepts, by walking all of it. Recursion is as deep as a value is long.
void walk(const SpanIndex& index, SpanIndex::State state, std::string& bytes, Values& values) {
  if (index.may_stop(state)) values[bytes] = state;
  const auto following = index.following(state);
  for (size_t i = 0; i < following.size(); ++i) {
    EXPECT_TRUE(i == 0 || following[i - 1] < following[i]);
    bytes.push_back(static_cast<char>(following[i]));
    const auto next = index.next(state, following[i]);
    EXPECT_NE(next, SpanIndex::kNone);
    EXPECT_EQ(index.bytes(next), bytes);
    walk(index, next, bytes, values);
    bytes.pop_back();
  }
}

Values values_of(const SpanIndex& index) {
  Values values;
  std::string bytes;
  walk(index, SpanIndex::kRoot, bytes, values);
  return values;
}

void expect_equals_reference(const std::string& text) {
  SCOPED_TRACE(testing::PrintToString(text));
  const SpanIndex index = index_of(text);
  const auto expected = reference::all_values(text);
  const Values values = values_of(index);
  ASSERT_EQ(values.size(), expected.size());
  for (const auto& [value, state] : values) {
    const auto found = expected.find(value);
    ASSERT_NE(found, expected.end()) << value;
    EXPECT_EQ(index.find(value), state);
    EXPECT_EQ(index.locate(value), reference::place_of(found->second)) << value;
  }
  EXPECT_EQ(index.completions(SpanIndex::kRoot, UINT32_MAX), expected.size());
}

TEST(SpanIndex, HoldsExactlyTheValuesOfRandomTexts) {
  std::mt19937 random(1);
  for (int i = 0; i < kTexts && !testing::Test::HasFailure(); ++i) {
    expect_equals_reference(reference::random_text(random, static_cast<int>(random() % 16)));
  }
}

TEST(SpanIndex, CountsCompletionsUpToALimit) {
  std::mt19937 random(2);
  for (int i = 0; i < kTexts / 30; ++i) {
    const std::string text = reference::random_text(random, 10);
    const SpanIndex index = index_of(text);
    const Values values = values_of(index);
    for (const auto& [prefix, at] : values) {
      uint32_t count = 0;
      for (const auto& [value, state] : values) {
        const bool begins = value.starts_with(prefix);
        count += begins ? 1 : 0;
        ASSERT_EQ(index.begins_with(state, at), begins) << value << " " << prefix;
      }
      ASSERT_EQ(index.completions(at), std::min(count, 1000U));
      ASSERT_EQ(index.completions(at, 3), std::min(count, 3U));
    }
  }
}

TEST(SpanIndex, KeepsSourceSlicesWithTheirBreaks) {
  const std::string text = "公\n司 Acme\r\nLtd，电话 138\n0013 张 三";
  const SpanIndex index = index_of(text);
  const auto slice = [&](std::string_view value) {
    const ByteSpan span = index.locate(value);
    return text.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(slice("公司"), "公\n司");
  EXPECT_EQ(slice("Acme Ltd"), "Acme\r\nLtd");
  EXPECT_EQ(slice("138 0013"), "138\n0013");
  EXPECT_EQ(slice("张三"), "张 三");
  EXPECT_EQ(slice("张 三"), "张 三");
  for (const char* never : {"AcmeLtd", "1380013", " 张", "张 ", "公\n司"}) {
    const auto state = index.find(never);
    EXPECT_TRUE(state == SpanIndex::kNone || !index.may_stop(state)) << never;
  }
}

TEST(SpanIndex, LocatesByTheRule) {
  // 12 inside 2012 and CTO inside CTOs are passed over for the ones that stand alone.
  EXPECT_EQ(index_of("2012年12月").locate("12"), (ByteSpan{7, 9}));
  EXPECT_EQ(index_of("CTOs, CTO").locate("CTO"), (ByteSpan{6, 9}));
  EXPECT_EQ(index_of("2012年").locate("12"), (ByteSpan{2, 4}));
  EXPECT_EQ(index_of("12kg 12").locate("12"), (ByteSpan{0, 2}));
  EXPECT_EQ(index_of("１２３ ２３").locate("２３"), (ByteSpan{10, 16}));
  EXPECT_EQ(index_of("王伟王伟").locate("王伟"), (ByteSpan{0, 6}));
}

TEST(SpanIndex, NeverCutsACharacterAsAReaderSeesIt) {
  const auto values = [](std::string_view text) {
    std::set<std::string> names;
    for (const auto& [value, state] : values_of(index_of(text))) names.insert(value);
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(values("👨\u200D👩\u200D👧"), Names({"👨\u200D👩\u200D👧"}));
  EXPECT_EQ(values("🇨🇳🇺🇸"), Names({"🇨🇳", "🇨🇳🇺🇸", "🇺🇸"}));
  EXPECT_EQ(values("e\u0301"), Names({"e\u0301"}));
  EXPECT_EQ(values("👍🏽"), Names({"👍🏽"}));
  EXPECT_EQ(values("❤\uFE0F"), Names({"❤\uFE0F"}));
  EXPECT_EQ(values("\u0301a"), Names({"a"}));
  EXPECT_EQ(values("e\u0301 e"), Names({"e\u0301", "e\u0301 e", "e"}));
  EXPECT_EQ(values(" \u3000\n\u200B"), Names());
  EXPECT_EQ(values(""), Names());
}

TEST(SpanIndex, CutsValuesAtTheirGreatestLength) {
  std::string text;
  for (int i = 0; i < kMaxValueCharacters + 3; ++i) text += "字";
  const SpanIndex index = index_of(text);
  const auto longest = index.find(std::string_view(text).substr(0, 3 * kMaxValueCharacters));
  ASSERT_NE(longest, SpanIndex::kNone);
  EXPECT_TRUE(index.may_stop(longest));
  EXPECT_TRUE(index.cut(longest));
  EXPECT_TRUE(index.following(longest).empty());
  EXPECT_FALSE(index.cut(index.find("字")));

  std::string whole = text.substr(0, 3 * kMaxValueCharacters);
  EXPECT_FALSE(index_of(whole).cut(index_of(whole).find(whole)));
}

TEST(SpanIndex, StopsBeforeACharacterThatTheCapWouldCut) {
  std::string text(kMaxValueCharacters - 2, 'x');
  const SpanIndex index = index_of(text + " e\u0301y");
  const auto before = index.find(text);  // then a space and a letter whose mark is character 257
  EXPECT_TRUE(index.following(before).empty());
  EXPECT_TRUE(index.may_stop(before));
  EXPECT_TRUE(index.cut(before));
}

TEST(SpanIndex, HoldsExactlyTheValuesOfATextBeyondTheCap) {
  std::mt19937 random(3);
  for (int i = 0; i < 3; ++i) {
    std::string text;
    while (utf8_count(text) < kMaxValueCharacters + 40) {
      text += reference::random_text(random, 3) + std::string(random() % 40, 'x') + "字";
    }
    expect_equals_reference(text);
  }
}

// Quadratic time or memory would not come back from these.
TEST(SpanIndex, TakesLargeTextsOfEveryKind) {
  const auto repeated = [](std::string_view piece, size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  };
  std::string random_bytes;
  std::mt19937 random(4);
  while (random_bytes.size() < 200'000) utf8_append(random_bytes, 0x4E00 + random() % 3000);
  for (const std::string& text :
       {repeated("a", 200'000), repeated("e\u0301", 200'000),
        repeated("👨\u200D👩\u200D👧", 200'000), repeated("合同编号 ：ＨＴ 2024 001\n", 200'000),
        repeated("张 ", 200'000), repeated("\u0301", 200'000), random_bytes}) {
    const SpanIndex index = index_of(text);
    const auto following = index.following(SpanIndex::kRoot);
    for (const uint8_t byte : following)
      EXPECT_NE(index.next(SpanIndex::kRoot, byte), SpanIndex::kNone);
    EXPECT_EQ(index.completions(SpanIndex::kRoot, 50), following.empty() ? 0U : 50U);
  }
}

TEST(SpanIndex, RefusesWhatItCannotHold) {
  const auto too_large = SpanIndex::build(std::string(4'000'001, 'a'));
  ASSERT_FALSE(too_large.ok());
  EXPECT_EQ(too_large.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(too_large.error().message.find("4000000"), std::string::npos);
  const auto invalid = SpanIndex::build("ab\xFF");
  ASSERT_FALSE(invalid.ok());
  EXPECT_NE(invalid.error().message.find("byte 2"), std::string::npos);
}

}  // namespace
}  // namespace seqgpt
