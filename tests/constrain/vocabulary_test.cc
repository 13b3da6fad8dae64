// SPDX-License-Identifier: Apache-2.0
// Tests of the vocabulary trie: every usable token is found by its bytes, and no other.
#include "constrain/vocabulary.h"

#include <gtest/gtest.h>

#include <map>

#include "reference.h"

namespace seqgpt {
namespace {

void collect(const VocabularyTrie& trie, uint32_t node, std::string& bytes,
             std::map<std::string, int32_t>& found) {
  const auto& entry = trie.node(node);
  if (entry.id >= 0) found[bytes] = entry.id;
  const auto children = trie.child_bytes(entry);
  for (size_t i = 0; i < children.size(); ++i) {
    EXPECT_TRUE(i == 0 || children[i - 1] < children[i]);
    EXPECT_EQ(trie.child(entry, children[i]), entry.first_child + i);
    bytes.push_back(static_cast<char>(children[i]));
    collect(trie, entry.first_child + static_cast<uint32_t>(i), bytes, found);
    bytes.pop_back();
  }
}

void expect_holds(const Tokenizer& tokenizer, int rows) {
  const auto trie = VocabularyTrie::build(tokenizer, rows);
  ASSERT_TRUE(trie.ok()) << trie.error().message;
  std::map<std::string, int32_t> expected;
  for (int32_t id = 0; id < std::min(rows, tokenizer.size()); ++id) {
    const bool usable = !tokenizer.is_added(id) && !tokenizer.bytes(id).empty();
    EXPECT_EQ((*trie)->bytes(id), usable ? tokenizer.bytes(id) : "");
    if (usable) expected.emplace(tokenizer.bytes(id), id);
  }
  std::map<std::string, int32_t> found;
  std::string bytes;
  collect(**trie, VocabularyTrie::kRoot, bytes, found);
  EXPECT_EQ(found, expected);
  EXPECT_TRUE((*trie)->bytes(-1).empty());
  EXPECT_TRUE((*trie)->bytes(rows).empty());
  EXPECT_TRUE((*trie)->bytes(INT32_MAX).empty());
}

TEST(VocabularyTrie, HoldsEveryUsableToken) {
  for (const char* directory : {"tokenizer/main", "tokenizer/adversarial",
                                "tokenizer/main_arraymerges_genspecial", "models/bloom-tiny"}) {
    SCOPED_TRACE(directory);
    const Tokenizer tokenizer = reference::golden_tokenizer(directory);
    expect_holds(tokenizer, tokenizer.size());
    expect_holds(tokenizer, tokenizer.size() + 100);
    expect_holds(tokenizer, 700);
  }
  expect_holds(reference::byte_tokenizer(), 260);
  expect_holds(reference::wild_tokenizer(5, 3000), 1 << 20);
}

TEST(VocabularyTrie, RefusesAVocabularyThatLacksAByte) {
  const Tokenizer tokenizer = reference::byte_tokenizer();
  for (const int rows : {0, 4, 200, 259}) {
    const auto trie = VocabularyTrie::build(tokenizer, rows);
    ASSERT_FALSE(trie.ok());
    EXPECT_EQ(trie.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(trie.error().message.find("byte"), std::string::npos);
  }
}

TEST(VocabularyTrie, HoldsNoAddedToken) {
  const Tokenizer tokenizer = reference::golden_tokenizer("tokenizer/main");
  const auto trie = VocabularyTrie::build(tokenizer, 6000);
  ASSERT_TRUE(trie.ok());
  for (const char* added : {"<unk>", "<s>", "</s>", "<pad>", "[GEN]"}) {
    const auto id = tokenizer.find(added);
    ASSERT_TRUE(id.has_value());
    EXPECT_TRUE((*trie)->bytes(*id).empty());
  }
}

}  // namespace
}  // namespace seqgpt
