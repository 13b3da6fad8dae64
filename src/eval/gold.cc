// SPDX-License-Identifier: Apache-2.0
// Reading gold strictly: a wrong gold line would be counted as a model's mistake.
#include "eval/gold.h"

#include <algorithm>
#include <set>

#include "api/label_json.h"
#include "api/request_json.h"
#include "base/utf8.h"

namespace seqgpt {
namespace {

constexpr std::string_view kClassSeparator = "，";

Error wrong(const std::string& param, const std::string& message) {
  return {ErrorCode::kInvalidArgument, param + " " + message, param};
}

Result<std::vector<std::string>> label_names(const Json& object) {
  std::vector<std::string> names;
  const auto labels = object.find("labels");
  if (labels == object.end() || labels->is_null()) return names;
  SEQGPT_ASSIGN(const std::vector<Label> parsed, labels_from_json(*labels));
  for (const Label& label : parsed) names.push_back(label.name);
  return names;
}

/// Byte positions of all characters of a text, its end included.
std::vector<size_t> character_starts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); ++at) {
    if (utf8_boundary(text, at)) starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

Result<GoldValue> value_with_span(const Json& written, const std::string& text,
                                  const std::vector<size_t>& starts, const std::string& param) {
  const bool shaped = written.is_array() && written.size() == 3 && written[0].is_string() &&
                      written[1].is_number_unsigned() && written[2].is_number_unsigned();
  if (!shaped) return wrong(param, "must be [value, start, end]");
  const auto start = written[1].get<uint64_t>();
  const auto end = written[2].get<uint64_t>();
  if (start >= end || end >= starts.size()) return wrong(param, "lies outside the text");
  GoldValue value{written[0].get<std::string>(), CharacterSpan{start, end}};
  const std::string there = text.substr(starts[start], starts[end] - starts[start]);
  if (there == value.text) return value;
  return wrong(param, "says \"" + value.text + "\", but the text there is \"" + there + "\"");
}

Status read_entities(const Json& entities, GoldItem& item) {
  if (!entities.is_object()) return wrong("entities", "must be an object of labels");
  const std::vector<size_t> starts = character_starts(item.text);
  item.spans = true;
  for (const auto& [label, list] : entities.items()) {
    if (!list.is_array()) return wrong("entities." + label, "must be a list");
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string param = "entities." + label + "[" + std::to_string(i) + "]";
      SEQGPT_ASSIGN(GoldValue value, value_with_span(list[i], item.text, starts, param));
      item.values[label].push_back(std::move(value));
    }
  }
  return {};
}

Status read_values(const Json& gold, GoldItem& item) {
  if (!gold.is_object()) return wrong("gold", "must be an object of labels");
  for (const auto& [label, written] : gold.items()) {
    if (written.is_null()) continue;
    const Json list = written.is_array() ? written : Json::array({written});
    for (const Json& value : list) {
      if (!value.is_string()) return wrong("gold." + label, "must be a list of strings");
      item.values[label].push_back({value.get<std::string>(), std::nullopt});
    }
  }
  return {};
}

std::vector<std::string> split(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

/// A TAB stands in no label; a comma may.
std::vector<std::string> split_classes(const std::string& label,
                                       const std::vector<std::string>& labels) {
  if (label.find('\t') != std::string::npos) return split(label, "\t");
  if (std::ranges::find(labels, label) != labels.end()) return {label};
  std::vector<std::string> parts = split(label, kClassSeparator);
  const bool known = std::ranges::all_of(parts, [&](const std::string& part) {
    return labels.empty() || std::ranges::find(labels, part) != labels.end();
  });
  return known ? std::move(parts) : std::vector<std::string>{label};
}

Status read_classes(const Json& label, GoldItem& item) {
  item.classification = true;
  if (label.is_string()) {
    item.classes = split_classes(label.get<std::string>(), item.labels);
  }
  for (const Json& one : label.is_array() ? label : Json::array()) {
    if (one.is_string()) item.classes.push_back(one.get<std::string>());
  }
  if (item.classes.empty() || (label.is_array() && item.classes.size() != label.size()))
    return wrong("label", "must be a class or a list of them");
  if (std::ranges::find(item.classes, "") != item.classes.end())
    return wrong("label", "has an empty class; remove a stray TAB or comma");
  return {};
}

/// Everything but the labels of lines that name none.
Result<GoldItem> parse_without_fallback(const Json& object, uint64_t number) {
  GoldItem item;
  item.line = number;
  const auto id = object.find("id");
  const bool named = id != object.end() && !id->is_null();
  item.id = named ? json_cell(*id) : std::to_string(number);
  const auto text = object.find("text");
  if (text == object.end() || !text->is_string()) return wrong("text", "must be a string");
  item.text = text->get<std::string>();
  if (utf8_first_invalid(item.text)) return wrong("text", "is not valid UTF-8");
  SEQGPT_ASSIGN(item.labels, label_names(object));
  if (object.contains("label")) {
    SEQGPT_TRY(read_classes(object["label"], item));
  } else if (object.contains("entities")) {
    SEQGPT_TRY(read_entities(object["entities"], item));
  } else if (object.contains("gold")) {
    SEQGPT_TRY(read_values(object["gold"], item));
  } else {
    return wrong("gold", "is missing (or entities, or label)");
  }
  return item;
}

Result<Json> parse_object(std::string_view line) {
  SEQGPT_ASSIGN(Json object, parse_json(line));
  if (object.is_object()) return object;
  return Error{ErrorCode::kInvalidArgument, "a line must be a JSON object"};
}

bool blank(const Line& line) {
  return !line.too_long && line.text.find_first_not_of(" \t\r") == std::string::npos;
}

/// What a first pass over the file finds.
struct Survey {
  uint64_t lines = 0;
  std::vector<std::string> labels;  // that occur, in order of first occurrence
  bool several_classes = false;     // some text has more than one
};

Result<Survey> survey(const std::string& path) {
  SEQGPT_ASSIGN(InputFile input, InputFile::open(path, "auto"));
  LineReader lines(input.text());
  Survey survey;
  std::set<std::string> seen;
  const auto add = [&](const std::string& label) {
    if (seen.insert(label).second) survey.labels.push_back(label);
  };
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<Line> line, lines.next());
    if (!line) return survey;
    if (blank(*line)) continue;
    ++survey.lines;
    const Result<Json> object = parse_object(line->text);
    const Result<GoldItem> item =
        object.ok() ? parse_without_fallback(*object, 0) : Result<GoldItem>(object.error());
    if (!item.ok()) continue;  // named when it is read
    for (const auto& [label, values] : item->values) add(label);
    for (const std::string& label : item->classes) add(label);
    survey.several_classes |= item->classes.size() > 1;
  }
}

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

