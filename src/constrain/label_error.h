// SPDX-License-Identifier: Apache-2.0
// The error of a label that no constraint can be built for.
#pragma once

#include <string>

#include "base/result.h"

namespace seqgpt {

/// kUnbuildable, naming "labels[i]"; `what` ends the sentence: "is empty; give it a name".
inline Error unbuildable_label(size_t label, const std::string& what) {
  const std::string where = "labels[" + std::to_string(label) + "]";
  return {ErrorCode::kUnbuildable, where + " " + what, where};
}

}  // namespace seqgpt
