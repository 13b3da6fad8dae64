// SPDX-License-Identifier: Apache-2.0
// Tests of labels, texts and prompts: the command line's grammar, every refusal, SeqGPT's template.
#include "task/task.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "task/characters.h"

namespace seqgpt {
namespace {

std::vector<Label> named(const std::vector<std::string>& names) {
  std::vector<Label> labels;
  for (const std::string& name : names) labels.push_back({name, "", ""});
  return labels;
}

Error refused(const std::vector<Label>& labels) {
  auto checked = check_labels(labels);
  EXPECT_FALSE(checked.ok());
  return checked.ok() ? Error{} : checked.error();
}

void expect_refused(const std::vector<std::string>& names, const std::string& param,
                    const std::string& word) {
  const Error error = refused(named(names));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
  EXPECT_EQ(error.param, param) << error.message;
  EXPECT_NE(error.message.find(param), std::string::npos) << error.message;
  EXPECT_NE(error.message.find(word), std::string::npos) << error.message;
}

struct Written {
  const char* written;
  const char* name;
  const char* type;
  const char* key;
};

class ParseLabel : public testing::TestWithParam<Written> {};

TEST_P(ParseLabel, FollowsTheGrammar) {
  const Label label = parse_label(GetParam().written);
  EXPECT_EQ(label.name, GetParam().name);
  EXPECT_EQ(label.type, GetParam().type);
  EXPECT_EQ(label.key, GetParam().key);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, ParseLabel,
    testing::Values(Written{"姓名", "姓名", "", "姓名"},
                    Written{"薪资:amount=annual_salary", "薪资", "amount", "annual_salary"},
                    Written{"薪资=annual_salary", "薪资", "", "annual_salary"},
                    Written{"入职时间:date", "入职时间", "date", "入职时间"},
                    Written{"网址:http", "网址:http", "", "网址:http"},
                    Written{"网址:http:text", "网址:http", "text", "网址:http"},
                    Written{"薪资：amount", "薪资：amount", "", "薪资：amount"},
                    Written{"编号:ID", "编号:ID", "", "编号:ID"}, Written{"a=b=c", "a=b", "", "c"},
                    Written{"姓名=", "姓名", "", "姓名"}, Written{":date", "", "date", ""},
                    Written{"\u3000薪资 : amount = pay\t", "薪资", "amount", "pay"},
                    Written{"a=b:date", "a", "", "b:date"}, Written{"", "", "", ""}));

TEST(ParseLabelList, SplitsOnThreeCommas) {
  const auto labels = parse_label_list("姓名, 公司:org=c，职位、\u3000薪资 ");
  ASSERT_EQ(labels.size(), 4U);
  EXPECT_EQ(labels[0].name, "姓名");
  EXPECT_EQ(labels[1].name, "公司");
  EXPECT_EQ(labels[1].key, "c");
  EXPECT_EQ(labels[2].name, "职位");
  EXPECT_EQ(labels[3].name, "薪资");
}

TEST(ParseLabelList, KeepsEmptyPartsForTheCheck) {
  EXPECT_TRUE(parse_label_list("").empty());
  EXPECT_TRUE(parse_label_list(" \u3000").empty());
  const auto labels = parse_label_list("姓名,,公司,");
  ASSERT_EQ(labels.size(), 4U);
  EXPECT_EQ(refused(labels).param, "labels[1]");
}

TEST(CheckLabels, TrimsAndFillsKeys) {
  const auto checked = check_labels({{" \u3000姓名\n", "", ""}, {"CTO", " boss ", "person"}});
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  EXPECT_EQ((*checked)[0].name, "姓名");
  EXPECT_EQ((*checked)[0].key, "姓名");
  EXPECT_EQ((*checked)[1].name, "CTO");
  EXPECT_EQ((*checked)[1].key, "boss");
  EXPECT_EQ((*checked)[1].type, "person");
}

TEST(CheckLabels, RefusesNoneEmptyAndEqual) {
  EXPECT_EQ(refused({}).param, "labels");
  expect_refused({"姓名", " \u3000 "}, "labels[1]", "empty");
  expect_refused({"姓名", "公司", "姓名 "}, "labels[2]", "labels[0]");
  expect_refused({"ceo name", "CEO  Name"}, "labels[1]", "labels[0]");
  expect_refused({"Ｃ", "ｃ"}, "labels[1]", "labels[0]");
  expect_refused({"É", "é"}, "labels[1]", "labels[0]");
  expect_refused({"甲,乙", "甲、乙"}, "labels[1]", "labels[0]");
}

TEST(CheckLabels, RefusesEqualKeys) {
  EXPECT_EQ(refused({{"姓名", "name", ""}, {"名字", "NAME", ""}}).param, "labels[1]");
  EXPECT_EQ(refused({{"姓名", "", ""}, {"名字", "姓名", ""}}).param, "labels[1]");
  EXPECT_TRUE(check_labels({{"姓名", "名字", ""}, {"名字", "姓名", ""}}).ok());
}

TEST(CheckLabels, StatesItsLimits) {
  std::string longest;
  for (size_t i = 0; i < kMaxLabelCharacters; ++i) longest += "字";
  EXPECT_TRUE(check_labels(named({longest})).ok());
  expect_refused({"a", longest + "s"}, "labels[1]", "100");

  std::vector<std::string> many;
  for (size_t i = 0; i < kMaxLabels; ++i) many.push_back(std::to_string(i));
  EXPECT_TRUE(check_labels(named(many)).ok());
  many.emplace_back("more");
  const Error error = refused(named(many));
  EXPECT_EQ(error.code, ErrorCode::kTooLarge);
  EXPECT_EQ(error.param, "labels");
  EXPECT_NE(error.message.find("1000"), std::string::npos);
}

TEST(CheckLabels, RefusesControlsAndTheWordsOfThePrompt) {
  for (const std::string bad :
       {"a\nb", "a\tb", "a\rb", "a\x01z", "a\x7F z", "a\u0085b", "a\u2028b"}) {
    expect_refused({"ok", bad}, "labels[1]", "control");
  }
  expect_refused({std::string("a\0b", 3)}, "labels[0]", "control");
  for (const char* word :
       {"输入:", "输入：", "抽取:", "抽取：", "分类:", "分类：", "输出:", "输出：", "[GEN]"}) {
    expect_refused({"x", "y", "前" + std::string(word) + "后"}, "labels[2]", "the prompt itself");
  }
  EXPECT_TRUE(check_labels(named({"输入", "GEN", "输出，:", "分类标准"})).ok());
  expect_refused({"a\xFFz"}, "labels[0]", "UTF-8");
  EXPECT_EQ(refused({{"a", "x\ny", ""}}).param, "labels[0]");
}

TEST(CheckLabels, RefusesAnUnknownType) {
  const Error error = refused({{"a", "", "text"}, {"b", "", "money"}});
  EXPECT_EQ(error.param, "labels[1].type");
  EXPECT_NE(error.message.find("amount"), std::string::npos);
}

TEST(CheckText, TakesWhatCanBeRead) {
  EXPECT_TRUE(check_text("x", 1).ok());
  EXPECT_TRUE(check_text(" \n字\t", 4).ok());
  EXPECT_TRUE(check_text("[GEN]</s>输入:", 100).ok());
}

TEST(CheckText, RefusesAndSaysWhy) {
  const auto expect = [](std::string_view text, size_t most, ErrorCode code, const char* word) {
    const Status status = check_text(text, most);
    ASSERT_FALSE(status.ok()) << word;
    EXPECT_EQ(status.error().code, code);
    EXPECT_EQ(status.error().param, "text");
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  };
  expect("", 10, ErrorCode::kInvalidArgument, "empty");
  expect(" \t\r\n\u3000\u00A0\uFEFF\u200B", 10, ErrorCode::kInvalidArgument, "white space");
  expect("字\xE5\xAD", 10, ErrorCode::kInvalidArgument, "byte 3 (counted from 0) is 0xE5");
  expect(std::string_view("ab\0c", 4), 10, ErrorCode::kInvalidArgument, "NUL byte at byte 2");
  expect("字字字", 2, ErrorCode::kTooLarge, "3 characters, the limit is 2");
}

TEST(PromptName, HasNoCommaAndSingleSpaces) {
  EXPECT_EQ(prompt_name({"甲,乙，丙、丁﹐戊", "", ""}), "甲、乙、丙、丁、戊");
  EXPECT_EQ(prompt_name({"a \u3000 b  c", "", ""}), "a b c");
  EXPECT_EQ(prompt_name({"净利润（万元）", "", ""}), "净利润（万元）");
}

// numpy.array_split, restated: the first n % k parts have one more.
TEST(GroupSizes, AreNearEqualAndTheLargerFirst) {
  EXPECT_TRUE(group_sizes(0).empty());
  EXPECT_EQ(group_sizes(6), (std::vector<size_t>{6}));
  EXPECT_EQ(group_sizes(7), (std::vector<size_t>{4, 3}));
  EXPECT_EQ(group_sizes(13), (std::vector<size_t>{5, 4, 4}));
  for (size_t most = 1; most < 9; ++most) {
    for (size_t count = 1; count < 60; ++count) {
      const auto sizes = group_sizes(count, most);
      size_t sum = 0;
      for (const size_t size : sizes) sum += size;
      EXPECT_EQ(sum, count);
      EXPECT_EQ(sizes.size(), (count + most - 1) / most);
      EXPECT_TRUE(std::ranges::is_sorted(sizes, std::greater<>()));
      EXPECT_LE(sizes.front() - sizes.back(), 1U);
      EXPECT_LE(sizes.front(), most);
    }
  }
}

// The official script's prompts: labels split and grouped, the text stripped.
TEST(RenderPrompt, EqualsTheGoldenPrompts) {
  std::ifstream file(SEQGPT_GOLDEN_DIR "/tokenizer/prompts_main.json");
  const auto golden = nlohmann::json::parse(file);
  size_t compared = 0;
  for (const auto& item : golden.at("cases")) {
    const auto kind = item.at("task") == "2" ? TaskKind::kExtract : TaskKind::kClassify;
    const size_t most =
        kind == TaskKind::kExtract ? item.at("extract_label_batch").get<size_t>() : SIZE_MAX;
    std::vector<std::string> names;
    for (const Label& label : parse_label_list(item.at("labels").get<std::string>())) {
      names.push_back(prompt_name(label));
    }
    const auto sizes =
        most == SIZE_MAX ? std::vector<size_t>{names.size()} : group_sizes(names.size(), most);
    auto from = names.begin();
    for (size_t i = 0; i < sizes.size(); ++i, ++compared) {
      const std::vector<std::string> group(from, from + static_cast<std::ptrdiff_t>(sizes[i]));
      from += static_cast<std::ptrdiff_t>(sizes[i]);
      EXPECT_EQ(render_prompt(kind, item.at("sentence").get<std::string>(), group) + "[GEN]",
                item.at("prompts").at(i).get<std::string>());
    }
    EXPECT_EQ(sizes.size(), item.at("prompts").size());
  }
  EXPECT_GT(compared, 0U);
}

TEST(Characters, AreTrimmedByUnicodeWhiteSpace) {
  EXPECT_EQ(trim_white_space(" \t\u3000\u2003字 \u00A0字\u0085\u2028\n"), "字 \u00A0字");
  EXPECT_EQ(trim_white_space("\u200B字"), "\u200B字");
  EXPECT_EQ(trim_white_space("\u3000 "), "");
  EXPECT_EQ(trim_white_space(""), "");
}

TEST(Characters, KnowBlanksAndMarks) {
  for (const char32_t c : {U' ', U'\n', U'\u3000', U'\u200B', U'\uFEFF', U'\0', U'\x7F'}) {
    EXPECT_TRUE(is_blank(c)) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'a', U'字', U'\u0301', U'\u200D', U'，'}) {
    EXPECT_FALSE(is_blank(c)) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'\u0301', U'\uFE0F', U'\u200D', U'\u0903', U'\u20DD', U'\U000E0101'}) {
    EXPECT_TRUE(is_mark(c)) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'a', U'字', U' ', U'👍', U'\u00B4'}) {
    EXPECT_FALSE(is_mark(c)) << static_cast<uint32_t>(c);
  }
}

}  // namespace
}  // namespace seqgpt