Result<GoldItem> parse_gold(std::string_view line, uint64_t number,
                            const std::vector<std::string>& fallback) {
  SEQGPT_ASSIGN(const Json object, parse_object(line));
  SEQGPT_ASSIGN(GoldItem item, parse_without_fallback(object, number));
  Json request = {{"id", item.id}, {"text", item.text}};
  if (item.labels.empty()) {
    item.labels = fallback;
    request["labels"] = fallback;
  } else {
    request["labels"] = object["labels"];  // with types and aliases
  }
  item.request = dump_json(request, -1);
  return item;
}

Result<std::vector<std::string>> labels_for(const std::string& label_set_json,
                                            const std::string& path) {
  SEQGPT_ASSIGN(Json set, parse_json(label_set_json));
  if (set.is_object()) {
    const std::string stem = stem_of(path);
    if (!set.contains(stem)) return std::vector<std::string>();
    set = Json(set[stem]);
  }
  std::vector<std::string> labels;
  for (const Json& label : set.is_array() ? set : Json::array()) {
    if (label.is_string()) labels.push_back(label.get<std::string>());
  }
  if (!labels.empty()) return labels;
  return wrong("label_set", "must be a list of labels, or an object of such lists by file name");
}

GoldReader::GoldReader(InputFile input, std::vector<std::string> labels)
    : input_(std::move(input)), labels_(std::move(labels)) {
  lines_.emplace(input_.text());
}

Result<std::unique_ptr<GoldReader>> GoldReader::open(const std::string& path,
                                                     std::vector<std::string> labels,
                                                     const GoldChoice& choice) {
  SEQGPT_ASSIGN(Survey found, survey(path));
  if (labels.empty()) labels = std::move(found.labels);
  SEQGPT_ASSIGN(InputFile input, InputFile::open(path, "auto"));
  std::unique_ptr<GoldReader> reader(new GoldReader(std::move(input), std::move(labels)));
  reader->left_ = found.lines;
  reader->several_classes_ = found.several_classes;
  reader->wanted_ = std::min(found.lines, choice.limit.value_or(found.lines));
  if (choice.seed) reader->random_.emplace(*choice.seed);
  return reader;
}

Result<std::optional<GoldReader::Read>> GoldReader::next() {
  while (wanted_ > 0) {
    SEQGPT_ASSIGN(const std::optional<Line> line, lines_->next());
    if (!line) break;
    const uint64_t number = number_++;
    if (blank(*line)) continue;
    // Selection sampling (Knuth, algorithm S): each line with the same chance, in one pass.
    const bool taken = !random_ || (*random_)() % left_ < wanted_;
    --left_;
    if (!taken) continue;
    --wanted_;
    Read read;
    read.line = number;
    Result<GoldItem> item = line->too_long
                                ? Error{ErrorCode::kTooLarge, "the line is larger than 64 MiB"}
                                : parse_gold(line->text, number, labels_);
    if (item.ok()) {
      read.item = std::move(item).value();
    } else {
      read.error = std::move(item).error();
    }
    return std::optional<Read>(std::move(read));
  }
  return std::optional<Read>();
}

}  // namespace seqgpt
