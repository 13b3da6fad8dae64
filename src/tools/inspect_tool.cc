// SPDX-License-Identifier: Apache-2.0
// What inspect finds out, and how it is told.
#include "tools/inspect_tool.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "model/bloom.h"
#include "model/config.h"
#include "tokenizer/tokenizer.h"
#include "weights/checkpoint.h"
#include "weights/packed_name.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

const char* head_name(Head head) {
  switch (head) {
    case Head::kCausalLm:
      return "causal language model";
    case Head::kTokenClassification:
      return "token classification";
    case Head::kSequenceClassification:
      return "sequence classification";
  }
  return "?";
}

Json shape_json(const ModelConfig& config) {
  Json shape = {{"head", head_name(config.head)},  {"layers", config.layers},
                {"hidden", config.hidden},         {"heads", config.heads},
                {"head_size", config.head_size()}, {"vocabulary", config.vocabulary}};
  if (!config.class_names.empty()) shape["classes"] = config.class_names;
  return shape;
}

int64_t elements_of(const ModelConfig& config, std::string_view weight) {
  for (const ExpectedTensor& expected : expected_tensors(config)) {
    if (expected.name == weight) return shape_elements(expected.shape);
  }
  return 0;
}

Json weights_json(const Checkpoint& checkpoint, const ModelConfig& config,
                  std::vector<std::string>& problems) {
  int64_t parameters = 0;
  std::map<std::string, int64_t> by_type;
  std::set<std::string, std::less<>> packed;  // weights that stand in the kernels' layout
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    if (tensor.name == "lm_head.weight" && config.tied_embedding)
      continue;  // the embedding once more
    const auto name = parse_packed_name(tensor.name);
    const DType type = name ? name->type : tensor.view.dtype;
    if (name) packed.emplace(name->weight);
    const int64_t count = name ? elements_of(config, name->weight) : tensor.view.elements();
    parameters += count;
    by_type[std::string(dtype_name(type))] += count;
  }
  for (const ExpectedTensor& expected : expected_tensors(config)) {
    const TensorView* found = checkpoint.find(expected.name);
    if (found == nullptr && packed.contains(expected.name)) continue;
    if (found == nullptr) {
      problems.push_back("weight " + expected.name + ": " +
                         checkpoint.explain_missing(expected.name));
    } else if (found->shape != expected.shape) {
      problems.push_back("weight " + expected.name + " has shape " + shape_text(found->shape) +
                         ", wanted " + shape_text(expected.shape));
    }
  }
  Json files = Json::array();
  for (const WeightFile& file : checkpoint.files()) {
    files.push_back({{"name", file.name}, {"format", file.format}, {"bytes", file.bytes}});
  }
  return {{"parameters", parameters},
          {"by_type", by_type},
          {"tensors", checkpoint.tensors().size()},
          {"files", files}};
}

Json tokenizer_json(const std::filesystem::path& directory, const ModelConfig& config,
                    std::vector<std::string>& problems) {
  const Result<Tokenizer> loaded = Tokenizer::load(directory / "tokenizer.json");
  if (!loaded.ok()) {
    problems.push_back(loaded.error().message);
    return nullptr;
  }
  const Tokenizer& tokenizer = *loaded;
  if (tokenizer.size() > config.vocabulary) {
    problems.push_back("tokenizer.json has ids up to " + std::to_string(tokenizer.size() - 1) +
                       ", beyond the model's vocab_size of " + std::to_string(config.vocabulary));
  }
  Json added = Json::array();
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.is_added(id))
      added.push_back(
          {{"id", id}, {"text", tokenizer.bytes(id)}, {"special", tokenizer.is_special(id)}});
  }
  const std::optional<int32_t> gen = tokenizer.find("[GEN]");
  return {{"tokens", tokenizer.size()},
          {"covers_all_bytes", tokenizer.covers_all_bytes()},
          {"gen_token", gen ? Json(*gen) : Json(nullptr)},
          {"added", added}};
}

std::string json_text(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string readable(const Json& report) {
  std::string text;
  for (const auto& [section, content] : report.items()) {
    if (!content.is_object()) {
      text += section + ": " + json_text(content) + "\n";
      continue;
    }
    text += section + "\n";
    for (const auto& [key, value] : content.items())
      text += "  " + key + ": " + json_text(value) + "\n";
  }
  return text;
}

}  // namespace

Result<Inspection> inspect_model(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) {
    return Error{ErrorCode::kNotFound, "model directory " + directory.string() + " does not exist",
                 "model"};
  }
  SEQGPT_ASSIGN(const ModelConfig config, load_config(directory / "config.json"));
  std::vector<std::string> problems;
  Json report = {{"directory", directory.string()}, {"shape", shape_json(config)}};
  const Result<Checkpoint> checkpoint = Checkpoint::open(directory);
  if (checkpoint.ok()) {
    report["weights"] = weights_json(*checkpoint, config, problems);
  } else {
    report["weights"] = nullptr;
    problems.push_back(checkpoint.error().message);
  }
  report["tokenizer"] = tokenizer_json(directory, config, problems);
  report["whole"] = problems.empty();
  report["problems"] = problems;
  return Inspection{readable(report), report.dump(2, ' ', false, Json::error_handler_t::replace),
                    problems.empty()};
}

}  // namespace seqgpt
