// SPDX-License-Identifier: Apache-2.0
// The stream half: a SAX handler that writes vocabulary and merges straight into tables.
#include "tokenizer/tokenizer_json.h"

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32;               // BLOOM's file needs 4
constexpr size_t kMaxSettings = 1'000'000;  // values outside vocabulary and merges
constexpr size_t kMaxMerges = 10'000'000;

/// Where in the file the parser stands.
enum class Place { kSettings, kVocabulary, kMerges, kMergePair };

class Reader final : public nlohmann::json_sax<Json> {
 public:
  Reader(RawTokenizer& out, std::string_view name) : out_(out), name_(name) {}

  Error take_error() { return std::move(error_); }

  bool null() override { return setting(nullptr); }
  bool boolean(bool value) override { return setting(value); }
  bool number_float(double value, const std::string&) override { return setting(value); }
  bool binary(Json::binary_t&) override { return fail("holds binary data"); }
  bool number_integer(int64_t value) override {
    return place_ == Place::kVocabulary ? id(value, value >= 0) : setting(value);
  }
  bool number_unsigned(uint64_t value) override {
    return place_ == Place::kVocabulary ? id(static_cast<int64_t>(value), true) : setting(value);
  }
  bool string(std::string& value) override;
  bool start_object(size_t) override;
  bool key(std::string& name) override;
  bool end_object() override { return end(); }
  bool start_array(size_t) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    return fail("is not valid JSON: damaged or cut off at byte " + std::to_string(position));
  }

 private:
  bool fail(std::string what, ErrorCode code = ErrorCode::kBadFile) {
    error_ = {code, std::string(name_) + ": the tokenizer " + std::move(what)};
    return false;
  }
  bool deeper() {
    return ++depth_ <= kMaxDepth ||
           fail("is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  /// The value about to begin is the one of model.`name`.
  bool at_model(std::string_view name) const {
    return open_.size() == 2 && open_[1]->is_object() && root_key_ == "model" && key_ == name;
  }
  Json* put(Json value);
  bool setting(Json value);
  bool end();
  bool id(int64_t value, bool in_range);
  bool merge(std::string_view both);
  Slice keep(std::string_view text);

  RawTokenizer& out_;
  std::string_view name_;
  Error error_;
  Place place_ = Place::kSettings;
  int depth_ = 0;
  size_t settings_ = 0;
  std::vector<Json*> open_;  // the containers around the parser's place, outermost first
  std::string key_;          // the last key of a settings object
  std::string root_key_;     // the last key of the outermost object
  Slice token_;              // the last key of the vocabulary
  std::vector<Slice> pair_;  // the strings of a merge given as a pair
};

Slice Reader::keep(std::string_view text) {
  std::string& arena = out_.file.arena;
  const Slice slice{static_cast<uint32_t>(arena.size()), static_cast<uint32_t>(text.size())};
  arena += text;
  return slice;
}

/// Adds a value to the innermost open container. Pointers in open_ stay good: a container gets no
/// new element while one of its elements is open.
Json* Reader::put(Json value) {
  if (open_.empty()) return &(out_.settings = std::move(value));
  Json& parent = *open_.back();
  if (parent.is_object()) return &(parent[key_] = std::move(value));
  parent.push_back(std::move(value));
  return &parent.back();
}

bool Reader::setting(Json value) {
  if (place_ == Place::kVocabulary) {
    return fail("has an entry in model.vocab whose id is no whole number");
  }
  if (place_ != Place::kSettings) return fail("has an entry in model.merges that is no string");
  if (++settings_ > kMaxSettings) return fail("holds too many values", ErrorCode::kTooLarge);
  put(std::move(value));
  return true;
}

bool Reader::string(std::string& value) {
  if (place_ == Place::kMerges) return merge(value);
  if (place_ == Place::kMergePair) {
    pair_.push_back(keep(value));
    return pair_.size() <= 2 || fail("has an entry in model.merges with more than two tokens");
  }
  // Told at once: other models keep other things in their vocabulary.
  if (at_model("type") && value != "BPE") {
    return fail("has model type " + shown(value) + ", which is unsupported: only BPE is",
                ErrorCode::kUnsupported);
  }
  return setting(value);
}

bool Reader::start_object(size_t) {
  if (!deeper()) return false;
  if (place_ != Place::kSettings) return setting(nullptr);  // says what is wrong
  if (++settings_ > kMaxSettings) return fail("holds too many values", ErrorCode::kTooLarge);
  if (at_model("vocab")) place_ = Place::kVocabulary;
  open_.push_back(put(Json::object()));
  return true;
}

bool Reader::key(std::string& name) {
  if (place_ == Place::kVocabulary) {
    token_ = keep(name);
    return !name.empty() || fail("has an empty token in model.vocab");
  }
  if (open_.size() == 1) root_key_ = name;
  key_ = name;
  return !open_.back()->contains(name) || fail("gives \"" + shown(name) + "\" twice");
}

bool Reader::start_array(size_t) {
  if (!deeper()) return false;
  if (place_ == Place::kMerges) {
    place_ = Place::kMergePair;
    pair_.clear();
    return true;
  }
  if (place_ != Place::kSettings) return setting(nullptr);  // says what is wrong
  if (++settings_ > kMaxSettings) return fail("holds too many values", ErrorCode::kTooLarge);
  if (at_model("merges")) place_ = Place::kMerges;
  open_.push_back(put(Json::array()));
  return true;
}

bool Reader::end_array() {
  if (place_ != Place::kMergePair) return end();
  --depth_;
  place_ = Place::kMerges;
  if (pair_.size() != 2) return fail("has an entry in model.merges that is no pair of tokens");
  if (out_.file.merges.size() >= kMaxMerges) {
    return fail("has too many merges", ErrorCode::kTooLarge);
  }
  out_.file.merges.push_back({pair_[0], pair_[1]});
  return true;
}

bool Reader::end() {
  --depth_;
  place_ = Place::kSettings;
  open_.pop_back();
  return true;
}

bool Reader::id(int64_t value, bool in_range) {
  if (!in_range || value < 0 || value >= kMaxTokenId) {
    return fail("gives a token of model.vocab an id outside 0 to " +
                std::to_string(kMaxTokenId - 1));
  }
  if (out_.file.vocabulary.size() >= static_cast<size_t>(kMaxTokenId)) {
    return fail("has too many tokens");
  }
  out_.file.vocabulary.push_back({token_, static_cast<int32_t>(value)});
  return true;
}

/// A merge in the older style: both tokens in one string, a space between them.
bool Reader::merge(std::string_view both) {
  if (both.starts_with("#version")) {
    return true;  // the head line of a merges.txt, which HF skips as well
  }
  const size_t space = both.find(' ');
  if (space == std::string_view::npos || both.find(' ', space + 1) != std::string_view::npos) {
    return fail("has a merge in model.merges that is not two tokens with a space between: \"" +
                shown(both) + "\"");
  }
  if (out_.file.merges.size() >= kMaxMerges) {
    return fail("has too many merges", ErrorCode::kTooLarge);
  }
  const Slice left = keep(both.substr(0, space));
  out_.file.merges.push_back({left, keep(both.substr(space + 1))});
  return true;
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr size_t kMaxShown = 80;
  if (text.size() <= kMaxShown) return std::string(text);
  return utf8_lossy(text.substr(0, kMaxShown)) + "...";
}

Result<RawTokenizer> parse_tokenizer_json(std::string_view json, std::string_view name) {
  RawTokenizer raw;
  Reader reader(raw, name);
  if (!Json::sax_parse(json.begin(), json.end(), &reader)) return reader.take_error();
  return raw;
}

}  // namespace seqgpt
