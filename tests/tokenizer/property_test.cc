// SPDX-License-Identifier: Apache-2.0
// Properties on random texts, and a naive tokenizer that applies the merges one by one to compare
// with.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/files.h"
#include "tokenizer/split.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<int32_t>;
using Random = std::mt19937_64;

/// The characters that end a word, as the golden README lists them.
bool naive_delimiter(char32_t c) {
  static const std::set<char32_t> punctuation = {
      '(', ')', '|', '.', ',', '!', '?', 0x2026, 0x3002, 0xFF0C, 0x3001, 0x964, 0x6D4, 0x60C};
  static const std::set<char32_t> space = {0x20,   0x85,   0xA0,   0x1680, 0x2028,
                                           0x2029, 0x202F, 0x205F, 0x3000};
  return punctuation.contains(c) || space.contains(c) || (c >= 9 && c <= 13) ||
         (c >= 0x2000 && c <= 0x200A);
}

std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += out.back().size())
    out.push_back(text.substr(at, utf8_decode(text, at).bytes));
  return out;
}

/// The pieces by trying the pattern " ?[^set]+" at every character; what it leaves between is a
/// piece too.
std::vector<std::string> naive_split(const std::string& text) {
  const std::vector<std::string> all = characters(text);
  const auto in_word = [&](size_t i) {
    return i < all.size() && !naive_delimiter(utf8_decode(all[i], 0).code_point);
  };
  std::vector<std::string> pieces;
  std::string between;
  for (size_t at = 0; at < all.size();) {
    size_t end = at + (all[at] == " " && in_word(at + 1) ? 1 : 0);
    while (in_word(end)) ++end;
    if (end == at) {
      between += all[at++];
      continue;
    }
    if (!between.empty()) pieces.push_back(std::exchange(between, ""));
    std::string& word = pieces.emplace_back();
    for (; at < end; ++at) word += all[at];
  }
  if (!between.empty()) pieces.push_back(between);
  return pieces;
}

/// Byte pair encoding word for word from its definition, quadratic and on strings.
class NaiveTokenizer {
 public:
  explicit NaiveTokenizer(const Json& file)
      : vocabulary_(file["model"]["vocab"].get<std::map<std::string, int32_t>>()) {
    for (size_t rank = 0; const Json& merge : file["model"]["merges"]) {
      std::pair<std::string, std::string> pair;
      if (merge.is_array()) {
        pair = {merge[0], merge[1]};
      } else {
        const auto text = merge.get<std::string>();
        pair = {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
      }
      ranks_[pair] = rank++;  // given twice: the later rank counts
    }
  }

  Ids encode(const std::string& text) const {
    Ids ids;
    for (const std::string& piece : naive_split(text)) {
      for (const std::string& token : merge(piece)) ids.push_back(vocabulary_.at(token));
    }
    return ids;
  }

 private:
  std::vector<std::string> merge(const std::string& piece) const {
    std::vector<std::string> tokens;
    for (const char byte : piece) tokens.push_back(token_content(std::string(1, byte)));
    while (true) {
      size_t best = SIZE_MAX;
      size_t where = 0;
      for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto found = ranks_.find({tokens[i], tokens[i + 1]});
        if (found == ranks_.end() || found->second >= best) continue;
        best = found->second;
        where = i;
      }
      if (best == SIZE_MAX) return tokens;
      tokens[where] += tokens[where + 1];
      tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(where) + 1);
    }
  }

  std::map<std::string, int32_t> vocabulary_;
  std::map<std::pair<std::string, std::string>, size_t> ranks_;
};

