// SPDX-License-Identifier: Apache-2.0
// TaskFlags: the options of a task on the command line, by the contract's names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "task/options.h"

namespace seqgpt::cli {

struct TaskFlags {
  TaskOptions options;
  std::string long_text = "window";

  /// Options of every task, then those of one kind.
  void add_to(CLI::App& command);
  void add_extraction(CLI::App& command);
  void add_classification(CLI::App& command);

  /// The options as given, checked.
  Result<TaskOptions> read() const;
};

}  // namespace seqgpt::cli
