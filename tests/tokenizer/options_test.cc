// SPDX-License-Identifier: Apache-2.0
// The options that are honoured. Expected ids and offsets are those of the Rust library
// `tokenizers` 0.22.2.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tokenizer/files.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<int32_t>;
using Offsets = std::vector<std::vector<uint32_t>>;

void expect_tokens(const Tokenizer& tokenizer, const std::string& text, const Ids& ids,
                   const Offsets& offsets) {
  Ids found;
  Offsets found_offsets;
  for (const Token& token : tokenizer.encode_with_offsets(text, AddedTokens::kRecognise)) {
    found.push_back(token.id);
    found_offsets.push_back({token.start, token.end});
  }
  EXPECT_EQ(found, ids) << text;
  EXPECT_EQ(found_offsets, offsets) << text;
  EXPECT_EQ(tokenizer.encode(text, AddedTokens::kRecognise), ids) << text;
}

const std::vector<std::string> kSpaceMerges = {"Ġ Ġ", "ĠĠ ĠĠ", "Ġ a", "a Ġ", "Ċ Ġ"};  // 256 to 260

TEST(TokenizerOptions, TrimmedOffsetsKeepTheFirstSpace) {
  Json file = byte_tokenizer(kSpaceMerges);
  file["post_processor"]["trim_offsets"] = true;
  const Tokenizer tokenizer = parse_ok(file);
  expect_tokens(tokenizer, " a b", {258, 32, 98}, {{0, 2}, {3, 3}, {3, 4}});
  expect_tokens(tokenizer, "  a", {32, 258}, {{0, 0}, {2, 3}});
  expect_tokens(tokenizer, "   ", {256, 32}, {{2, 2}, {3, 3}});
  expect_tokens(tokenizer, "a\n  a", {97, 260, 258}, {{0, 1}, {1, 2}, {4, 5}});
  expect_tokens(tokenizer, " ", {32}, {{0, 0}});
  expect_tokens(tokenizer, "b a ", {98, 258, 32}, {{0, 1}, {2, 3}, {4, 4}});
}

TEST(TokenizerOptions, TrimmedOffsetsWithoutPrefixSpace) {
  Json file = byte_tokenizer(kSpaceMerges);
  file["post_processor"]["trim_offsets"] = true;
  file["post_processor"]["add_prefix_space"] = false;
  const Tokenizer tokenizer = parse_ok(file);
  expect_tokens(tokenizer, " a b", {258, 32, 98}, {{1, 2}, {3, 3}, {3, 4}});
  expect_tokens(tokenizer, "  a", {32, 258}, {{1, 1}, {2, 3}});
  expect_tokens(tokenizer, "   ", {256, 32}, {{2, 2}, {3, 3}});
  expect_tokens(tokenizer, " ", {32}, {{1, 1}});
}

TEST(TokenizerOptions, OffsetsAreWholeWithoutPostProcessor) {
  Json file = byte_tokenizer(kSpaceMerges);
  file["post_processor"] = nullptr;
  expect_tokens(parse_ok(file), " a b", {258, 32, 98}, {{0, 2}, {2, 3}, {3, 4}});
}

TEST(TokenizerOptions, IgnoreMergesTakesWholePieces) {
  Json file = byte_tokenizer(kSpaceMerges);
  file["model"]["ignore_merges"] = true;
  file["model"]["vocab"]["abc"] = 261;
  file["model"]["vocab"]["Ġabc"] = 262;
  file["model"]["vocab"]["</s>"] = 263;
  expect_tokens(parse_ok(file), "abc abc, abcd", {261, 262, 44, 258, 98, 99, 100},
                {{0, 3}, {3, 7}, {7, 8}, {8, 10}, {10, 11}, {11, 12}, {12, 13}});
  EXPECT_EQ(parse_ok(file).encode("</s>"), (Ids{263}));
  file["added_tokens"] = Json::array({{{"id", 263}, {"content", "</s>"}, {"special", true}}});
  EXPECT_EQ(parse_ok(file).encode("</s>"), (Ids{'<', '/', 's', '>'}));
}

