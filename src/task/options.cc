// SPDX-License-Identifier: Apache-2.0
// Ranges of the options.
#include "task/options.h"

namespace seqgpt {
namespace {

Error out_of_range(const std::string& name, const std::string& range) {
  return {ErrorCode::kInvalidArgument, name + " must be " + range, name};
}

bool is_share(double value) {
  return value >= 0 && value <= 1;  // false for NaN
}

}  // namespace

Status check_options(const TaskOptions& options) {
  if (options.window_tokens < kMinWindowTokens || options.window_tokens > kMaxWindowTokens) {
    return out_of_range("window_tokens", "from " + std::to_string(kMinWindowTokens) + " to " +
                                             std::to_string(kMaxWindowTokens));
  }
  if (options.beams < 1 || options.beams > kMaxBeams)
    return out_of_range("beams", "from 1 to " + std::to_string(kMaxBeams));
  if (options.max_chars < 1) return out_of_range("max_chars", "at least 1");
  if (!is_share(options.min_confidence)) return out_of_range("min_confidence", "from 0 to 1");
  if (!is_share(options.threshold)) return out_of_range("threshold", "from 0 to 1");
  return {};
}

}  // namespace seqgpt
