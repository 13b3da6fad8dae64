// SPDX-License-Identifier: Apache-2.0
// One line of a batch: JSON in to a Task, an Answer to JSON out, with id and unknown fields passed
// through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/body.h"
#include "base/result.h"
#include "task/task.h"

namespace seqgpt {

/// What holds for every line that does not say otherwise.
struct BatchDefaults {
  TaskKind kind = TaskKind::kExtract;
  std::vector<Label> labels;
  LabelRules rules;  // of these labels and of those that a line names
  std::string text_field = "text";
  std::string id_field = "id";
  AnswerOptions answer;
  BodyContext context;
};

/// A line read: its task and options, or the error that it will become.
class BatchLine {
 public:
  /// `line` is one JSON object (from_json) or one plain text (from_text); number counts lines from
  /// 0.
  static BatchLine from_json(std::string_view line, uint64_t number, const BatchDefaults& defaults);
  static BatchLine from_text(std::string_view line, uint64_t number, const BatchDefaults& defaults);

  BatchLine(BatchLine&&) noexcept;
  BatchLine& operator=(BatchLine&&) noexcept;
  ~BatchLine();

  const Result<Task>& task() const;
  /// The output line, without its line feed. An Error gives {"id", "error"}.
  std::string output(const Result<Answer>& answer, const BatchDefaults& defaults) const;

 private:
  struct Impl;
  explicit BatchLine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
