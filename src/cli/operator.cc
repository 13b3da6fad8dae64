// SPDX-License-Identifier: Apache-2.0
// Reading of the environment.
#include "cli/operator.h"

#include <cstdlib>

namespace seqgpt::cli {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool environment_flag(const char* name) {
  const std::string value = environment(name);
  return value == "1" || value == "true" || value == "yes" || value == "on";
}

}  // namespace seqgpt::cli
