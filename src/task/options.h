// SPDX-License-Identifier: Apache-2.0
// TaskOptions: how a text is to be read and what is to be done with what is found
// (src/api/request_options.h gives them names).
#pragma once

#include <string>

#include "base/result.h"

namespace seqgpt {

/// What happens to a text that is longer than one window.
enum class LongText {
  kWindow,    // all of it is read, in overlapping windows
  kTruncate,  // the beginning is read, cut at a sentence's end, with a warning
  kReject,    // kTooLarge
};

struct TaskOptions {
  LongText long_text = LongText::kWindow;
  int window_tokens = 512;    // of text in one prompt, kMinWindowTokens .. kMaxWindowTokens
  int max_chars = 2000;       // what kTruncate keeps at most
  double min_confidence = 0;  // values below it are left out
  bool verify = true;         // ends are set right by rule, what the model guesses is left out
  // What verification costs: ends set right. No option of a request: load takes it away
  // (brown-out).
  bool set_ends = true;
  // Neighbouring windows overlap: what stands on a seam is read twice, and the surer reading
  // counts. No option of a request either.
  bool window_voting = true;
  bool normalize = true;  // canonical values beside the verbatim ones
  std::string
      reference_time;  // what relative times are read against: ISO 8601 with offset; empty or none
  int beams = 1;       // of the search for an extraction's answer, 1 .. kMaxBeams; 1 is greedy
  std::string record;  // the label of whose values each makes a record; empty: no records
  bool multi = false;  // classification: any number of labels, each with its own probability
  double threshold = 0.5;  // ... from which a label is an answer
};

inline constexpr int kMinWindowTokens = 32;
inline constexpr int kMaxWindowTokens = 8192;
inline constexpr int kMaxBeams = 16;

/// Ranges of the numbers; errors name the option.
Status check_options(const TaskOptions& options);

}  // namespace seqgpt