/// A random text of the kinds that trip tokenizers.
std::string random_text(Random& random, size_t length) {
  static const std::vector<std::string> pieces = {
      "今天",   "公司",    "，",     "。",
      "、",     " ",       "  ",     "\n",
      "\r\n",   "\t",      "the",    " of",
      "a",      "ab",      "😀",     "👨‍👩‍👧",
      "🇨🇳",     "e\u0301", "\u0301", "Ａ１２",
      "　",     "\u00A0",  "\u200B", "\uFEFF",
      "\u2028", "…",       "(",      ")",
      "|",      "।",       "۔",      "،",
      ":",      "：",      "-",      "--",
      "2019",   "年",      "<s>",    "</s>",
      "[GEN]",  "\u001C",  "\u0085", "\u180E",
      "한국어", "العربية", "ß",      "\u0000",
      "\\",     "\"",      "𠀀",     "\U0010FFFF",
      "Ġ",      "Ċ"};
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    if (random() % 6 != 0) {
      text += pieces[random() % pieces.size()];
      continue;
    }
    static constexpr char32_t kPlanes[] = {0x80, 0x800, 0x3000, 0x9FFF, 0xFFFF, 0x10FFFF};
    utf8_append(text, random() % kPlanes[random() % std::size(kPlanes)]);
  }
  return text;
}

const std::vector<std::string>& directories() {
  static const std::vector<std::string> all = {"tokenizer/main", "tokenizer/adversarial",
                                               "models/bloom-tiny"};
  return all;
}

TEST(TokenizerProperty, DecodingGivesTheTextBack) {
  Random random(1);
  for (const std::string& directory : directories()) {
    const Tokenizer tokenizer = load_golden(directory);
    for (int round = 0; round < 300; ++round) {
      const std::string text = random_text(random, random() % 40);
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text), true), text);
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, AddedTokens::kRecognise), false), text);
    }
  }
}

TEST(TokenizerProperty, AgreesWithTheNaiveTokenizer) {
  Random random(2);
  for (const std::string& directory : directories()) {
    const Tokenizer tokenizer = load_golden(directory);
    const NaiveTokenizer naive(read_json(golden(directory) / "tokenizer.json"));
    for (int round = 0; round < 200; ++round) {
      const std::string text = random_text(random, random() % 40);
      ASSERT_EQ(tokenizer.encode(text), naive.encode(text)) << directory << ": " << text;
    }
  }
}

/// Pieces on both sides of the length where the way of merging changes, of few letters so that much
/// merges.
TEST(TokenizerProperty, LongPiecesAgreeWithTheNaiveTokenizer) {
  Random random(3);
  const std::vector<std::string> letters = {"a", "b", "c"};
  for (int vocabulary = 0; vocabulary < 20; ++vocabulary) {
    std::vector<std::string> tokens = letters;
    std::vector<std::string> merges;
    std::set<std::string> known(letters.begin(), letters.end());
    while (merges.size() < 40) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      merges.push_back(left + " " +
                       right);  // now and then a pair comes twice: the later rank counts
      if (known.insert(left + right).second) tokens.push_back(left + right);
    }
    const Json file = byte_tokenizer(merges);
    const Tokenizer tokenizer = parse_ok(file);
    const NaiveTokenizer naive(file);
    for (const size_t length : {1, 2, 3, 50, 95, 96, 97, 98, 150, 400}) {
      std::string text;
      while (text.size() < length) text += letters[random() % letters.size()];
      ASSERT_EQ(tokenizer.encode(text), naive.encode(text))
          << file["model"]["merges"] << " " << text;
    }
  }
}

TEST(TokenizerProperty, PiecesAgreeWithTheNaiveSplit) {
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random, random() % 20);
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t end = piece_end(text, at);
      ASSERT_GT(end, at);
      pieces.push_back(text.substr(at, end - at));
      at = end;
    }
    ASSERT_EQ(pieces, naive_split(text)) << text;
  }
}

TEST(TokenizerProperty, EveryCodePointIsADelimiterOrNot) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string text;
    utf8_append(text, point);
    ASSERT_EQ(delimiter_at(text, 0), naive_delimiter(point) ? text.size() : 0U)
        << std::hex << static_cast<uint32_t>(point);
    for (size_t inside = 1; inside < text.size(); ++inside)
      ASSERT_EQ(delimiter_at(text, inside), 0U);
  }
}

