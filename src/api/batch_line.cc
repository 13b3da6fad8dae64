// SPDX-License-Identifier: Apache-2.0
// Batch lines: strict about our own fields, transparent for everybody else's.
#include "api/batch_line.h"

#include <algorithm>

#include "api/answer_cells.h"
#include "api/label_json.h"
#include "api/raw_members.h"
#include "api/request_json.h"

namespace seqgpt {

/// A field that is not ours: its value as it was written.
struct PassedField {
  std::string name;
  std::string value;  // JSON
};

struct BatchLine::Impl {
  std::string id;  // JSON, as it was written
  std::vector<PassedField> passed_through;
  AnswerOptions options;
  Result<Task> task = Error{};
};

namespace {

constexpr std::string_view kOwnColumns[] = {"reference_time"};

/// A batch is never degraded and has no deadlines: what would be ignored is refused.
Status check_served_only(const Json& object) {
  for (const RequestOption& option : request_options()) {
    const auto found = object.find(option.name);
    if (!option.served_only || found == object.end() || found->is_null()) continue;
    if (option.name == "degrade" && *found == "never") continue;  // as it is
    const std::string name(option.name);
    return Error{ErrorCode::kInvalidArgument,
                 name +
                     " is an option of requests to a server, not of a batch's lines (a batch is "
                     "never degraded and waits for every answer): leave it out",
                 name};
  }
  return {};
}

Result<Task> read_task(const Json& object, const BatchDefaults& defaults, AnswerOptions& options) {
  Task task{defaults.kind, {}, defaults.labels, {}};
  const auto text = object.find(defaults.text_field);
  if (text == object.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the field \"" + defaults.text_field + "\" is missing", defaults.text_field};
  }
  if (!text->is_string()) {
    return Error{ErrorCode::kInvalidArgument, "\"" + defaults.text_field + "\" must be a string",
                 defaults.text_field};
  }
  task.text = text->get<std::string>();
  SEQGPT_TRY(check_served_only(object));
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(task.labels, labels_from_json(*labels));
  }
  SEQGPT_ASSIGN(RequestOptions read, options_from_json(object, kForText, defaults.options));
  if (!task.labels.empty()) {
    SEQGPT_ASSIGN(task.labels, check_labels(std::move(task.labels), read.rules));
  }
  task.options = std::move(read.task);
  options = read.answer;
  return task;
}

std::string in_json(const std::string& text) {
  return dump_json(Json(text), -1);
}

/// Digits of a number that a double would lose stay.
std::string cell_of(const std::string& value) {
  const Json parsed = Json::parse(value, nullptr, false);
  return parsed.is_number() ? value : json_cell(parsed);
}

/// A line of output: id, the fields passed through, the members of `body`, which win.
std::string line_of(const std::string& id, const std::vector<PassedField>& passed_through,
                    const Json& body) {
  std::string line = "{\"id\":" + id;
  for (const PassedField& field : passed_through) {
    if (!body.contains(field.name)) line += "," + in_json(field.name) + ":" + field.value;
  }
  const std::string rest = dump_json(body, -1);  // never empty: {"success":…} or {"error":…}
  return line + "," + rest.substr(1);
}

/// A field that is read here, so not passed through.
bool is_own(std::string_view name, const BatchDefaults& defaults) {
  if (name == defaults.text_field || name == defaults.id_field || name == "id") return true;
  const RequestOption* option = find_request_option(name);
  return name == "labels" || (option && (option->tasks & kForText) != 0);
}

/// The cells as an object; cells that are ours but empty count as not given.
Json object_of(const std::vector<std::string>& names, const std::vector<std::string>& cells) {
  Json object = Json::object();
  for (size_t i = 0; i < std::min(names.size(), cells.size()); ++i) object[names[i]] = cells[i];
  return object;
}

/// Names of columns and answers together; the first that stands twice.
Result<BatchColumns> without_doubles(BatchColumns columns) {
  std::vector<std::string> names = columns.header();
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return columns;
  return Error{ErrorCode::kInvalidArgument,
               "the CSV output would have two columns \"" + *twice +
                   "\": give the label an alias (name=alias) or rename the input's field",
               "labels"};
}

Result<Task> plain_task(std::string_view text, const BatchDefaults& defaults) {
  Task task{defaults.kind, std::string(text), defaults.labels, defaults.options.task};
  if (task.labels.empty()) return task;
  SEQGPT_ASSIGN(task.labels, check_labels(std::move(task.labels), defaults.options.rules));
  return task;
}

}  // namespace

std::vector<std::string> BatchColumns::header() const {
  std::vector<std::string> names = {"id"};
  names.insert(names.end(), passed_through.begin(), passed_through.end());
  names.insert(names.end(), answer.begin(), answer.end());
  names.emplace_back("error");
  return names;
}

BatchLine::BatchLine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BatchLine::BatchLine(BatchLine&&) noexcept = default;
BatchLine& BatchLine::operator=(BatchLine&&) noexcept = default;
BatchLine::~BatchLine() = default;

BatchLine BatchLine::from_error(Error error, uint64_t number) {
  auto impl = std::make_unique<Impl>();
  impl->id = in_json(std::to_string(number));
  impl->task = std::move(error);
  return BatchLine(std::move(impl));
}

