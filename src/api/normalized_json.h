// SPDX-License-Identifier: Apache-2.0
// Canonical values as JSON: the object beside a verbatim value, and the flat form in `result`.
#pragma once

#include <nlohmann/json.hpp>

#include "normalize/normalized.h"

namespace seqgpt {

/// {"kind": …, fields in order}; null when there is no value.
nlohmann::ordered_json normalized_json(const Normalized& value);

/// A string, a number, {"start","end"}, {"low","high"} or null, as the contract's table of types
/// says. Numbers are JSON numbers (amounts always with a fraction), so beyond 2^53 the exact one is
/// in normalized_json.
nlohmann::ordered_json flat_json(const Normalized& value);

}  // namespace seqgpt
