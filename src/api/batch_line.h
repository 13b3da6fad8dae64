// SPDX-License-Identifier: Apache-2.0
// One item of a batch: a record in to a Task, an Answer to a line out, with id and unknown fields
// passed through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/body.h"
#include "api/request_options.h"
#include "base/result.h"
#include "task/task.h"

namespace seqgpt {

/// What holds for every line that does not say otherwise.
struct BatchDefaults {
  TaskKind kind = TaskKind::kExtract;
  std::vector<Label> labels;
  std::string text_field = "text";
  std::string id_field = "id";
  RequestOptions options;  // its rules hold for these labels and for those that a line names
  BodyContext context;
};

/// The columns of CSV output, fixed by the labels and the first item: id, fields passed through,
/// one a label key (classification: result, probability), error.
struct BatchColumns {
  std::vector<std::string> passed_through;
  std::vector<std::string> answer;

  std::vector<std::string> header() const;
};

/// An item read: its task and options, or the error that it will become.
class BatchLine {
 public:
  /// `number` counts items of the file from 0 and is the id of those that name none.
  static BatchLine from_json(std::string_view line, uint64_t number, const BatchDefaults& defaults);
  static BatchLine from_text(std::string_view line, uint64_t number, const BatchDefaults& defaults);
  /// A row of a table. Only text, id and reference_time (when not empty) are ours; all other
  /// columns pass through. Errors when it has more cells than there are names.
  static BatchLine from_row(const std::vector<std::string>& names,
                            const std::vector<std::string>& cells, uint64_t number,
                            const BatchDefaults& defaults);
  static BatchLine from_error(Error error, uint64_t number);

  BatchLine(BatchLine&&) noexcept;
  BatchLine& operator=(BatchLine&&) noexcept;
  ~BatchLine();

  const Result<Task>& task() const;
  /// The output line, without its line feed. An Error gives {"id", "error"}.
  std::string output(const Result<Answer>& answer, const BatchDefaults& defaults) const;

  /// The columns when this is the first item. Errors: kInvalidArgument when there are no labels,
  /// or a name would stand twice.
  Result<BatchColumns> columns(const BatchDefaults& defaults) const;
  /// The output row. An answer with a label that has no column becomes an error, told in `failed`.
  std::vector<std::string> row(const Result<Answer>& answer, const BatchColumns& columns,
                               bool& failed) const;
  /// Fields passed through that have no column.
  std::vector<std::string> without_column(const BatchColumns& columns) const;

 private:
  struct Impl;
  explicit BatchLine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
