// SPDX-License-Identifier: Apache-2.0
// parse_json_checked: JSON of a hostile file, with its depth, its size and its duplicate keys under
// control.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

struct JsonLimits {
  size_t depth = 32;  // open arrays and objects
  size_t values =
      1'000'000;  // numbers, strings, arrays, … all together: some 100 bytes of memory each
};

/// The document in `text`, which must be an object. Refused as kBadFile, the message beginning with
/// `name`: invalid UTF-8, a syntax error, a NUL byte, a key given twice, anything beyond `limits`.
Result<nlohmann::json> parse_json_checked(std::string_view text, std::string_view name,
                                          const JsonLimits& limits = {});

}  // namespace seqgpt
