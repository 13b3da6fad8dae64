// SPDX-License-Identifier: Apache-2.0
// Names of the options' values.
#include "api/options.h"

namespace seqgpt {

Result<OffsetUnit> parse_offset_unit(std::string_view name) {
  if (name == "codepoint") return OffsetUnit::kCodepoint;
  if (name == "utf16") return OffsetUnit::kUtf16;
  if (name == "bytes") return OffsetUnit::kBytes;
  return Error{ErrorCode::kInvalidArgument,
               "offsets must be codepoint, utf16 or bytes, not \"" + std::string(name) + "\"",
               "offsets"};
}

Result<ValueShape> parse_value_shape(std::string_view name) {
  if (name == "auto") return ValueShape::kAuto;
  if (name == "list") return ValueShape::kList;
  return Error{ErrorCode::kInvalidArgument,
               "values must be auto or list, not \"" + std::string(name) + "\"", "values"};
}

}  // namespace seqgpt
