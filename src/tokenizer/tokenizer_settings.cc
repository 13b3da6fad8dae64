// SPDX-License-Identifier: Apache-2.0
// The settings half: every field that changes ids, offsets or text is either honoured or refused by
// name.
#include <string>
#include <string_view>

#include "tokenizer/split.h"
#include "tokenizer/tokenizer_json.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxAddedTokens = 100'000;
constexpr size_t kMaxAddedBytes =
    1024;  // of one added token; bounds the time to look for it at a place

/// The settings of one tokenizer.json, read with its name at hand for messages.
class Settings {
 public:
  Settings(const Json& root, std::string_view name, TokenizerFile& file)
      : root_(root), name_(name), file_(file) {}

  Status apply() {
    if (!root_.is_object()) return bad("is not a JSON object");
    if (const Json& version = at(root_, "version"); !version.is_null() && version != "1.0") {
      return unsupported("version " + shown(version.dump()));
    }
    // "truncation" and "padding" only remember the last call of whoever saved the file; HF resets
    // them as well.
    SEQGPT_TRY(normalizer());
    SEQGPT_TRY(pre_tokenizer());
    SEQGPT_TRY(post_processor());
    SEQGPT_TRY(decoder());
    SEQGPT_TRY(model());
    return added_tokens();
  }

 private:
  Error bad(const std::string& what) const {
    return {ErrorCode::kBadFile, std::string(name_) + ": the tokenizer " + what};
  }
  Error unsupported(const std::string& what) const {
    return {ErrorCode::kUnsupported,
            std::string(name_) + ": the tokenizer has " + what +
                ", which is unsupported: its tokens could not be reproduced exactly"};
  }

  /// A member of an object; null when there is none.
  static const Json& at(const Json& object, std::string_view key) {
    static const Json null;
    if (!object.is_object()) return null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
  }
  static bool is_empty(const Json& text) {
    return text.is_string() && text.get_ref<const std::string&>().empty();
  }
  static std::string type_of(const Json& part) {
    const Json& type = at(part, "type");
    return type.is_string() ? shown(type.get_ref<const std::string&>()) : "without a type";
  }
  /// Whether a boolean member, `otherwise` when it is missing, is `value`; what is no boolean is
  /// not.
  static bool is(const Json& object, std::string_view key, bool value, bool otherwise) {
    const Json& member = at(object, key);
    return member.is_null() ? otherwise == value : member == value;
  }
  /// A boolean member, `otherwise` when it is missing.
  Result<bool> flag(const Json& object, std::string_view key, bool otherwise) const {
    const bool value = is(object, key, true, otherwise);
    if (value || is(object, key, false, otherwise)) return value;
    return bad("has a value for " + std::string(key) + " that is neither true nor false");
  }

  Status normalizer() const {
    const Json& part = at(root_, "normalizer");
    if (part.is_null()) return {};
    return unsupported("normalizer " + type_of(part));
  }

  Status pre_tokenizer() const {
    const Json& part = at(root_, "pre_tokenizer");
    const Json& steps = at(part, "pretokenizers");
    if (type_of(part) != "Sequence" || !steps.is_array()) {
      return unsupported("pre_tokenizer " + type_of(part));
    }
    if (steps.size() != 2) {
      return unsupported("a pre_tokenizer of " + std::to_string(steps.size()) + " steps");
    }
    if (type_of(steps[0]) != "Split") return unsupported("pre_tokenizer " + type_of(steps[0]));
    if (type_of(steps[1]) != "ByteLevel") return unsupported("pre_tokenizer " + type_of(steps[1]));
    SEQGPT_TRY(split(steps[0]));
    if (!is(steps[1], "add_prefix_space", false, true)) {
      return unsupported("pre_tokenizer option add_prefix_space");
    }
    if (!is(steps[1], "use_regex", false, true)) {
      return unsupported("pre_tokenizer option use_regex");
    }
    return {};
  }

  Status split(const Json& step) const {
    const Json& pattern = at(at(step, "pattern"), "Regex");
    if (pattern != kBloomSplitPattern) {
      return unsupported("pre_tokenizer pattern " + shown(at(step, "pattern").dump()));
    }
    if (at(step, "behavior") != "Isolated") {
      return unsupported("pre_tokenizer behavior " + shown(at(step, "behavior").dump()));
    }
    if (!is(step, "invert", false, false)) return unsupported("pre_tokenizer option invert");
    return {};
  }

