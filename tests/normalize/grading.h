// SPDX-License-Identifier: Apache-2.0
// The suites' comparison rules (tests/golden/normalize/README.md): is a canonical value the
// expected one?
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "normalize/normalized.h"

namespace seqgpt::testing_support {

/// A canonical value as the JSON object the suites write, null when there is none.
nlohmann::json as_json(const Normalized& value);

/// Whether `got` is right for a case of `kind`; extra information (approx, bound, type, region) is
/// not compared.
bool graded_right(const std::string& kind, const nlohmann::json& got,
                  const nlohmann::json& expected);

}  // namespace seqgpt::testing_support
