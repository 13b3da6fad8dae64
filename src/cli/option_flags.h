// SPDX-License-Identifier: Apache-2.0
// OptionFlags: the options of a request on the command line, made from the table of options.
#pragma once

#include <CLI/CLI.hpp>

#include "api/request_options.h"

namespace seqgpt::cli {

struct OptionFlags {
  RequestOptions options;

  /// Every option of these tasks that is not the server's alone.
  void add_to(CLI::App& command, unsigned tasks);
  /// --reference-time and --timezone only.
  void add_reference(CLI::App& command);
  /// The options as given, checked; the reference time is now unless another was said.
  Result<RequestOptions> read() const;
};

}  // namespace seqgpt::cli
