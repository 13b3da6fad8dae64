// SPDX-License-Identifier: Apache-2.0
// What loads, and what is refused with which words: damaged, hostile and merely foreign files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tokenizer/files.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<int32_t>;

/// The file is refused with this code, and the message holds the file's name and each of `words`.
void expect_refused(const std::string& file, ErrorCode code,
                    const std::vector<std::string>& words) {
  const auto parsed = Tokenizer::parse(file, "some/tokenizer.json");
  ASSERT_FALSE(parsed.ok()) << file.substr(0, 300);
  const std::string& message = parsed.error().message;
  EXPECT_EQ(parsed.error().code, code) << message;
  EXPECT_NE(message.find("some/tokenizer.json"), std::string::npos) << message;
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " not in: " << message;
}

void expect_refused(const Json& file, ErrorCode code, const std::vector<std::string>& words) {
  expect_refused(file.dump(), code, words);
}

/// The byte tokenizer with one member, named by a JSON pointer, set to something else.
Json changed(const std::string& pointer, const Json& value) {
  Json file = byte_tokenizer({"a b", "ab c"});
  file[Json::json_pointer(pointer)] = value;
  return file;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

TEST(TokenizerLoad, CorruptCases) {
  size_t cases = 0;
  for (const Json& corrupt : read_json(golden("corrupt/cases.json"))) {
    const auto directory = corrupt["dir"].get<std::string>();
    SCOPED_TRACE(directory);
    const auto loaded = Tokenizer::load(golden("corrupt/" + directory) / "tokenizer.json");
    // An id beyond the model's rows is found where the model is known.
    if (!directory.starts_with("tok-") || directory == "tok-id-range") {
      EXPECT_TRUE(loaded.ok()) << loaded.error().message;
      continue;
    }
    ++cases;
    ASSERT_FALSE(loaded.ok());
    const std::string message = lower(loaded.error().message);
    bool hinted = false;
    for (const Json& hint : corrupt["hints"])
      hinted |= message.find(hint.get<std::string>()) != std::string::npos;
    EXPECT_TRUE(hinted) << message;
    EXPECT_NE(message.find(directory), std::string::npos) << message;
  }
  EXPECT_EQ(cases, 7U);
}

TEST(TokenizerLoad, MissingFileIsNotFound) {
  const auto loaded = Tokenizer::load(golden("corrupt/tok-absent/tokenizer.json"));
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kNotFound);
}

