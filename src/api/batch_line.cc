// SPDX-License-Identifier: Apache-2.0
// Batch lines: strict about our own fields, transparent for everybody else's.
#include "api/batch_line.h"

#include <algorithm>

#include "api/request_json.h"

namespace seqgpt {

struct BatchLine::Impl {
  Json id;
  Json passed_through = Json::object();
  AnswerOptions options;
  Result<Task> task = Error{};
};

namespace {

constexpr std::string_view kOwnFields[] = {"labels",  "labels_policy", "mentions",
                                           "offsets", "values",        "min_confidence"};

Result<Task> read_task(const Json& object, const BatchDefaults& defaults, AnswerOptions& options) {
  Task task{defaults.kind, {}, defaults.labels};
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
  if (const auto labels = object.find("labels"); labels != object.end()) {
    SEQGPT_ASSIGN(task.labels, labels_from_json(*labels));
  }
  SEQGPT_ASSIGN(const LabelRules rules, label_rules_from_json(object, defaults.rules));
  if (!task.labels.empty()) {
    SEQGPT_ASSIGN(task.labels, check_labels(std::move(task.labels), rules));
  }
  SEQGPT_ASSIGN(options, answer_options_from_json(object, options));
  return task;
}

}  // namespace

BatchLine::BatchLine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BatchLine::BatchLine(BatchLine&&) noexcept = default;
BatchLine& BatchLine::operator=(BatchLine&&) noexcept = default;
BatchLine::~BatchLine() = default;

BatchLine BatchLine::from_json(std::string_view line, uint64_t number,
                               const BatchDefaults& defaults) {
  auto impl = std::make_unique<Impl>();
  impl->id = std::to_string(number);
  impl->options = defaults.answer;
  Result<Json> parsed = parse_json(line);
  if (!parsed.ok()) {
    impl->task = parsed.error();
  } else if (!parsed->is_object()) {
    impl->task = Error{ErrorCode::kInvalidArgument, "a line must be a JSON object"};
  } else {
    const auto id = parsed->find(defaults.id_field);
    if (id != parsed->end() && !id->is_null()) impl->id = *id;
    impl->task = read_task(*parsed, defaults, impl->options);
    for (const auto& [key, value] : parsed->items()) {
      const bool own = key == defaults.text_field || key == defaults.id_field || key == "id" ||
                       std::ranges::find(kOwnFields, key) != std::end(kOwnFields);
      if (!own) impl->passed_through[key] = value;
    }
  }
  return BatchLine(std::move(impl));
}

BatchLine BatchLine::from_text(std::string_view line, uint64_t number,
                               const BatchDefaults& defaults) {
  auto impl = std::make_unique<Impl>();
  impl->id = std::to_string(number);
  impl->options = defaults.answer;
  impl->task = Task{defaults.kind, std::string(line), defaults.labels};
  return BatchLine(std::move(impl));
}

const Result<Task>& BatchLine::task() const {
  return impl_->task;
}

std::string BatchLine::output(const Result<Answer>& answer, const BatchDefaults& defaults) const {
  Json line = {{"id", impl_->id}};
  line.update(impl_->passed_through);
  if (answer.ok()) {
    line.update(answer_json(*answer, impl_->task->text, impl_->options, defaults.context));
  } else {
    line.update(error_json(answer.error()));
  }
  return dump_json(line, -1);
}

}  // namespace seqgpt