Json added(int32_t id, const std::string& content, bool normalized, bool special) {
  return {{"id", id}, {"content", content}, {"normalized", normalized}, {"special", special}};
}

TEST(TokenizerOptions, AddedTokensAreTheLongestAndUnnormalizedFirst) {
  Json file = byte_tokenizer();
  file["added_tokens"] = {added(256, "[X]", false, true), added(257, "[X][Y]", false, false),
                          added(258, "Y]z", true, false), added(259, "zz", true, false),
                          added(260, "]z", false, false)};
  const Tokenizer tokenizer = parse_ok(file);
  expect_tokens(tokenizer, "a[X]b", {97, 256, 98}, {{0, 1}, {1, 4}, {4, 5}});
  expect_tokens(tokenizer, "[X][Y]zz", {257, 259}, {{0, 6}, {6, 8}});
  expect_tokens(tokenizer, "[X][Yzz", {256, 91, 89, 259}, {{0, 3}, {3, 4}, {4, 5}, {5, 7}});
  expect_tokens(tokenizer, "Y]zzz", {89, 260, 259}, {{0, 1}, {1, 3}, {3, 5}});
  expect_tokens(tokenizer, "[X][X]", {256, 256}, {{0, 3}, {3, 6}});
  expect_tokens(tokenizer, " [X] z 你[X]好",
                {32, 256, 32, 122, 32, 228, 189, 160, 256, 229, 165, 189},
                {{0, 1},
                 {1, 4},
                 {4, 5},
                 {5, 6},
                 {6, 7},
                 {7, 8},
                 {7, 8},
                 {7, 8},
                 {8, 11},
                 {11, 12},
                 {11, 12},
                 {11, 12}});
  EXPECT_EQ(tokenizer.decode(Ids{256, 257, 97}, true), "[X][Y]a");
  EXPECT_EQ(tokenizer.encode("[X]"), (Ids{'[', 'X', ']'}));
}

TEST(TokenizerOptions, BytesWithoutATokenAreDroppedOrUnknown) {
  Json file = byte_tokenizer({"a c"});
  file["model"]["vocab"].erase("b");
  EXPECT_EQ(parse_ok(file).encode("abbc"), (Ids{256}));
  EXPECT_FALSE(parse_ok(file).covers_all_bytes());
  EXPECT_EQ(parse_ok(file).encode("bb"), Ids());
  EXPECT_TRUE(parse_ok(file).encode_with_offsets("bb").empty());
  file["model"]["vocab"]["<unk>"] = 98;
  file["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(parse_ok(file).encode("abbcb"), (Ids{97, 98, 98, 99, 98}));
  file["model"]["fuse_unk"] = true;
  EXPECT_EQ(parse_ok(file).encode("abbcb"), (Ids{97, 98, 99, 98}));
}

TEST(TokenizerOptions, EmptyTextHasNoTokens) {
  const Tokenizer tokenizer = parse_ok(byte_tokenizer());
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_TRUE(tokenizer.encode_with_offsets("", AddedTokens::kRecognise).empty());
  EXPECT_EQ(tokenizer.decode({}, false), "");
}

TEST(TokenizerOptions, BytesOfTokensOutsideTheAlphabetAreTheirText) {
  Json file = byte_tokenizer();
  file["model"]["vocab"]["你 "] = 256;  // neither character stands for a byte
  file["model"]["vocab"]["ä½ł"] = 257;  // the three bytes of 你
  const Tokenizer tokenizer = parse_ok(file);
  EXPECT_EQ(tokenizer.bytes(256), "你 ");
  EXPECT_EQ(tokenizer.bytes(257), "你");
  EXPECT_EQ(tokenizer.find("ä½ł"), 257);
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(tokenizer.bytes(byte), std::string(1, static_cast<char>(byte)));
  }
}

}  // namespace
}  // namespace seqgpt