TEST(TokenizerProperty, OffsetsCoverTheText) {
  Random random(5);
  for (const std::string& directory : directories()) {
    const Tokenizer tokenizer = load_golden(directory);
    for (int round = 0; round < 200; ++round) {
      const std::string text = random_text(random, 1 + random() % 40);
      const std::vector<std::string> all = characters(text);
      const std::vector<Token> tokens =
          tokenizer.encode_with_offsets(text, AddedTokens::kRecognise);
      ASSERT_EQ(tokens.front().start, 0U);
      ASSERT_EQ(tokens.back().end, all.size());
      for (size_t i = 0; i < tokens.size(); ++i) {
        ASSERT_LT(tokens[i].start, tokens[i].end);
        std::string part;  // the characters that the token touches hold the token's bytes
        for (uint32_t c = tokens[i].start; c < tokens[i].end; ++c) part += all[c];
        ASSERT_NE(part.find(tokenizer.bytes(tokens[i].id)), std::string::npos);
        if (i == 0) continue;
        ASSERT_TRUE(tokens[i].start == tokens[i - 1].end ||
                    tokens[i].start + 1 == tokens[i - 1].end);
      }
    }
  }
}

TEST(TokenizerProperty, AnyBytesAreEncodedAndComeBackAsBytes) {
  Random random(6);
  for (const std::string& directory : directories()) {
    const Tokenizer tokenizer = load_golden(directory);
    for (int round = 0; round < 200; ++round) {
      std::string text;
      const size_t length = random() % 300;
      while (text.size() < length) text.push_back(static_cast<char>(random()));
      std::string bytes;
      for (const int32_t id : tokenizer.encode(text)) bytes += tokenizer.bytes(id);
      ASSERT_EQ(bytes, text);
      ASSERT_EQ(tokenizer.encode_with_offsets(text).size(), tokenizer.encode(text).size());
    }
  }
}

/// A run without punctuation, far longer than quadratic work would allow for within the test's time
/// limit.
TEST(TokenizerProperty, PartsTogetherAreTheWhole) {
  Random random(11);
  for (const std::string& directory : directories()) {
    const Tokenizer tokenizer = load_golden(directory);
    for (int round = 0; round < 100; ++round) {
      const std::string text = random_text(random, random() % 60);
      const size_t bytes = 1 + random() % 20;
      std::vector<int32_t> ids;
      for (size_t at = 0; at < text.size();) {
        const size_t next = tokenizer.encode_part(text, at, bytes, ids);
        ASSERT_GT(next, at);
        at = next;
      }
      EXPECT_EQ(ids, tokenizer.encode(text));
    }
  }
}

TEST(TokenizerProperty, VeryLongPieces) {
  const Tokenizer tokenizer = load_golden("tokenizer/main");
  Random random(7);
  std::string chinese;
  for (int i = 0; i < 200'000; ++i) utf8_append(chinese, 0x4E00 + random() % 0x5000);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(chinese), true), chinese);
  for (const char* unit : {"a", " ", "，", "-"}) {
    std::string run;
    while (run.size() < 600'000) run += unit;
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(run), true), run);
  }
}

TEST(TokenizerProperty, ThreadsAgree) {
  const Tokenizer tokenizer = load_golden("tokenizer/main");
  Random random(8);
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(random_text(random, 100));
  std::vector<std::vector<Ids>> ids(4);
  std::vector<std::thread> threads;
  for (std::vector<Ids>& mine : ids) {
    threads.emplace_back([&] {
      for (const std::string& text : texts) mine.push_back(tokenizer.encode(text));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Ids>& other : ids) EXPECT_EQ(other, ids[0]);
}

}  // namespace
}  // namespace seqgpt
