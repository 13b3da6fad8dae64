// SPDX-License-Identifier: Apache-2.0
// Names and ranges of the options.
#include "task/options.h"

#include <sstream>

namespace seqgpt {
namespace {

Error out_of_range(const std::string& name, const std::string& range) {
  return {ErrorCode::kInvalidArgument, name + " must be " + range, name};
}

bool is_share(double value) {
  return value >= 0 && value <= 1;  // false for NaN
}

}  // namespace

Result<LongText> parse_long_text(std::string_view name) {
  if (name == "window") return LongText::kWindow;
  if (name == "truncate") return LongText::kTruncate;
  if (name == "reject") return LongText::kReject;
  return Error{ErrorCode::kInvalidArgument,
               "long_text must be window, truncate or reject, not \"" + std::string(name) + "\"",
               "long_text"};
}

std::string options_text(const TaskOptions& options) {
  static constexpr const char* kNames[] = {"window", "truncate", "reject"};
  std::ostringstream text;
  text.precision(17);
  text << "long_text=" << kNames[static_cast<int>(options.long_text)]
       << " window_tokens=" << options.window_tokens << " max_chars=" << options.max_chars
       << " min_confidence=" << options.min_confidence << " verify=" << options.verify
       << " normalize=" << options.normalize << " record=" << options.record
       << " multi=" << options.multi << " threshold=" << options.threshold;
  return text.str();
}

Status check_options(const TaskOptions& options) {
  if (options.window_tokens < kMinWindowTokens || options.window_tokens > kMaxWindowTokens) {
    return out_of_range("window_tokens", "from " + std::to_string(kMinWindowTokens) + " to " +
                                             std::to_string(kMaxWindowTokens));
  }
  if (options.max_chars == 0) return out_of_range("max_chars", "at least 1");
  if (!is_share(options.min_confidence)) return out_of_range("min_confidence", "from 0 to 1");
  if (!is_share(options.threshold)) return out_of_range("threshold", "from 0 to 1");
  return {};
}

}  // namespace seqgpt
