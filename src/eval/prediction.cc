// SPDX-License-Identifier: Apache-2.0
// Reading answers back.
#include "eval/prediction.h"

#include "api/request_json.h"

namespace seqgpt {
namespace {

constexpr size_t kMostKept = 100000;

Error not_an_answer(const std::string& what) {
  return {ErrorCode::kInvalidArgument, "not an answer of seqgpt batch: " + what};
}

std::optional<double> number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

Status read_entity(const Json& entity, Prediction& prediction) {
  const bool shaped = entity.is_object() && entity.value("label", Json()).is_string() &&
                      entity.value("text", Json()).is_string();
  if (!shaped) return not_an_answer("entities must hold objects with label and text");
  PredictedValue value{entity["text"].get<std::string>(), std::nullopt,
                       number(entity, "confidence")};
  const auto start = number(entity, "start");
  const auto end = number(entity, "end");
  if (start && end && *start >= 0 && *end >= *start)
    value.span = CharacterSpan{static_cast<size_t>(*start), static_cast<size_t>(*end)};
  prediction.values[entity["label"].get<std::string>()].push_back(std::move(value));
  return {};
}

void read_result(const Json& result, Prediction& prediction) {
  for (const auto& [label, written] : result.items()) {
    const Json list = written.is_array() ? written : Json::array({written});
    for (const Json& value : list) {
      if (!value.is_null())
        prediction.values[label].push_back({json_cell(value), std::nullopt, std::nullopt});
    }
  }
}

Status read_classification(const Json& object, Prediction& prediction) {
  const Json& result = object["result"];
  for (const Json& one : result.is_array() ? result : Json::array({result})) {
    if (one.is_string()) prediction.classes.push_back(one.get<std::string>());
  }
  const Json labels = object.value("labels", Json::array());
  for (const Json& score : labels.is_array() ? labels : Json::array()) {
    const auto probability = score.is_object() ? number(score, "probability") : std::nullopt;
    if (!probability || !score.value("label", Json()).is_string())
      return not_an_answer("labels must hold objects with label and probability");
    prediction.probabilities.emplace_back(score["label"].get<std::string>(), *probability);
  }
  return {};
}

std::string error_message(const Json& error) {
  const Json message = error.is_object() ? error.value("message", Json()) : error;
  return message.is_string() ? message.get<std::string>() : dump_json(error, -1);
}

}  // namespace

Result<Prediction> parse_prediction(std::string_view line, uint64_t line_number) {
  SEQGPT_ASSIGN(const Json object, parse_json(line));
  if (!object.is_object()) return not_an_answer("a line must be a JSON object");
  Prediction prediction;
  const auto id = object.find("id");
  const bool named = id != object.end() && !id->is_null();
  prediction.id = named ? json_cell(*id) : std::to_string(line_number);
  const auto entities = object.find("entities");
  const auto result = object.find("result");
  if (entities != object.end() && entities->is_array()) {
    for (const Json& entity : *entities) {
      SEQGPT_TRY(read_entity(entity, prediction));
    }
  } else if (result != object.end() && result->is_object()) {
    read_result(*result, prediction);
  } else if (result != object.end()) {
    SEQGPT_TRY(read_classification(object, prediction));
  } else if (object.contains("error")) {
    prediction.error = error_message(object["error"]);
  } else {
    return not_an_answer("neither result nor error");
  }
  return prediction;
}

PredictionFile::PredictionFile(InputFile input) : input_(std::move(input)) {
  lines_.emplace(input_.text());
}

Result<std::unique_ptr<PredictionFile>> PredictionFile::open(const std::string& path) {
  SEQGPT_ASSIGN(InputFile input, InputFile::open(path, "auto"));
  return std::unique_ptr<PredictionFile>(new PredictionFile(std::move(input)));
}

Result<std::optional<Prediction>> PredictionFile::next() {
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<Line> line, lines_->next());
    if (!line) return std::optional<Prediction>();
    const uint64_t number = number_++;
    if (line->text.find_first_not_of(" \t\r") == std::string::npos && !line->too_long) continue;
    Result<Prediction> prediction = parse_prediction(line->text, number);
    if (prediction.ok()) return std::optional<Prediction>(std::move(prediction).value());
    Error error = std::move(prediction).error();
    error.message = input_.name() + " line " + std::to_string(number + 1) + ": " + error.message;
    return error;
  }
}

Result<std::optional<Prediction>> PredictionFile::find(const std::string& id) {
  if (const auto kept = kept_.find(id); kept != kept_.end()) {
    std::optional<Prediction> found = std::move(kept->second);
    kept_.erase(kept);
    return found;
  }
  for (;;) {
    SEQGPT_ASSIGN(std::optional<Prediction> prediction, next());
    if (!prediction || prediction->id == id) return prediction;
    if (kept_.size() == kMostKept)
      return Error{ErrorCode::kTooLarge,
                   "the predictions are in quite another order than the gold (more than 100,000 "
                   "stand before the one with id " +
                       id + "); sort both by id",
                   "predictions"};
    std::string key = prediction->id;
    kept_.emplace(std::move(key), *std::move(prediction));
  }
}

Result<uint64_t> PredictionFile::unasked() {
  uint64_t count = kept_.size();
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<Prediction> prediction, next());
    if (!prediction) return count;
    ++count;
  }
}

}  // namespace seqgpt
