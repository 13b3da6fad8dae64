// SPDX-License-Identifier: Apache-2.0
// Ids, offsets and texts equal those of the reference implementation in every golden case.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tokenizer/files.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {
namespace {

using Ids = std::vector<int32_t>;
using Json = nlohmann::json;

/// One encode golden against one vocabulary that has the same ids.
void check_encode(const std::string& directory, const std::string& golden_file,
                  size_t expected_cases) {
  const Tokenizer tokenizer = load_golden(directory);
  const Json cases = read_json(golden(golden_file))["cases"];
  ASSERT_EQ(cases.size(), expected_cases);
  for (const Json& golden_case : cases) {
    const auto text = golden_case["text"].get<std::string>();
    const auto expected = golden_case["ids"].get<Ids>();
    SCOPED_TRACE(golden_case["id"].get<std::string>());
    EXPECT_EQ(tokenizer.encode(text, AddedTokens::kRecognise), expected);
    const std::vector<Token> tokens = tokenizer.encode_with_offsets(text, AddedTokens::kRecognise);
    ASSERT_EQ(tokens.size(), expected.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      EXPECT_EQ(tokens[i].id, expected[i]);
      if (!golden_case.contains("offsets")) continue;
      EXPECT_EQ(tokens[i].start, golden_case["offsets"][i][0].get<uint32_t>()) << "token " << i;
      EXPECT_EQ(tokens[i].end, golden_case["offsets"][i][1].get<uint32_t>()) << "token " << i;
    }
    const std::string decoded = golden_case.value("decoded", text);
    EXPECT_EQ(tokenizer.decode(expected, false), decoded);
    const bool same_specials = directory != "tokenizer/main_arraymerges_genspecial";
    if (same_specials && golden_case.contains("decoded_skip_special")) {
      EXPECT_EQ(tokenizer.decode(expected, true),
                golden_case["decoded_skip_special"].get<std::string>());
    }
  }
}

TEST(TokenizerGolden, EncodesMain) {
  check_encode("tokenizer/main", "tokenizer/encode_main.json", 412);
}

TEST(TokenizerGolden, EncodesMainWithMergesAsPairs) {
  check_encode("tokenizer/main_arraymerges_genspecial", "tokenizer/encode_main.json", 412);
}

TEST(TokenizerGolden, EncodesAdversarial) {
  check_encode("tokenizer/adversarial", "tokenizer/encode_adversarial.json", 225);
}

TEST(TokenizerGolden, DecodesWithAndWithoutSpecials) {
  const Tokenizer main = load_golden("tokenizer/main");
  const Tokenizer gen_special = load_golden("tokenizer/main_arraymerges_genspecial");
  const Json cases = read_json(golden("tokenizer/decode_main.json"))["cases"];
  ASSERT_EQ(cases.size(), 91U);
  for (const Json& golden_case : cases) {
    SCOPED_TRACE(golden_case["id"].get<std::string>());
    const auto ids = golden_case["ids"].get<Ids>();
    const auto skipped = golden_case["decoded_skip_special"].get<std::string>();
    EXPECT_EQ(main.decode(ids, false), golden_case["decoded"].get<std::string>());
    EXPECT_EQ(main.decode(ids, true), skipped);
    EXPECT_EQ(gen_special.decode(ids, false), golden_case["decoded"].get<std::string>());
    EXPECT_EQ(gen_special.decode(ids, true),
              golden_case.value("decoded_skip_special_when_GEN_is_special", skipped));
  }
}

TEST(TokenizerGolden, EncodesPrompts) {
  const Tokenizer tokenizer = load_golden("tokenizer/main");
  const Json cases = read_json(golden("tokenizer/prompts_main.json"))["cases"];
  ASSERT_FALSE(cases.empty());
  for (const Json& golden_case : cases) {
    for (size_t i = 0; i < golden_case["prompts"].size(); ++i) {
      const auto prompt = golden_case["prompts"][i].get<std::string>();
      EXPECT_EQ(tokenizer.encode(prompt, AddedTokens::kRecognise), golden_case["ids"][i].get<Ids>())
          << golden_case["id"];
    }
  }
}

/// Texts and ids inside a model's expected.json, wherever they stand together.
size_t check_texts(const Tokenizer& tokenizer, const Json& node) {
  size_t found = 0;
  if (node.is_object() && node.contains("text") && node.contains("ids") &&
      node["text"].is_string()) {
    const auto text = node["text"].get<std::string>();
    const auto ids = node["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.encode(text, AddedTokens::kRecognise), ids) << text;
    if (node.contains("offsets")) {
      const auto offsets = node["offsets"].get<std::vector<std::vector<uint32_t>>>();
      const auto tokens = tokenizer.encode_with_offsets(text, AddedTokens::kRecognise);
      EXPECT_EQ(tokens.size(), offsets.size());
      for (size_t i = 0; i < std::min(tokens.size(), offsets.size()); ++i) {
        EXPECT_EQ((std::vector<uint32_t>{tokens[i].start, tokens[i].end}), offsets[i]) << text;
      }
    }
    ++found;
  }
  if (node.is_structured()) {
    for (const Json& child : node) found += check_texts(tokenizer, child);
  }
  return found;
}

TEST(TokenizerGolden, EncodesTheTextsOfEveryModel) {
  size_t models = 0;
  size_t texts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden("models"))) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().string());
    const auto tokenizer = Tokenizer::load(entry.path() / "tokenizer.json");
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
    EXPECT_TRUE(tokenizer->covers_all_bytes());
    EXPECT_EQ(tokenizer->size(), 1151);
    ++models;
    texts += check_texts(*tokenizer, read_json(entry.path() / "expected.json"));
  }
  EXPECT_EQ(models, 11U);
  EXPECT_GT(texts, 10U);
}

