// SPDX-License-Identifier: Apache-2.0
// Flattening `result`.
#include "api/answer_cells.h"

#include "api/body_json.h"
#include "api/normalized_json.h"

namespace seqgpt {

std::string json_cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  const bool range =
      value.is_object() && value.size() == 2 && (value.contains("low") || value.contains("start"));
  if (!value.is_array() && !range) return dump_json(value, -1);
  std::string cell;
  for (const Json& item : value) {
    if (!cell.empty()) cell += range ? "~" : "；";
    cell += json_cell(item);
  }
  return cell;
}

std::string canonical_cell(const Entity& entity) {
  return json_cell(flat_json(entity.normalized));
}

std::vector<std::string> answer_cells(const Answer& answer, std::string_view text,
                                      const AnswerOptions& options) {
  const Json body = answer_json(answer, text, options, {});
  std::vector<std::string> cells;
  if (answer.kind == TaskKind::kExtract) {
    for (const Label& label : answer.labels) cells.push_back(json_cell(body["result"][label.key]));
  } else {
    cells = {json_cell(body["result"]), json_cell(body["labels"][0]["probability"])};
  }
  return cells;
}

}  // namespace seqgpt
