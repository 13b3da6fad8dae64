// SPDX-License-Identifier: Apache-2.0
// Tests of narrowing: what types, patterns and lists offer of a text, and what they do not.
#include "constrain/narrowing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "constrain/type_language.h"
#include "harness.h"
#include "offered.h"
#include "task/pattern.h"

namespace seqgpt::harness {
namespace {

Label with_pattern(const std::string& pattern) {
  Label label = of_type("text");
  label.pattern = pattern;
  return label;
}

Label listing(const std::vector<std::string>& entries) {
  Label label = of_type("text");
  label.one_of = entries;
  return label;
}

TEST(Narrowing, OfATypeIsLeftWhereTheTextHasNothingOfIt) {
  const std::string text = "没有任何联系方式";
  const auto whole = index_of(text);
  for (const char* type : {"phone", "email", "amount", "percent", "org", "place", "text"}) {
    const Label label = of_type(type);
    EXPECT_EQ(narrow_to_labels(whole, std::span(&label, 1))->front(), whole) << type;
  }
}

TEST(Narrowing, OfATypeThatTheDocumentHasElsewhereLeavesNothing) {
  const std::vector<Label> labels = {of_type("phone"), of_type("date"), of_type("text"),
                                     of_type("phone"), of_type("email")};
  std::vector<bool> present(labels.size(), false);
  note_types("没有", labels, present);
  EXPECT_EQ(present, std::vector<bool>(labels.size(), false));
  note_types("电话13800138000", labels, present);
  note_types("去年", labels, present);
  EXPECT_EQ(present, (std::vector<bool>{true, true, false, true, false}));
  const auto whole = index_of("没有");
  const auto indices = narrow_to_labels(whole, labels, present);
  ASSERT_TRUE(indices.ok());
  EXPECT_TRUE((*indices)[0]->empty());
  EXPECT_TRUE((*indices)[1]->empty());
  EXPECT_EQ((*indices)[2], whole);
  EXPECT_EQ((*indices)[3], (*indices)[0]);
  EXPECT_EQ((*indices)[4], whole);
}

TEST(Narrowing, IsSharedByLabelsThatNarrowAlike) {
  const auto whole = index_of("王伟，13800138000，2022年3月，高");
  const std::vector<Label> labels = {of_type("phone"),         of_type("date"), of_type("text"),
                                     of_type("phone"),         listing({"高"}), listing({"高"}),
                                     with_pattern("[0-9]{11}")};
  const auto indices = narrow_to_labels(whole, labels);
  ASSERT_TRUE(indices.ok());
  EXPECT_EQ((*indices)[0], (*indices)[3]);
  EXPECT_NE((*indices)[0], (*indices)[1]);
  EXPECT_EQ((*indices)[2], whole);
  EXPECT_EQ((*indices)[4], (*indices)[5]);
  EXPECT_NE((*indices)[4], (*indices)[6]);
}

TEST(Narrowing, APatternAndAListHaveNoValuesWhereNothingFits) {
  for (const Label& label : {with_pattern("KH[0-9]{6}"), listing({"甲级", "乙级"})}) {
    EXPECT_TRUE(narrowed("没有编码", label)->empty());
    std::mt19937 random(1);
    const auto constraint =
        *ExtractionConstraint::build(std::vector{narrowed("没有编码", label)},
                                     main_vocabulary().trie, main_vocabulary().tokenizer, {"编码"});
    EXPECT_EQ(generate(*constraint, main_vocabulary(), at_random(random)).bytes, "编码: None\n");
  }
}

TEST(Narrowing, OfAPatternPrefersWhatStandsAlone) {
  using Set = std::set<std::string>;
  EXPECT_EQ(offered("证110101199003071234电13800138000", with_pattern("1[0-9]{10}")),
            Set({"13800138000"}));
  EXPECT_EQ(offered("20220301", with_pattern("[0-9]{4}(年)?")),
            Set({"0220", "0301", "2022", "2203", "2030"}));
  EXPECT_EQ(offered("血型AB，O", listing({"A", "B", "AB", "O"})), Set({"AB", "O"}));
  EXPECT_EQ(offered("等级：高 风险", listing({"高风险", "低风险"})), Set({"高风险"}));
  EXPECT_EQ(offered("KH000001 KH12", with_pattern("(?i)kh\\d{2,6}")), Set({"KH000001", "KH12"}));
  Label both = listing({"A1", "B2", "C3"});
  both.pattern = "[AB][0-9]";
  EXPECT_EQ(offered("A1 B2 C3", both), Set({"A1", "B2"}));
}

// Every offered value is one of the text's, matches the pattern, and none that stands alone is
// missing.
TEST(Narrowing, OfPatternsEqualsTryingEveryValue) {
  std::mt19937 random(5);
  for (const char* written :
       {"[ab]{1,3}", ".{2,4}", "王?伟?", "[^，。]{1,5}", "(?i)[A-Z]{1,2}[0-9]{0,2}", "\\pL{2,6}",
        "a|ab|12", "\\b.{1,3}\\b", "^.$", "N.{1,3}e?"}) {
    const Pattern pattern = Pattern::compile(written, "p").value();
    for (int i = 0; i < 400 / kShare && !testing::Test::HasFailure(); ++i) {
      const std::string text = reference::random_text(random, static_cast<int>(random() % 14));
      SCOPED_TRACE(written + (" on " + testing::PrintToString(text)));
      std::set<std::string> all;
      std::set<std::string> alone;
      for (const auto& [value, places] : reference::all_values(text)) {
        if (!pattern.matches(value)) continue;
        all.insert(value);
        if (std::ranges::any_of(places, &reference::Occurrence::alone)) alone.insert(value);
      }
      EXPECT_EQ(offered(text, with_pattern(written)), alone.empty() ? all : alone);
    }
  }
}

TEST(Narrowing, BoundsTheWorkOfAPattern) {
  std::string text;
  while (text.size() < 60'000) text += "ab甲";
  const Label costly = with_pattern("(.{1,16}){16}");
  const auto refused = narrow_to_labels(index_of(text), std::vector{of_type("text"), costly});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnbuildable);
  EXPECT_EQ(refused.error().param, "labels[1].pattern");
  EXPECT_FALSE(offered(text.substr(0, 300), with_pattern(".{2,50}甲")).empty());
}

std::string random_business_text(std::mt19937& random) {
  static const char* kPieces[] = {
      "2022年", "3月", "15日", "1,100", "万",    "元",      "二十一", "百分之", "%",     "138",
      "0013",   "-",   "/",    ".",     "，",    "。",      "、",     " ",      "\n",    "\u3000",
      "（",     "）",  "￥",   "RMB",   "k",     "5G",      "4",      "a@b",    ".com",  "王伟",
      "公司",   "第",  "号",   "京A",   "12345", "*",       "x",      "转",     "去年",  "三年",
      "个月",   "约",  "至",   "March", "😀",    "e\u0301", "１２",   "None",   "None ", "T",
      ":",      "：",  "+86",  "壹",    "佰",    "点",      "五"};
  std::string text;
  for (size_t n = random() % 16; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
  return text;
}

bool cuts_a_run(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return false;
  size_t before = at;
  do {
    --before;
  } while (!utf8_boundary(text, before));
  const char32_t a = utf8_decode(text, before).code_point;
  const char32_t b = utf8_decode(text, at).code_point;
  return (is_digit(a) && is_digit(b)) || (is_latin(a) && is_latin(b)) ||
         (is_numeral(a) && is_numeral(b));
}

// For every type over random texts: answers finish, values are spans, of the language where the
// text has any of it, and numbers and words are never cut.
TEST(Narrowing, KeepsEveryAnswerOfEveryTypeSound) {
  std::mt19937 random(6);
  size_t values = 0;
  for (const std::string_view type : kFieldTypes) {
    const Label label = of_type(std::string(type));
    for (int i = 0; i < 400 / kShare && !testing::Test::HasFailure(); ++i) {
      const std::string text = random_business_text(random);
      SCOPED_TRACE(std::string(type) + " on " + testing::PrintToString(text));
      const auto whole = index_of(text);
      const auto index = narrow_to_labels(whole, std::span(&label, 1))->front();
      const auto& vocabulary = *vocabularies()[random() % vocabularies().size()];
      const auto constraint = *ExtractionConstraint::build(
          std::vector{index, whole}, vocabulary.trie, vocabulary.tokenizer, {"甲", "乙"});
      const auto all = reference::all_values(text);
      const Answer answer = generate(*constraint, vocabulary, many_values(vocabulary, random));
      for (const ExtractedValue& value : answer.values) {
        const auto found = all.find(value.bytes);
        ASSERT_NE(found, all.end()) << value.bytes;
        const bool stands = std::ranges::any_of(
            found->second, [&](const auto& place) { return place.span == value.source; });
        EXPECT_TRUE(stands) << value.bytes;
        if (value.label != 0 || index == whole) continue;
        ++values;
        if (type == "person") continue;  // a name may hold digits
        EXPECT_FALSE(cuts_a_run(text, value.source.begin)) << value.bytes;
        EXPECT_FALSE(cuts_a_run(text, value.source.end)) << value.bytes;
      }
    }
  }
  EXPECT_GT(values, 3000U / kShare);
}

TEST(LocateAll, GivesEveryPlaceThatStandsAlone) {
  const auto places = [](std::string_view text, std::string_view value) {
    const auto index = index_of(text);
    std::vector<size_t> begins;
    for (const ByteSpan& span : index->locate_all(index->find(value))) begins.push_back(span.begin);
    return begins;
  };
  using Begins = std::vector<size_t>;
  EXPECT_EQ(places("王伟和王伟", "王伟"), Begins({0, 9}));
  EXPECT_EQ(places("12 2012 12", "12"), Begins({0, 8}));
  EXPECT_EQ(places("2012 212", "12"), Begins({2, 6}));
  EXPECT_EQ(places("哈哈哈哈哈", "哈哈"), Begins({0, 6}));
  EXPECT_EQ(places("张 三，张三", "张三"), Begins({0, 10}));
  EXPECT_EQ(places("CTO CTOs CTO", "CTO"), Begins({0, 9}));
}

TEST(LocateAll, EqualsTheReferenceOnRandomTexts) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000 / kShare && !testing::Test::HasFailure(); ++i) {
    const std::string text = reference::random_text(random, static_cast<int>(random() % 16));
    SCOPED_TRACE(testing::PrintToString(text));
    const auto index = index_of(text);
    for (auto [value, places] : reference::all_values(text)) {
      const bool any = std::ranges::any_of(places, &reference::Occurrence::alone);
      std::ranges::sort(places, {}, [](const auto& place) { return place.span.begin; });
      std::vector<ByteSpan> expected;
      for (const auto& place : places) {
        if (any && !place.alone) continue;
        if (expected.empty() || place.span.begin >= expected.back().end)
          expected.push_back(place.span);
      }
      EXPECT_EQ(index->locate_all(index->find(value)), expected) << value;
    }
  }
}

}  // namespace
}  // namespace seqgpt::harness