TEST(TokenizerLoad, RefusesOtherTokenizersByName) {
  constexpr ErrorCode kUnsupported = ErrorCode::kUnsupported;
  expect_refused(changed("/model/type", "WordPiece"), kUnsupported, {"WordPiece"});
  expect_refused(changed("/model/type", 7), kUnsupported, {"model type 7"});
  expect_refused(changed("/normalizer", {{"type", "NFKC"}}), kUnsupported, {"normalizer NFKC"});
  expect_refused(changed("/pre_tokenizer", nullptr), kUnsupported, {"pre_tokenizer"});
  expect_refused(changed("/pre_tokenizer", {{"type", "Metaspace"}}), kUnsupported, {"Metaspace"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/0/type", "Digits"), kUnsupported,
                 {"Digits"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/1/type", "Digits"), kUnsupported,
                 {"Digits"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/2", {{"type", "Digits"}}), kUnsupported,
                 {"3 steps"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/0/pattern/Regex", "\\w+"), kUnsupported,
                 {"pattern", "\\w+"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/0/pattern", {{"String", " "}}), kUnsupported,
                 {"pattern"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/0/behavior", "Removed"), kUnsupported,
                 {"behavior", "Removed"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/0/invert", true), kUnsupported, {"invert"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/1/add_prefix_space", true), kUnsupported,
                 {"add_prefix_space"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/1/use_regex", true), kUnsupported,
                 {"use_regex"});
  expect_refused(changed("/pre_tokenizer/pretokenizers/1/use_regex", nullptr), kUnsupported,
                 {"use_regex"});
  expect_refused(changed("/post_processor", {{"type", "TemplateProcessing"}}), kUnsupported,
                 {"TemplateProcessing"});
  expect_refused(changed("/decoder", nullptr), kUnsupported, {"decoder"});
  expect_refused(changed("/decoder/type", "Metaspace"), kUnsupported, {"decoder Metaspace"});
  expect_refused(changed("/version", "2.0"), kUnsupported, {"version", "2.0"});
}

TEST(TokenizerLoad, RefusesModelOptionsByName) {
  for (const char* option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    expect_refused(changed(std::string("/model/") + option, "##"), ErrorCode::kUnsupported,
                   {option});
    parse_ok(changed(std::string("/model/") + option, ""));
  }
  expect_refused(changed("/model/dropout", 0.1), ErrorCode::kUnsupported, {"dropout"});
  parse_ok(changed("/model/dropout", 0.0));
  expect_refused(changed("/model/byte_fallback", true), ErrorCode::kUnsupported, {"byte_fallback"});
  parse_ok(changed("/model/byte_fallback", false));
  expect_refused(changed("/model/unk_token", "<nowhere>"), ErrorCode::kBadFile,
                 {"unk_token", "<nowhere>"});
  expect_refused(changed("/model/unk_token", 3), ErrorCode::kBadFile, {"unk_token"});
  parse_ok(changed("/model/unk_token", "a"));
}

Json added(int64_t id, const std::string& content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

TEST(TokenizerLoad, RefusesAddedTokensItCannotHonour) {
  for (const char* option : {"lstrip", "rstrip", "single_word"}) {
    Json token = added(258, "[X]");
    token[option] = true;
    expect_refused(changed("/added_tokens", Json::array({token})), ErrorCode::kUnsupported,
                   {option, "[X]"});
  }
  const auto refused = [](const Json& tokens, const std::vector<std::string>& words) {
    expect_refused(changed("/added_tokens", tokens), ErrorCode::kBadFile, words);
  };
  refused(5, {"added_tokens"});
  refused(Json::array({5}), {"added_tokens"});
  refused(Json::array({added(258, "")}), {"content"});
  refused(Json::array({added(258, std::string(1025, 'x'))}), {"1024"});
  refused(Json::array({added(-1, "[X]")}), {"[X]", "id"});
  refused(Json::array({added(10'000'000, "[X]")}), {"[X]", "id"});
  refused(Json::array({added(256, "[X]")}), {"256", "[X]"});       // the id of "ab"
  refused(Json::array({added(300, "ab")}), {"ab", "256", "300"});  // the content of another id
  refused(Json::array({added(300, "[X]"), added(300, "[Y]")}), {"300", "[X]", "[Y]"});
  refused(Json::array({added(300, "[X]"), added(300, "[X]")}), {"[X]", "twice"});
  refused(Json::array({added(97, "a")}), {"\"a\"", "byte"});  // plain text would become it
  refused(Json::array({added(256, "ab")}), {"merge", "\"ab\""});
  const Tokenizer tokenizer = parse_ok(changed("/added_tokens", Json::array({added(300, "[X]")})));
  EXPECT_EQ(tokenizer.size(), 301);
  EXPECT_EQ(tokenizer.bytes(299), "");
  EXPECT_EQ(tokenizer.bytes(300), "[X]");
}

TEST(TokenizerLoad, RefusesFlagsThatAreNoBooleans) {
  const auto refused = [](const std::string& pointer, const std::string& word) {
    for (const Json& value : {Json(1), Json("true"), Json::array()}) {
      expect_refused(changed(pointer, value), ErrorCode::kBadFile,
                     {word, "neither true nor false"});
    }
  };
  refused("/model/fuse_unk", "fuse_unk");
  refused("/model/ignore_merges", "ignore_merges");
  refused("/post_processor/trim_offsets", "trim_offsets");
  refused("/post_processor/add_prefix_space", "add_prefix_space");
  Json token = added(258, "[X]");
  token["special"] = "true";
  expect_refused(changed("/added_tokens", Json::array({token})), ErrorCode::kBadFile, {"special"});
}

TEST(TokenizerLoad, RefusesDamagedVocabularies) {
  const auto refused = [](const std::string& pointer, const Json& value,
                          const std::vector<std::string>& words) {
    expect_refused(changed(pointer, value), ErrorCode::kBadFile, words);
  };
  refused("/model/vocab", Json::array(), {"vocab"});
  refused("/model/vocab", Json::object(), {"empty vocabulary"});
  refused("/model/merges", nullptr, {"merges"});
  refused("/model/merges", Json::object(), {"merges"});
  refused("/model/merges", Json::array({"ab"}), {"merge"});
  refused("/model/merges", Json::array({"a b c"}), {"merge"});
  refused("/model/merges", Json::array({"a  b"}), {"merge"});
  refused("/model/merges", Json::array({7}), {"merges"});
  refused("/model/merges", Json::array({Json::object()}), {"merges"});
  refused("/model/merges", Json::array({Json::array({"a"})}), {"merges", "pair"});
  refused("/model/merges", Json::array({Json::array({"a", "b", "c"})}), {"merges", "two"});
  refused("/model/merges", Json::array({Json::array({"a", 5})}), {"merges"});
  refused("/model/merges", Json::array({Json::array({"a", Json::array()})}), {"merges"});
  refused("/model/merges", Json::array({"a c"}), {"merge", "\"ac\"", "vocabulary"});
  refused("/model/merges", Json::array({"a zz"}), {"merge", "\"zz\"", "vocabulary"});
  refused("/model/vocab/q", 97, {"97", "\"a\"", "\"q\""});
  refused("/model/vocab/q", -1, {"id"});
  refused("/model/vocab/q", 1.5, {"id"});
  refused("/model/vocab/q", "1", {"id"});
  refused("/model/vocab/q", nullptr, {"id"});
  refused("/model/vocab/q", Json::array(), {"id"});
  refused("/model/vocab/q", 10'000'000, {"id"});
  refused("/model/vocab/q", UINT64_MAX, {"id"});
  refused("/model/vocab/q", 9'999'999,
          {"9999999", "258"});  // sparse: would ask for ten million rows
  parse_ok(changed("/model/vocab/q", 65'535));
}

TEST(TokenizerLoad, RefusesWhatIsGivenTwice) {
  const std::string good = byte_tokenizer({"a b"}).dump();
  const auto doubled = [&good](std::string_view at, std::string_view with) {
    std::string file = good;
    const size_t place = file.find(at);
    EXPECT_NE(place, std::string::npos);
    return file.insert(place, with);
  };
  expect_refused(doubled("\"model\":", "\"model\":{},"), ErrorCode::kBadFile,
                 {"\"model\"", "twice"});
  expect_refused(doubled("\"vocab\":", "\"vocab\":{\"a\":0},"), ErrorCode::kBadFile,
                 {"\"vocab\"", "twice"});
  expect_refused(doubled("\"a\":97", "\"a\":500,"), ErrorCode::kBadFile, {"\"a\"", "twice"});
}

TEST(TokenizerLoad, RefusesHostileJson) {
  constexpr size_t kMany = 100'000;
  constexpr ErrorCode kBad = ErrorCode::kBadFile;
  expect_refused(std::string(), kBad, {"JSON"});
  expect_refused(std::string("\0", 1), kBad, {"JSON"});
  for (const char* text : {"null", "[]", "3", "\"a\"", "{}"})
    EXPECT_FALSE(Tokenizer::parse(text, "t").ok()) << text;
  expect_refused(std::string(kMany, '['), kBad, {"nested"});
  expect_refused(std::string(kMany, '[') + std::string(kMany, ']'), kBad, {"nested"});
  std::string objects;
  for (size_t i = 0; i < kMany; ++i) objects += "{\"a\":";
  expect_refused(objects, kBad, {"nested"});
  std::string merges = byte_tokenizer().dump();
  merges.replace(merges.find("\"merges\":[]"), 11, "\"merges\":" + std::string(kMany, '['));
  expect_refused(merges, kBad, {"merges"});
  std::string values = "[0";
  for (size_t i = 0; i < 1'000'001; ++i) values += ",0";
  expect_refused(values + "]", ErrorCode::kTooLarge, {"too many values"});
  expect_refused(std::string("{\"a\":\"\xFF\"}"), kBad, {"JSON"});
  expect_refused(std::string("{\"a\":\"\\ud800\"}"), kBad, {"JSON"});
  expect_refused(std::string("{\"a\":1e999}"), kBad, {"JSON"});
}

TEST(TokenizerLoad, EveryPrefixOfAFileIsRefused) {
  const std::string file = byte_tokenizer({"a b", "ab c"}).dump();
  for (size_t size = 0; size < file.size(); size += 7) {
    EXPECT_FALSE(Tokenizer::parse(std::string_view(file).substr(0, size), "t").ok()) << size;
  }
  EXPECT_TRUE(Tokenizer::parse(file, "t").ok());
}

TEST(TokenizerLoad, OrderOfMembersDoesNotMatter) {
  // A JSON library sorts the keys: merges before vocab, model before version. The other way round:
  const Json sorted = byte_tokenizer({"a b", "ab c"});
  nlohmann::ordered_json reversed;
  std::vector<std::string> keys;
  for (const auto& [key, value] : sorted["model"].items()) keys.insert(keys.begin(), key);
  nlohmann::ordered_json model;
  for (const std::string& key : keys) model[key] = sorted["model"][key];
  reversed["model"] = model;
  for (const auto& [key, value] : sorted.items()) {
    if (key != "model") reversed[key] = value;
  }
  const auto parsed = Tokenizer::parse(reversed.dump(), "t");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->encode("abcab"), (Ids{257, 256}));
  EXPECT_EQ(parse_ok(sorted).encode("abcab"), (Ids{257, 256}));
}

TEST(TokenizerLoad, AcceptsAnUnnamedModelAndAHeadLineOfMerges) {
  Json file = byte_tokenizer({"a b"});
  file["model"].erase("type");
  file["model"]["merges"].insert(file["model"]["merges"].begin(), "#version: 0.2");
  EXPECT_EQ(parse_ok(file).encode("ab"), (Ids{256}));
}

}  // namespace
}  // namespace seqgpt
