// SPDX-License-Identifier: Apache-2.0
// Which value belongs to which key, on texts whose answer a reader sees at once.
#include "pipeline/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace seqgpt {
namespace {

ByteSpan span_of(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  EXPECT_NE(at, std::string_view::npos) << words;
  return {at, at + words.size()};
}

std::vector<ByteSpan> spans_of(std::string_view text, std::vector<std::string_view> all) {
  std::vector<ByteSpan> spans;
  for (const std::string_view words : all) spans.push_back(span_of(text, words));
  std::ranges::sort(spans, {}, &ByteSpan::begin);
  return spans;
}

constexpr size_t kNone = KeyLayout::kNoKey;

std::vector<size_t> owners(std::string_view text, std::vector<std::string_view> keys,
                           std::vector<std::string_view> values) {
  return KeyLayout(text, spans_of(text, std::move(keys))).owners(spans_of(text, std::move(values)));
}

TEST(KeyLayout, LinesBelongToTheirKey) {
  const std::string text =
      "王伟，经理，13800138000\n李娜，主管，13900139000\n张强，会计，13700137000\n";
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"13800138000", "13900139000", "13700137000"}),
            (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"主管"}), (std::vector<size_t>{1}));
}

TEST(KeyLayout, LinesWithoutAKeyGoOnWithTheLast) {
  const std::string text = "公司名录\n姓名：王伟\n电话：111\n姓名：李娜\n电话：222\n";
  EXPECT_EQ(owners(text, {"王伟", "李娜"}, {"111", "222", "公司名录"}),
            (std::vector<size_t>{kNone, 0, 1}));
}

TEST(KeyLayout, ClausesOfOneSentenceAreToldApart) {
  const std::string text = "会上，总经理王伟（111）、副总李娜（222）、会计张强（333）发言。";
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"111", "222", "333"}),
            (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"总经理", "副总李娜", "会计"}),
            (std::vector<size_t>{0, 1, 2}));
}

TEST(KeyLayout, ListsOfKeysAndValuesPairUpInOrder) {
  const std::string text = "王伟、李娜、张强分别任经理、主管、会计。";
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"经理", "主管", "会计"}),
            (std::vector<size_t>{0, 1, 2}));
  const std::string before = "经理、主管分别为王伟、李娜。";
  EXPECT_EQ(owners(before, {"王伟", "李娜"}, {"经理", "主管"}), (std::vector<size_t>{0, 1}));
}

TEST(KeyLayout, ListsLineByLinePairUpOrBelongToNobody) {
  const std::string text = "姓名：王伟、李娜、张强\n职位：经理、主管、会计\n电话：111、222\n";
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"经理", "主管", "会计"}),
            (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(owners(text, {"王伟", "李娜", "张强"}, {"111", "222"}),
            (std::vector<size_t>{kNone, kNone}));
}

TEST(KeyLayout, AKeyIsKnownByAllItsMentions) {
  const std::string text = "王伟和李娜是同事。王伟住上海。李娜住北京。王伟爱爬山。";
  EXPECT_EQ(owners(text, {"王伟", "李娜"}, {"上海", "北京", "爬山"}),
            (std::vector<size_t>{0, 1, 0}));
}

TEST(KeyLayout, AKeyInsideALongerOneIsNone) {
  const std::string text = "王伟民：北京\n王伟：上海\n";
  const KeyLayout layout(text,
                         {span_of(text, "王伟民"), {text.rfind("王伟"), text.rfind("王伟") + 6}});
  EXPECT_EQ(layout.keys(), 2U);
  EXPECT_EQ(layout.owners(spans_of(text, {"北京", "上海"})), (std::vector<size_t>{0, 1}));
}

TEST(KeyLayout, AKeyThatStandsOnlyInsideALongerOneIsDropped) {
  const std::string text = "王伟民：北京\n李娜：上海\n";
  const ByteSpan longer = span_of(text, "王伟民");
  const KeyLayout layout(text, {{longer.begin, longer.begin + 6}, longer, span_of(text, "李娜")});
  EXPECT_EQ(layout.keys(), 2U);
  EXPECT_EQ(layout.first_mention(0), longer);
  EXPECT_EQ(layout.owners(spans_of(text, {"北京", "上海"})), (std::vector<size_t>{0, 1}));
}

TEST(KeyLayout, RunsCoverWhatSpeaksOfOneKey) {
  const std::string text = "名单\n王伟：1\n备注a\n李娜：2\n";
  const KeyLayout layout(text, spans_of(text, {"王伟", "李娜"}));
  ASSERT_EQ(layout.runs().size(), 2U);
  EXPECT_EQ(text.substr(layout.runs()[0].span.begin,
                        layout.runs()[0].span.end - layout.runs()[0].span.begin),
            "王伟：1\n备注a\n");
  EXPECT_EQ(layout.runs()[1].key, 1U);
}

std::vector<std::string> listed(std::string_view text, std::vector<std::string_view> keys,
                                std::vector<std::string_view> values) {
  const KeyLayout layout(text, spans_of(text, std::move(keys)));
  std::vector<std::string> words;
  for (const auto& [span, from] : layout.listed(spans_of(text, std::move(values))))
    words.emplace_back(text.substr(span.begin, span.end - span.begin));
  return words;
}

TEST(KeyLayout, AListOfValuesGivesOneToEachKey) {
  using Words = std::vector<std::string>;
  const std::string text = "王伟、李娜和张强分别任经理、法务代表和主管，2020年入职。";
  const std::vector<std::string_view> keys = {"王伟", "李娜", "张强"};
  const Words posts = {"经理", "法务代表", "主管"};
  EXPECT_EQ(listed(text, keys, {"经理、法务代表和主管"}), posts);
  EXPECT_EQ(listed(text, keys, {"经理"}), posts);
  EXPECT_EQ(listed(text, keys, {"经理、法务代表", "主管"}), posts);
  EXPECT_EQ(listed(text, keys, {"经理", "法务代表", "主管"}), posts);
  EXPECT_EQ(listed(text, keys, {"2020年"}), Words{"2020年"}) << "one for all, not a list";
  EXPECT_EQ(listed(text, {"王伟", "李娜"}, {"经理、法务代表和主管"}), Words{"经理、法务代表和主管"})
      << "three do not pair up with two";
  const std::string lines = "姓名：王伟、李娜\n职位：经理、主管\n";
  EXPECT_EQ(listed(lines, {"王伟", "李娜"}, {"经理、主管"}), (Words{"经理", "主管"}));
  const std::string single = "王伟任经理、主管。";
  EXPECT_EQ(listed(single, {"王伟"}, {"经理、主管"}), Words{"经理、主管"});
  const std::string torn = "王伟、李娜分别任经理、。";
  EXPECT_EQ(listed(torn, {"王伟", "李娜"}, {"经理"}), Words{"经理"});
}

TEST(KeyLayout, NoKeysNoOwners) {
  const std::string text = "电话：111。";
  const KeyLayout layout(text, {});
  EXPECT_EQ(layout.keys(), 0U);
  EXPECT_TRUE(layout.runs().empty());
  EXPECT_EQ(layout.owners(spans_of(text, {"111"})), (std::vector<size_t>{kNone}));
}

}  // namespace
}  // namespace seqgpt
