// SPDX-License-Identifier: Apache-2.0
// Options of a request that shape its answer; request_options.h gives them names.
#pragma once

namespace seqgpt {

enum class OffsetUnit { kCodepoint, kUtf16, kBytes };
enum class ValueShape { kAuto, kList };

struct AnswerOptions {
  OffsetUnit offsets = OffsetUnit::kCodepoint;
  ValueShape values = ValueShape::kAuto;
};

}  // namespace seqgpt
