// SPDX-License-Identifier: Apache-2.0
// Deciding whether to go on.
#include "batch/resume.h"

#include <filesystem>

#include "batch/writer.h"

namespace seqgpt {

std::string state_path(const std::string& output) {
  return output + ".state";
}

Result<BatchProgress> resume_point(const std::string& output, RecordFormat format,
                                   const std::optional<BatchState>& state,
                                   const BatchSettings& settings) {
  std::error_code none;
  const auto size = std::filesystem::file_size(output, none);
  const bool written = !none && size > 0;
  if (!state && written) {
    return Error{ErrorCode::kInvalidArgument,
                 output + " is there already and has no " + state_path(output) +
                     " to go on from; --restart overwrites it",
                 "output"};
  }
  if (!state) return BatchProgress{};
  SEQGPT_TRY(check_same(state->settings, settings, output));
  if (!written) return BatchProgress{};
  return whole_records(output, format, state->progress);
}

}  // namespace seqgpt
