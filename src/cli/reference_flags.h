// SPDX-License-Identifier: Apache-2.0
// --reference-time and --timezone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "api/options.h"
#include "base/result.h"

namespace seqgpt::cli {

struct ReferenceFlags {
  std::string reference_time;  // empty: now
  std::string timezone = "Asia/Shanghai";

  void add_to(CLI::App& command);
  /// Sets both options; the time is made whole.
  Status apply(AnswerOptions& options) const;
};

}  // namespace seqgpt::cli