TEST(TokenizerGolden, KnowsItsTokens) {
  const Tokenizer main = load_golden("tokenizer/main");
  EXPECT_EQ(main.size(), 6000);
  EXPECT_TRUE(main.covers_all_bytes());
  const std::map<std::string, int32_t> added = {
      {"<unk>", 0}, {"<s>", 1}, {"</s>", 2}, {"<pad>", 3}, {"[GEN]", 5999}};
  for (const auto& [content, id] : added) {
    EXPECT_EQ(main.find(content), id);
    EXPECT_EQ(main.bytes(id), content);
    EXPECT_TRUE(main.is_added(id));
    EXPECT_EQ(main.is_special(id), content != "[GEN]");
  }
  EXPECT_TRUE(load_golden("tokenizer/main_arraymerges_genspecial").is_special(5999));
  EXPECT_FALSE(main.is_added(4));
  EXPECT_FALSE(main.is_special(4));
  EXPECT_EQ(main.bytes(4), "!");
  EXPECT_EQ(main.find("no such token"), std::nullopt);
  EXPECT_EQ(main.find(""), std::nullopt);
  for (const int32_t id : {-1, 6000, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(main.bytes(id), "");
    EXPECT_FALSE(main.is_added(id));
    EXPECT_FALSE(main.is_special(id));
    EXPECT_EQ(main.decode(Ids{4, id, 4}, false), "!!");
  }
}

TEST(TokenizerGolden, UserTextNeverBecomesAnAddedToken) {
  const std::string text = "甲[GEN]乙</s>丙<pad> <s><unk>";
  for (const char* directory :
       {"tokenizer/main", "tokenizer/main_arraymerges_genspecial", "tokenizer/adversarial"}) {
    const Tokenizer tokenizer = load_golden(directory);
    const Ids ids = tokenizer.encode(text);
    for (const int32_t id : ids) EXPECT_FALSE(tokenizer.is_added(id)) << directory << " " << id;
    EXPECT_EQ(tokenizer.decode(ids, true), text);
    const Ids recognised = tokenizer.encode(text, AddedTokens::kRecognise);
    size_t added = 0;
    for (const int32_t id : recognised) added += tokenizer.is_added(id) ? 1 : 0;
    EXPECT_EQ(added, 5U) << directory;
    EXPECT_EQ(tokenizer.decode(recognised, false), text);
  }
}

}  // namespace
}  // namespace seqgpt
