// SPDX-License-Identifier: Apache-2.0
// config.json, key by key; every error names its key.
#include "model/config.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/mapped_file.h"
#include "weights/json_checked.h"
#include "weights/printable.h"

namespace seqgpt {
namespace {

using nlohmann::json;

constexpr size_t kMaxConfigBytes = 16 << 20;
constexpr int kMaxLayers = 1000;
constexpr int kMaxHeads = 1024;
constexpr int kMaxHidden = 65536;
constexpr int kMaxVocabulary = 10'000'000;
constexpr int kMaxClasses = 65536;
constexpr int kDefaultClasses = 2;  // as HF

struct Architecture {
  std::string_view name;
  Head head;
};

constexpr Architecture kArchitectures[] = {
    {"BloomForCausalLM", Head::kCausalLm},
    {"BloomModel", Head::kCausalLm},
    {"BloomForTokenClassification", Head::kTokenClassification},
    {"BloomForSequenceClassification", Head::kSequenceClassification},
};

/// The object of a config.json and its name, with typed access. null counts as absent, as in HF.
class Keys {
 public:
  Keys(const json& object, std::string_view name) : object_(object), name_(name) {}

  const json* find(const std::string& key) const {
    const auto place = object_.find(key);
    return place == object_.end() || place->is_null() ? nullptr : &*place;
  }

  Error error(const std::string& key, const std::string& why,
              ErrorCode code = ErrorCode::kBadFile) const {
    return Error{code, std::string(name_) + ": " + key + " " + why, key};
  }

  Result<std::optional<int>> integer(const std::string& key, int low, int high) const {
    return integer(key, find(key), low, high);
  }

  Result<std::optional<int>> integer(const std::string& key, const json* value, int low,
                                     int high) const {
    if (!value) return std::optional<int>();
    if (!value->is_number_integer())
      return error(key, "has the wrong type: it must be an integer number");
    const bool too_big = value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX;
    if (too_big || value->get<int64_t>() < low || value->get<int64_t>() > high) {
      return error(key, "is " + value->dump() + ", outside the limits of " + std::to_string(low) +
                            " to " + std::to_string(high));
    }
    return std::optional<int>(value->get<int>());
  }

  /// A dimension, from 1 to `high`, under one of its two names.
  Result<int> dimension(const std::string& key, const std::string& other, int high) const {
    SEQGPT_ASSIGN(const auto first, integer(key, 1, high));
    SEQGPT_ASSIGN(const auto second, integer(other, 1, high));
    if (!first && !second) return error(key, "is missing");
    if (first && second && *first != *second)
      return error(key, "and " + other + " contradict each other");
    return first ? *first : *second;
  }

  Result<bool> boolean(const std::string& key, bool fallback) const {
    const json* value = find(key);
    if (!value) return fallback;
    if (!value->is_boolean()) return error(key, "has the wrong type: it must be true or false");
    return value->get<bool>();
  }

 private:
  const json& object_;
  std::string_view name_;
};

Status check_model_type(const Keys& keys) {
  const json* type = keys.find("model_type");
  if (!type) return keys.error("model_type", "is missing; 'bloom' is expected");
  if (!type->is_string())
    return keys.error("model_type", "has the wrong type: it must be a string");
  const auto& text = type->get_ref<const std::string&>();
  if (text == "bloom") return {};
  return keys.error("model_type",
                    "is " + printable(text) + ", which is unsupported; only 'bloom' can be run",
                    ErrorCode::kUnsupported);
}

Result<Head> read_head(const Keys& keys) {
  const json* list = keys.find("architectures");
  if (!list) return Head::kCausalLm;
  if (!list->is_array() || list->empty() || !(*list)[0].is_string()) {
    return keys.error("architectures", "has the wrong type: it must be a list of names");
  }
  const auto& text = (*list)[0].get_ref<const std::string&>();
  for (const Architecture& architecture : kArchitectures) {
    if (text == architecture.name) return architecture.head;
  }
  return keys.error("architectures", "names " + printable(text) + ", which is unsupported",
                    ErrorCode::kUnsupported);
}

Status read_dimensions(const Keys& keys, ModelConfig& config) {
  SEQGPT_ASSIGN(config.layers, keys.dimension("n_layer", "num_hidden_layers", kMaxLayers));
  SEQGPT_ASSIGN(config.heads, keys.dimension("n_head", "num_attention_heads", kMaxHeads));
  SEQGPT_ASSIGN(config.hidden, keys.dimension("hidden_size", "n_embed", kMaxHidden));
  SEQGPT_ASSIGN(config.vocabulary, keys.dimension("vocab_size", "vocab_size", kMaxVocabulary));
  if (config.hidden % config.heads != 0) {
    return keys.error("n_head", "is " + std::to_string(config.heads) + ", but hidden_size " +
                                    std::to_string(config.hidden) + " is not divisible by it");
  }
  SEQGPT_ASSIGN(const auto inner, keys.integer("n_inner", 1, 4 * kMaxHidden));
  if (inner && *inner != config.ffn()) {
    return keys.error("n_inner",
                      "is " + std::to_string(*inner) + "; only 4 * hidden_size is supported",
                      ErrorCode::kUnsupported);
  }
  return {};
}

Result<float> read_epsilon(const Keys& keys) {
  const json* value = keys.find("layer_norm_epsilon");
  if (!value) return 1e-5F;
  if (!value->is_number())
    return keys.error("layer_norm_epsilon", "has the wrong type: it must be a number");
  const auto epsilon = value->get<float>();
  if (!(epsilon > 0 && epsilon <= 1)) {
    return keys.error("layer_norm_epsilon",
                      "is " + value->dump() + ", it must be above 0 and at most 1");
  }
  return epsilon;
}

/// A token id; HF also allows a list of them, whose first counts here.
Result<int32_t> read_token(const Keys& keys, const std::string& key, int vocabulary,
                           int32_t fallback) {
  const json* value = keys.find(key);
  if (value && value->is_array() && !value->empty()) value = &value->front();
  SEQGPT_ASSIGN(const auto id, keys.integer(key, value, 0, vocabulary - 1));
  return id.value_or(fallback);
}

/// The number that a class id is written as: "0", "12", no sign, no leading zero.
std::optional<int> class_id(const std::string& text) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  int id = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    id = id * 10 + (c - '0');
  }
  return id;
}

