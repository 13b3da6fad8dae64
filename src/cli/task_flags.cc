// SPDX-License-Identifier: Apache-2.0
// How a task's options are named and explained on the command line.
#include "cli/task_flags.h"

namespace seqgpt::cli {

void TaskFlags::add_to(CLI::App& command) {
  command
      .add_option("--long-text", long_text,
                  "a text longer than a window: window (read it all), truncate or reject")
      ->capture_default_str();
  command.add_option("--window-tokens", options.window_tokens, "tokens of text in one prompt")
      ->capture_default_str();
  command.add_option("--max-chars", options.max_chars, "characters that truncate keeps at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

void TaskFlags::add_extraction(CLI::App& command) {
  command.add_option("--min-confidence", options.min_confidence,
                     "leave out values below it (0..1)");
  command.add_flag("--normalize,!--no-normalize", options.normalize,
                   "canonical values beside the verbatim ones (on unless --no-normalize)");
  command.add_flag("--verify,!--no-verify", options.verify,
                   "set the ends of values right by rule (on unless --no-verify)");
  command.add_option(
      "--record", options.record,
      "a label: one record for each of its values, with the fields that belong to it");
}

void TaskFlags::add_classification(CLI::App& command) {
  command.add_flag("--multi", options.multi, "any number of labels, each with its own probability");
  command
      .add_option("--threshold", options.threshold,
                  "with --multi: probability from which a label is an answer")
      ->capture_default_str();
}

Result<TaskOptions> TaskFlags::read() const {
  TaskOptions read = options;
  SEQGPT_ASSIGN(read.long_text, parse_long_text(long_text));
  SEQGPT_TRY(check_options(read));
  return read;
}

}  // namespace seqgpt::cli
