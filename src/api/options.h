// SPDX-License-Identifier: Apache-2.0
// Options of a request that shape its answer, with the names they have in JSON and on the command
// line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

enum class OffsetUnit { kCodepoint, kUtf16, kBytes };
enum class ValueShape { kAuto, kList };

struct AnswerOptions {
  OffsetUnit offsets = OffsetUnit::kCodepoint;
  ValueShape values = ValueShape::kAuto;
};

Result<OffsetUnit> parse_offset_unit(std::string_view name);
Result<ValueShape> parse_value_shape(std::string_view name);

}  // namespace seqgpt
