// SPDX-License-Identifier: Apache-2.0
// Making vocabularies, taking choices and reading answers, for the tests of the constraint.
#include "harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace seqgpt::harness {
namespace {

std::unique_ptr<Vocabulary> vocabulary(std::string name, Tokenizer tokenizer, int rows) {
  auto trie = VocabularyTrie::build(tokenizer, rows);
  EXPECT_TRUE(trie.ok()) << trie.error().message;
  auto made = std::make_unique<Vocabulary>(
      Vocabulary{std::move(name), std::move(tokenizer), *trie, {}, rows});
  std::set<std::string_view> seen;
  for (int32_t id = 0; id < std::min(rows, made->tokenizer.size()); ++id) {
    const auto bytes = made->tokenizer.bytes(id);
    if (!made->tokenizer.is_added(id) && !bytes.empty() && seen.insert(bytes).second)
      made->usable.push_back(id);
  }
  return made;
}

}  // namespace

const std::vector<std::unique_ptr<Vocabulary>>& vocabularies() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Vocabulary>> made;
    made.push_back(vocabulary("bytes", reference::byte_tokenizer(), 260));
    made.push_back(vocabulary("wild", reference::wild_tokenizer(1, 700), 900));
    made.push_back(vocabulary("wilder", reference::wild_tokenizer(2, 4000), 1 << 20));
    made.push_back(vocabulary("main", reference::golden_tokenizer("tokenizer/main"), 6016));
    made.push_back(
        vocabulary("adversarial", reference::golden_tokenizer("tokenizer/adversarial"), 5000));
    made.push_back(
        vocabulary("bloom-tiny", reference::golden_tokenizer("models/bloom-tiny"), 1216));
    return made;
  }();
  return all;
}

const Vocabulary& byte_vocabulary() {
  return *vocabularies().front();
}

const Vocabulary& main_vocabulary() {
  return **std::ranges::find(vocabularies(), "main", [](const auto& v) { return v->name; });
}

std::shared_ptr<const SpanIndex> index_of(std::string_view text) {
  auto index = SpanIndex::build(text);
  EXPECT_TRUE(index.ok());
  return std::make_shared<const SpanIndex>(*std::move(index));
}

std::shared_ptr<const ExtractionConstraint> constraint_of(const Vocabulary& vocabulary,
                                                          std::string_view text,
                                                          const std::vector<std::string>& labels) {
  auto made =
      ExtractionConstraint::build(index_of(text), vocabulary.trie, vocabulary.tokenizer, labels);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *made;
}

Choose by_score(uint32_t seed) {
  return [seed](const std::vector<int32_t>& allowed, const std::string& answer) {
    const auto context = static_cast<uint32_t>(std::hash<std::string>()(answer)) ^ seed;
    return *std::ranges::max_element(allowed, {}, [context](int32_t id) {
      return (context ^ static_cast<uint32_t>(id)) * 2654435761U;
    });
  };
}

Choose at_random(std::mt19937& random) {
  return [&random](const std::vector<int32_t>& allowed, const std::string&) {
    return allowed[random() % allowed.size()];
  };
}

Choose with_tabs(const Vocabulary& vocabulary, std::mt19937& random) {
  return [&vocabulary, &random](const std::vector<int32_t>& allowed, const std::string&) {
    for (const int32_t id : allowed) {
      if (vocabulary.tokenizer.bytes(id).find('\t') != std::string_view::npos) return id;
    }
    return allowed[random() % allowed.size()];
  };
}

Choose without_ends(const Vocabulary& vocabulary, std::mt19937& random) {
  return [&vocabulary, &random](const std::vector<int32_t>& allowed, const std::string&) {
    std::vector<int32_t> longer;
    for (const int32_t id : allowed) {
      const auto bytes = vocabulary.tokenizer.bytes(id);
      if (bytes.find_first_of("\t\n") == std::string_view::npos) longer.push_back(id);
    }
    return longer.empty() ? allowed[random() % allowed.size()] : longer[random() % longer.size()];
  };
}

Choose many_values(const Vocabulary& vocabulary, std::mt19937& random) {
  return [&vocabulary, &random](const std::vector<int32_t>& allowed, const std::string&) {
    std::vector<int32_t> longer;
    for (const int32_t id : allowed) {
      const auto bytes = vocabulary.tokenizer.bytes(id);
      if (bytes.find('\t') != std::string_view::npos) return id;
      if (bytes.find_first_of("\nN") == std::string_view::npos) longer.push_back(id);
    }
    return longer.empty() ? allowed.front() : longer[random() % longer.size()];
  };
}

Answer generate(const ExtractionConstraint& constraint, const Vocabulary& vocabulary,
                const Choose& choose, const Look& look) {
  Answer answer;
  auto state = constraint.start();
  const auto take = [&](int32_t id) {
    answer.tokens.push_back(id);
    answer.bytes += vocabulary.tokenizer.bytes(id);
    state = constraint.advance(state, id);
  };
  while (!constraint.finished(state) && answer.tokens.size() < 500'000) {
    std::vector<int32_t> ids;
    constraint.forced(state, ids);
    for (const int32_t id : ids) take(id);
    if (constraint.finished(state)) break;
    constraint.allowed(state, ids);
    EXPECT_GE(ids.size(), 2U);
    EXPECT_TRUE(std::ranges::is_sorted(ids, std::less_equal<>()) || ids.size() < 2);
    if (ids.empty()) break;
    if (look) look(state, answer.bytes, ids);
    take(choose(ids, answer.bytes));
  }
  EXPECT_TRUE(constraint.finished(state));
  answer.values = constraint.values(state);
  return answer;
}

std::vector<Parsed> parse(const std::string& answer, const std::vector<std::string>& labels) {
  std::vector<Parsed> parsed;
  size_t at = 0;
  for (size_t label = 0; label < labels.size(); ++label) {
    const std::string head = labels[label] + ": ";
    EXPECT_EQ(answer.substr(at, head.size()), head);
    at += head.size();
    const size_t end = answer.find('\n', at);
    EXPECT_NE(end, std::string::npos);
    if (end == std::string::npos) return parsed;
    const std::string line = answer.substr(at, end - at);
    for (size_t from = 0; line != "None" && from <= line.size();) {
      const size_t to = std::min(line.find('\t', from), line.size());
      parsed.push_back({static_cast<int>(label), line.substr(from, to - from), at + from});
      from = to + 1;
    }
    at = end + 1;
  }
  EXPECT_EQ(at, answer.size());
  return parsed;
}

int token_at(const Answer& answer, const Vocabulary& vocabulary, size_t place) {
  size_t end = 0;
  for (size_t i = 0; i < answer.tokens.size(); ++i) {
    end += vocabulary.tokenizer.bytes(answer.tokens[i]).size();
    if (place < end) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace seqgpt::harness