BatchLine BatchLine::from_json(std::string_view line, uint64_t number,
                               const BatchDefaults& defaults) {
  Result<Json> parsed = parse_json(line);
  if (!parsed.ok()) return from_error(std::move(parsed).error(), number);
  if (!parsed->is_object())
    return from_error({ErrorCode::kInvalidArgument, "a line must be a JSON object"}, number);
  auto impl = std::make_unique<Impl>();
  impl->options = defaults.options.answer;
  const auto id = parsed->find(defaults.id_field);
  const bool named = id != parsed->end() && !id->is_null();
  impl->id = in_json(std::to_string(number));
  impl->task = read_task(*parsed, defaults, impl->options);
  for (const RawMember& member : raw_members(line)) {
    std::string key = Json::parse(member.key).get<std::string>();
    if (named && key == defaults.id_field) impl->id = member.value;
    if (!is_own(key, defaults))
      impl->passed_through.push_back({std::move(key), std::string(member.value)});
  }
  return BatchLine(std::move(impl));
}

BatchLine BatchLine::from_text(std::string_view line, uint64_t number,
                               const BatchDefaults& defaults) {
  auto impl = std::make_unique<Impl>();
  impl->id = in_json(std::to_string(number));
  impl->options = defaults.options.answer;
  impl->task = plain_task(line, defaults);
  return BatchLine(std::move(impl));
}

BatchLine BatchLine::from_row(const std::vector<std::string>& names,
                              const std::vector<std::string>& cells, uint64_t number,
                              const BatchDefaults& defaults) {
  const bool fits =
      std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), cells.size())),
                  cells.end(), [](const std::string& cell) { return cell.empty(); });
  if (!fits) {
    return from_error({ErrorCode::kInvalidArgument,
                       "the row has " + std::to_string(cells.size()) + " cells, the header " +
                           std::to_string(names.size()) + ": is a comma or a quote not quoted?"},
                      number);
  }
  Json object = object_of(names, cells);
  auto impl = std::make_unique<Impl>();
  impl->options = defaults.options.answer;
  const std::string id = object.value(defaults.id_field, std::string());
  impl->id = in_json(id.empty() ? std::to_string(number) : id);
  Json ours = {{defaults.text_field, object.value(defaults.text_field, std::string())}};
  for (const std::string_view name : kOwnColumns)
    ours[name] = object.value(std::string(name), std::string());
  impl->task = read_task(ours, defaults, impl->options);
  for (const auto& [key, value] : object.items()) {
    if (key != defaults.id_field && key != "id" && !ours.contains(key))
      impl->passed_through.push_back({key, dump_json(value, -1)});
  }
  return BatchLine(std::move(impl));
}

const Result<Task>& BatchLine::task() const {
  return impl_->task;
}

std::string BatchLine::output(const Result<Answer>& answer, const BatchDefaults& defaults) const {
  if (!answer.ok()) return line_of(impl_->id, {}, error_json(answer.error()));
  return line_of(impl_->id, impl_->passed_through,
                 answer_json(*answer, impl_->task->text, impl_->options, defaults.context));
}

Result<BatchColumns> BatchLine::columns(const BatchDefaults& defaults) const {
  BatchColumns columns;
  for (const PassedField& field : impl_->passed_through)
    columns.passed_through.push_back(field.name);
  columns.answer = {"result", "probability"};
  if (defaults.kind == TaskKind::kClassify) return without_doubles(std::move(columns));
  columns.answer.clear();
  std::vector<Label> labels = defaults.labels;
  if (labels.empty() && impl_->task.ok()) labels = impl_->task->labels;
  const Result<std::vector<Label>> checked =
      check_labels(std::move(labels), defaults.options.rules);
  if (!checked.ok()) {
    return Error{ErrorCode::kInvalidArgument,
                 "CSV output has one column a label, known from the start: name them with -l (" +
                     checked.error().message + ")",
                 "labels"};
  }
  for (const Label& label : *checked) columns.answer.push_back(label.key);
  return without_doubles(std::move(columns));
}

std::vector<std::string> BatchLine::row(const Result<Answer>& answer, const BatchColumns& columns,
                                        bool& failed) const {
  std::vector<std::string> row = {cell_of(impl_->id)};
  for (const std::string& name : columns.passed_through) {
    const auto field = std::ranges::find(impl_->passed_through, name, &PassedField::name);
    row.push_back(field == impl_->passed_through.end() ? "" : cell_of(field->value));
  }
  const size_t first = row.size();
  row.resize(first + columns.answer.size() + 1);
  std::string error = answer.ok() ? "" : answer.error().message;
  if (answer.ok()) {
    std::vector<std::string> cells = answer_cells(*answer, impl_->task->text, impl_->options);
    const bool extract = answer->kind == TaskKind::kExtract;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string& name = extract ? answer->labels[i].key : columns.answer[i];
      const auto column = std::ranges::find(columns.answer, name);
      if (column == columns.answer.end()) {
        error = "the label \"" + name + "\" has no column in this file: name it with -l";
      } else {
        row[first + static_cast<size_t>(column - columns.answer.begin())] = std::move(cells[i]);
      }
    }
  }
  failed = !error.empty();
  row.back() = std::move(error);
  return row;
}

std::vector<std::string> BatchLine::without_column(const BatchColumns& columns) const {
  std::vector<std::string> names;
  for (const PassedField& field : impl_->passed_through) {
    if (std::ranges::find(columns.passed_through, field.name) == columns.passed_through.end())
      names.push_back(field.name);
  }
  return names;
}

}  // namespace seqgpt