/// Names by id out of {"0": "O", …} or, turned round, {"O": 0, …}. Ids must be 0 to n - 1, each
/// once.
Result<std::vector<std::string>> read_names(const Keys& keys, const std::string& key,
                                            const json& object, bool turned) {
  if (!object.is_object() || object.empty() || object.size() > kMaxClasses) {
    return keys.error(key, "must be an object of 1 to " + std::to_string(kMaxClasses) + " classes");
  }
  std::vector<std::optional<std::string>> names(object.size());
  for (const auto& [left, right] : object.items()) {
    const std::string id_text = turned ? right.dump() : left;
    const auto id = class_id(id_text);
    if (!id || static_cast<size_t>(*id) >= names.size() || names[*id] ||
        !(turned || right.is_string())) {
      return keys.error(key, "has the bad entry " + printable(left) +
                                 ": ids must be 0 to n - 1, each once, names strings");
    }
    names[*id] = turned ? left : right.get<std::string>();
  }
  std::vector<std::string> result;
  for (auto& name : names) result.push_back(*std::move(name));
  return result;
}

Result<std::vector<std::string>> read_class_names(const Keys& keys) {
  SEQGPT_ASSIGN(const auto stated, keys.integer("num_labels", 1, kMaxClasses));
  std::vector<std::string> names;
  if (const json* object = keys.find("id2label")) {
    SEQGPT_ASSIGN(names, read_names(keys, "id2label", *object, false));
  } else if (const json* turned = keys.find("label2id")) {
    SEQGPT_ASSIGN(names, read_names(keys, "label2id", *turned, true));
  } else {
    for (int i = 0; i < stated.value_or(kDefaultClasses); ++i)
      names.push_back("LABEL_" + std::to_string(i));
  }
  if (stated && static_cast<size_t>(*stated) != names.size()) {
    return keys.error("num_labels", "is " + std::to_string(*stated) + ", but " +
                                        std::to_string(names.size()) + " class names are given");
  }
  return names;
}

/// 2^(-8 / power) by square roots, which have the same bits everywhere; HF keeps the base in f32.
float slope_base(int power) {
  double base = 1.0 / 256;
  for (int n = 1; n < power; n *= 2) base = std::sqrt(base);
  return static_cast<float>(base);
}

/// base^1, base^(1 + stride), base^(1 + 2 stride), …
void append_powers(std::vector<float>& slopes, double base, int count, int stride) {
  double slope = base;
  for (int i = 0; i < count; ++i) {
    slopes.push_back(static_cast<float>(slope));
    for (int k = 0; k < stride; ++k) slope *= base;
  }
}

}  // namespace

Result<ModelConfig> parse_config(std::string_view text, std::string_view name) {
  SEQGPT_ASSIGN(const json document, parse_json_checked(text, name));
  const Keys keys(document, name);
  SEQGPT_TRY(check_model_type(keys));
  ModelConfig config;
  SEQGPT_ASSIGN(config.head, read_head(keys));
  SEQGPT_TRY(read_dimensions(keys, config));
  SEQGPT_ASSIGN(config.layer_norm_epsilon, read_epsilon(keys));
  SEQGPT_ASSIGN(config.residual_after_norm,
                keys.boolean("apply_residual_connection_post_layernorm", false));
  SEQGPT_ASSIGN(config.tied_embedding, keys.boolean("tie_word_embeddings", true));
  SEQGPT_ASSIGN(config.eos_id, read_token(keys, "eos_token_id", config.vocabulary, config.eos_id));
  SEQGPT_ASSIGN(config.pad_id, read_token(keys, "pad_token_id", config.vocabulary, config.pad_id));
  if (config.head != Head::kCausalLm) {
    SEQGPT_ASSIGN(config.class_names, read_class_names(keys));
  }
  return config;
}

Result<ModelConfig> load_config(const std::filesystem::path& config_json) {
  SEQGPT_ASSIGN(const MappedFile file, MappedFile::open(config_json));
  const auto bytes = file.bytes();
  if (bytes.size() > kMaxConfigBytes) {
    return Error{ErrorCode::kTooLarge,
                 config_json.string() + " is larger than the limit of 16 MiB"};
  }
  return parse_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                      config_json.string());
}

std::vector<float> alibi_slopes(int heads) {
  int power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<float> slopes;
  append_powers(slopes, slope_base(power), power, 1);
  append_powers(slopes, slope_base(2 * power), heads - power, 2);
  return slopes;
}

}  // namespace seqgpt
