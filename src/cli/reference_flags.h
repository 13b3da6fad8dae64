// SPDX-License-Identifier: Apache-2.0
// --reference-time and --timezone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "task/options.h"

namespace seqgpt::cli {

struct ReferenceFlags {
  std::string reference_time;  // empty: now
  std::string timezone;        // empty: Asia/Shanghai

  void add_to(CLI::App& command);
  /// Sets the option to a whole time.
  Status apply(TaskOptions& options) const;
};

}  // namespace seqgpt::cli
