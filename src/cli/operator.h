// SPDX-License-Identifier: Apache-2.0
// What the operator's commands share: settings from the environment.
#pragma once

#include <string>

namespace seqgpt::cli {

/// The value of an environment variable; empty when it is not set.
std::string environment(const char* name);
/// True for 1, true, yes, on.
bool environment_flag(const char* name);

}  // namespace seqgpt::cli