  Status post_processor() {
    const Json& part = at(root_, "post_processor");
    if (part.is_null()) return {};
    if (type_of(part) != "ByteLevel") return unsupported("post_processor " + type_of(part));
    SEQGPT_ASSIGN(file_.trim_offsets, flag(part, "trim_offsets", true));
    SEQGPT_ASSIGN(file_.keeps_first_space, flag(part, "add_prefix_space", true));
    return {};
  }

  Status decoder() const {
    const Json& part = at(root_, "decoder");
    if (type_of(part) == "ByteLevel") return {};
    return unsupported("decoder " + (part.is_null() ? "null" : type_of(part)));
  }

  Status model() {
    const Json& part = at(root_, "model");
    if (!at(part, "vocab").is_object()) {
      return bad("has no vocabulary: model.vocab is missing or no object");
    }
    if (!at(part, "merges").is_array()) {
      return bad("has no merges: model.merges is missing or no list");
    }
    // A type in words is checked where it is read; old files have none.
    if (const Json& type = at(part, "type"); !type.is_null() && type != "BPE") {
      return unsupported("model type " + shown(type.dump()));
    }
    return model_options(part);
  }

  Status model_options(const Json& part) {
    if (const Json& dropout = at(part, "dropout"); !dropout.is_null() && dropout != 0.0) {
      return unsupported("model option dropout");
    }
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (const Json& value = at(part, key); !value.is_null() && !is_empty(value)) {
        return unsupported(std::string("model option ") + key);
      }
    }
    if (!is(part, "byte_fallback", false, false)) return unsupported("model option byte_fallback");
    if (const Json& unknown = at(part, "unk_token"); unknown.is_string()) {
      file_.unknown = unknown.get<std::string>();
    } else if (!unknown.is_null()) {
      return bad("has a model.unk_token that is no string");
    }
    SEQGPT_ASSIGN(file_.fuse_unknown, flag(part, "fuse_unk", false));
    SEQGPT_ASSIGN(file_.ignore_merges, flag(part, "ignore_merges", false));
    return {};
  }

  Status added_tokens() {
    const Json& tokens = at(root_, "added_tokens");
    if (tokens.is_null()) return {};
    if (!tokens.is_array()) return bad("has added_tokens that are no list");
    if (tokens.size() > kMaxAddedTokens) {
      return bad("has more than " + std::to_string(kMaxAddedTokens) + " added_tokens");
    }
    for (const Json& token : tokens) SEQGPT_TRY(added_token(token));
    return {};
  }

  Status added_token(const Json& token) {
    const Json& content = at(token, "content");
    const Json& id = at(token, "id");
    if (!content.is_string() || is_empty(content)) {
      return bad("has an entry in added_tokens without content");
    }
    const std::string text = content.get<std::string>();
    if (text.size() > kMaxAddedBytes) {
      return bad("has an added token of more than " + std::to_string(kMaxAddedBytes) + " bytes");
    }
    if (!id.is_number_integer() || id < 0 || id >= kMaxTokenId) {
      return bad("gives the added token " + shown(text) + " an id outside 0 to " +
                 std::to_string(kMaxTokenId - 1));
    }
    for (const char* option : {"lstrip", "rstrip", "single_word"}) {
      if (!is(token, option, false, false)) {
        return unsupported(std::string("the option ") + option + " on the added token " +
                           shown(text));
      }
    }
    SEQGPT_ASSIGN(const bool special, flag(token, "special", false));
    SEQGPT_ASSIGN(const bool normalized, flag(token, "normalized", !special));
    file_.added.push_back({text, id.get<int32_t>(), special, normalized});
    return {};
  }

  const Json& root_;
  std::string_view name_;
  TokenizerFile& file_;
};

}  // namespace

Status apply_settings(const Json& settings, std::string_view name, TokenizerFile& file) {
  return Settings(settings, name, file).apply();
}

Result<TokenizerFile> read_tokenizer_file(std::string_view json, std::string_view name) {
  if (json.size() > kMaxTokenizerBytes) {
    return Error{ErrorCode::kTooLarge, std::string(name) + ": the tokenizer is larger than " +
                                           std::to_string(kMaxTokenizerBytes >> 20) + " MiB"};
  }
  SEQGPT_ASSIGN(RawTokenizer raw, parse_tokenizer_json(json, name));
  SEQGPT_TRY(apply_settings(raw.settings, name, raw.file));
  return std::move(raw.file);
}

}  // namespace seqgpt
