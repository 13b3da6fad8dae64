// SPDX-License-Identifier: Apache-2.0
// Tests of narrowing: what types, patterns and lists offer of a text, and what they do not.
#include "constrain/narrowing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "constrain/type_language.h"
#include "harness.h"
#include "task/pattern.h"

namespace seqgpt::harness {
namespace {

Label of_type(const std::string& type, const std::string& id_kind = "") {
  Label label{"字段", "字段", type};
  label.id_kind = id_kind;
  return label;
}

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

std::shared_ptr<const SpanIndex> narrowed(const std::string& text, const Label& label) {
  auto indices = narrow_to_labels(index_of(text), std::span(&label, 1));
  EXPECT_TRUE(indices.ok()) << indices.error().message;
  return indices->front();
}

void walk(const SpanIndex& index, SpanIndex::State state, std::set<std::string>& values) {
  if (index.may_stop(state)) values.emplace(index.bytes(state));
  for (const uint8_t byte : index.following(state)) walk(index, index.next(state, byte), values);
}

std::set<std::string> offered(const std::string& text, const Label& label) {
  std::set<std::string> values;
  walk(*narrowed(text, label), SpanIndex::kRoot, values);
  return values;
}

struct Offers {
  const char* type;
  const char* text;
  std::vector<const char*> yes;
  std::vector<const char*> no;
};

void PrintTo(const Offers& offers, std::ostream* out) {
  *out << offers.type << " in " << offers.text;
}

class TypeLanguages : public testing::TestWithParam<Offers> {};

TEST_P(TypeLanguages, OfferAndWithhold) {
  const Offers& expected = GetParam();
  const std::set<std::string> values = offered(expected.text, of_type(expected.type));
  for (const char* value : expected.yes) EXPECT_TRUE(values.contains(value)) << value;
  for (const char* value : expected.no) EXPECT_FALSE(values.contains(value)) << value;
}

INSTANTIATE_TEST_SUITE_P(
    Dates, TypeLanguages,
    testing::Values(
        Offers{"date",
               "王伟于2022年3月入职公司",
               {"2022年3月", "2022年"},
               {"王伟", "022年", "公司", "22年3月"}},
        Offers{"date", "12022年出货", {"12022年"}, {"2022年", "022年"}},
        Offers{"date", "支持4/5G网络，2023-05-01上线", {"2023-05-01"}, {"4/5", "4/5G", "5G", "4"}},
        Offers{"date",
               "合同编号：YT-2026-0117，1-Mar-2026至2027年2月28日",
               {"1-Mar-2026", "2026", "2027年2月28日"},
               {"2026-0117", "2026-01"}},
        Offers{"date", "二十一日交货", {"二十一日"}, {"十一日", "一日", "日"}},
        Offers{"date",
               "二〇二二年三月一日，去年、上周五和今天下午3点",
               {"二〇二二年三月一日", "去年", "上周五", "今天下午3点"},
               {"二二年"}},
        Offers{"date",
               "自2020/1/1至2021.12.31止",
               {"2020/1/1", "2021.12.31", "2020/1/1至2021.12.31"},
               {"21.12.31"}},
        Offers{"date",
               "Signed on March 15, 2022 by Li",
               {"March 15, 2022", "March 15"},
               {"Signed", "arch 15", "by"}},
        Offers{"date", "2022-03-01T10:30:00Z", {"2022-03-01T10:30:00Z"}, {"01T10"}},
        Offers{"date", "日期：20220301 编号：20", {"20220301"}, {"20"}},
        Offers{"date",
               "2018年8月16日（星期四）",
               {"2018年8月16日（星期四）"},
               {"16日（星期四", "（星期四）"}},
        Offers{"date",
               "民国三十八年及近三年，24小时内",
               {"民国三十八年", "近三年", "24小时内"},
               {"十八年"}}));

INSTANTIATE_TEST_SUITE_P(
    Amounts, TypeLanguages,
    testing::Values(
        Offers{"amount",
               "注册资本1,100万元",
               {"1,100万元", "1,100万"},
               {"100万元", "100万", "1", "1,100", "资本"}},
        Offers{"amount", "注册资本１，１００万元", {"１，１００万元"}, {"１００万元"}},
        Offers{"amount", "三、200万元整", {"200万元整", "200万元"}, {"三、200万元", "00万元"}},
        Offers{"amount", "3.2 120万元", {"120万元"}, {"3.2 120万元", "2 120万元"}},
        Offers{
            "amount",
            "人民币（大写）：壹佰贰拾万元整（￥1,200,000.00）",
            {"壹佰贰拾万元整", "人民币（大写）：壹佰贰拾万元整", "￥1,200,000.00", "1,200,000.00"},
            {"贰拾万元整", "200,000.00", "000.00", "万元整（￥1,200,000.00"}},
        Offers{"amount", "年薪约5-8万，或面议", {"5-8万", "约5-8万"}, {"面议", "或"}},
        Offers{"amount",
               "USD 1.5 million或15k-20k，3万5",
               {"USD 1.5 million", "1.5 million", "15k-20k", "3万5"},
               {"5 million", "SD 1.5", "15", "万5", "5"}},
        Offers{"amount", "亏损-1200.5元，￥99", {"-1200.5元", "￥99", "99"}, {"200.5元", "5元"}},
        Offers{"amount",
               "数百万美元，不超过14.5元",
               {"数百万美元", "不超过14.5元"},
               {"万美元", "4.5元"}}));

INSTANTIATE_TEST_SUITE_P(
    NumbersAndDurations, TypeLanguages,
    testing::Values(
        Offers{"number",
               "采购二十一台电脑",
               {"二十一台", "二十一", "二十一台电脑"},
               {"十一台", "一台", "采购", "电脑"}},
        Offers{"number",
               "年龄35岁，身高1.75米",
               {"35岁", "35", "1.75米"},
               {"5岁", "75米", "年龄35岁", "身高"}},
        Offers{"number", "约2,000平方米", {"约2,000平方米", "2,000"}, {"000平方米", "平方米"}},
        Offers{"number", "共1,2345件，1,234件", {"1", "2345件", "1,234件"}, {"1,2345件", "234件"}},
        Offers{"number", "5kg和12.5%", {"5kg", "5", "12.5%"}, {"kg", "5k"}},
        Offers{"percent",
               "年利率4.35%，上浮百分之十",
               {"4.35%", "年利率4.35%", "百分之十"},
               {"35%", "浮"}},
        Offers{"percent", "LPR+50BP 税率13", {"LPR+50BP", "13"}, {"PR+50BP", "3"}},
        Offers{"duration",
               "利率18%，1200万元，10个工作日内付清",
               {"10个工作日", "10个工作日内"},
               {"18", "1200万", "10", "10个"}},
        Offers{"duration",
               "24個月、150日历天、2024.4.1—2025.3.31、半年",
               {"24個月", "150日历天", "150日", "2024.4.1—2025.3.31", "半年"},
               {"24", "150", "31"}},
        Offers{"duration",
               "三（3）年、3晚、10-year、两个礼拜、十来天；5000元、0.1234、21234",
               {"三（3）年", "3晚", "10-year", "两个礼拜", "十来天"},
               {"5000", "0.1234", "1234", "21234"}},
        Offers{
            "duration", "8+年经验, 12 months，36期", {"8+年", "12 months", "36期"}, {"12", "36"}},
        Offers{"duration", "租期三年六个月，长期有效", {"三年六个月", "长期"}, {"有效", "租期"}},
        Offers{"duration", "工作10多年; 3-5 years", {"10多年", "3-5 years"}, {"0多年", "5 year"}}));

INSTANTIATE_TEST_SUITE_P(
    Identifiers, TypeLanguages,
    testing::Values(
        Offers{"phone",
               "电话：010-62345678转8001，手机138****8000",
               {"010-62345678转8001", "138****8000"},
               {"电话", "10-62345678", "0-62345678转8001", "8****8000"}},
        Offers{"phone",
               "Tel13800138000 +86 138 0013 8000",
               {"13800138000", "+86 138 0013 8000"},
               {"Tel13800138000", "3800138000"}},
        Offers{
            "phone", "拨打(021) 5888-9999", {"(021) 5888-9999", "5888-9999"}, {"021) 5888-9999"}},
        Offers{"email",
               "邮箱:zhang.san@qq.com.",
               {"zhang.san@qq.com"},
               {"san@qq.com", "zhang.san@qq", "邮箱", "zhang.san@qq.com."}},
        Offers{
            "id", "合同HT-2022-001号", {"HT-2022-001", "HT-2022-001号"}, {"T-2022-001", "001号合"}},
        Offers{"id",
               "（2023）沪01民初123号判决",
               {"（2023）沪01民初123号"},
               {"（2023", "2023）沪01民初123号"}},
        Offers{"id", "依据第十二条", {"第十二条", "十二"}, {"依据"}},
        Offers{"id",
               "车牌京A·12345，QQ474395755",
               {"京A·12345", "474395755"},
               {"京A·1234", "74395755"}},
        Offers{"person",
               "李明（13800138000）与让·皮埃尔·Dupont Jr.签约",
               {"李明", "让·皮埃尔·Dupont", "让·皮埃尔·Dupont Jr."},
               {"13800138000", "Dup", "upont"}}));

TEST(TypeLanguages, KindsOfIdHaveNoChinese) {
  const std::string text = "身份证110101199003071234的王伟";
  EXPECT_TRUE(offered(text, of_type("id", "id_card")).contains("110101199003071234"));
  EXPECT_FALSE(offered(text, of_type("id", "id_card")).contains("身份证110101199003071234"));
  EXPECT_TRUE(offered(text, of_type("id")).contains("身份证110101199003071234"));
  EXPECT_TRUE(offered("车牌京A12345", of_type("id", "plate")).contains("京A12345"));
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
