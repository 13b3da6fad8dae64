// SPDX-License-Identifier: Apache-2.0
// Any bytes, any kind: an answer that is well formed, the same each time, and never a crash.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "normalize/values.h"

namespace seqgpt {
namespace {

constexpr const char* kKinds[] = {"auto",    "date",      "duration", "amount", "number",
                                  "percent", "phone",     "email",    "id",     "id_card",
                                  "uscc",    "bank_card", "plate",    "postal"};

const char* const kPieces[] = {
    "2022", "年",     "3",  "月",   "1",  "日",   "下",   "周",     "上",   "个",   "半",   "小时",
    "后",   "前",     "至", "-",    "~",  "到",   "起",   "今",     "去",   "万",   "亿",   "千",
    "百",   "十",     "零", "点",   ".",  ",",    "一",   "二",     "两",   "三",   "几",   "多",
    "余",   "元",     "块", "角",   "分", "$",    "美元", "人民币", "（",   "）",   "大写", "整",
    "%",    "百分之", "折", "成",   "第", "季度", "末",   "初",     "138",  "0013", "8000", "+86",
    "转",   "*",      "x",  "@",    "a",  ".com", "京A",  "X",      " ",    "\n",   "：",   "约",
    "以上", "不低于", "又", "分之", "/",  ":",    "30",   "am",     "差",   "刻",   "廿",   "〇",
    "９",   "萬",     "E",  "e",    "k",  "Q",    "负",   "旬",     "\xFF", "😀"};

std::string random_value(std::mt19937& random) {
  std::string text;
  for (unsigned count = 1 + random() % 12; count > 0; --count)
    text += kPieces[random() % std::size(kPieces)];
  return text;
}

void check(const Normalized& value, const std::string& text) {
  if (!value.has_value()) {
    EXPECT_FALSE(value.reason.empty()) << text;
    EXPECT_EQ(value.flat.shape, Flat::Shape::kNone) << text;
    return;
  }
  EXPECT_TRUE(value.reason.empty()) << text;
  EXPECT_FALSE(value.kind.empty()) << text;
  EXPECT_NE(value.flat.shape, Flat::Shape::kNone) << text;
  for (const NormalizedPart& field : value.fields) {
    const auto* written = std::get_if<std::string>(&field.value);
    if (written != nullptr) {
      EXPECT_FALSE(utf8_first_invalid(*written)) << text;
    }
  }
}

TEST(Properties, RandomTextsHaveWellFormedAnswersTwice) {
  std::mt19937 random(7);
  int values = 0;
  for (int i = 0; i < 30000; ++i) {
    const std::string text = random_value(random);
    const char* const kind = kKinds[random() % std::size(kKinds)];
    const ReferenceTime reference = random() % 4 == 0 ? ReferenceTime() : testing_support::monday();
    const Normalized first = testing_support::read(kind, text, reference);
    check(first, text);
    const Normalized again = testing_support::read(kind, text, reference);
    EXPECT_EQ(testing_support::as_json(first), testing_support::as_json(again)) << text;
    EXPECT_EQ(first.reason, again.reason) << text;
    values += first.has_value();
  }
  EXPECT_GT(values, 300);  // the texts are not all nonsense
}

TEST(Properties, RandomBytes) {
  std::mt19937 random(8);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    check(testing_support::read(kKinds[random() % std::size(kKinds)], bytes), bytes);
  }
}

TEST(Properties, LongTextsAreRefusedQuickly) {
  for (const char* kind : kKinds) {
    EXPECT_EQ(testing_support::brief(kind, std::string(1025, '1')), "!too_long");
    std::string longest;
    while (longest.size() + 6 <= 1024) longest += "至、";
    check(testing_support::read(kind, longest), longest);
    check(testing_support::read(kind, std::string(1024, '-')), "dashes");
    check(testing_support::read(kind, std::string(1024, '(')), "brackets");
    EXPECT_EQ(testing_support::brief(kind, "\xC3"), "!not_utf8");
  }
}

TEST(Properties, OuterWhiteSpaceAndBreaksChangeNothing) {
  for (const auto& [kind, text] : {std::pair{"date", "2022年3月1日"},
                                   {"amount", "120万元"},
                                   {"number", "二十一"},
                                   {"phone", "13800138000"},
                                   {"duration", "三年六个月"},
                                   {"percent", "百分之五"}}) {
    const std::string plain = testing_support::brief(kind, text);
    EXPECT_EQ(testing_support::brief(kind, "　\n " + std::string(text) + " \r\n"), plain);
    std::string broken(text);
    broken.insert(broken.size() - 3, "\n");
    if (utf8_boundary(text, broken.size() - 4)) {
      EXPECT_EQ(testing_support::brief(kind, broken), plain) << broken;
    }
  }
}

}  // namespace
}  // namespace seqgpt
