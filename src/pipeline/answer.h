// SPDX-License-Identifier: Apache-2.0
// Answer: what a task comes back with, in the text's own bytes; src/api turns it into the JSON of
// the contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "constrain/span_index.h"
#include "normalize/normalized.h"
#include "pipeline/evidence.h"
#include "task/task.h"

namespace seqgpt {

/// Something the caller should know, that is no error: a cap that was reached, a text that was cut.
struct Warning {
  std::string code;
  std::string message;
  std::string param = {};
};

/// A value found under one label. Its text is span of the input, always.
struct Entity {
  size_t label = 0;  // index into Answer::labels
  ByteSpan span;
  Normalized normalized = {};  // by the label's type; nothing when not asked for
  Evidence evidence = {};      // what confidence was computed from
  double confidence = 0;       // 0..1, calibrated where the model has a calibration (confidence.h)
};

struct ClassScore {
  size_t label = 0;
  double probability = 0;
};

/// How far a task is: windows of its text that were read. Zeros: nothing to tell.
struct TaskProgress {
  size_t windows_done = 0;
  size_t windows = 0;
  bool operator==(const TaskProgress&) const = default;
};

struct Answer {
  TaskKind kind = TaskKind::kExtract;
  std::vector<Label> labels;     // checked, in the order asked
  std::vector<Entity> entities;  // in order of the labels, then of start
  // One for each value of the record label, in the text's order: that value, then its fields by
  // label.
  std::optional<std::vector<std::vector<Entity>>> records;
  std::vector<ClassScore> classes;  // by probability, then by request order
  // With `multi`: the labels at or above the threshold, by probability.
  std::optional<std::vector<size_t>> chosen;
  std::vector<Warning> warnings;
  std::string reference_time;  // as the task said
  double coverage = 1;         // the share of the text's characters that was read
  bool truncated = false;      // some of it was not read, as long_text asked
  bool unvoted = false;        // several windows were read, each alone (window_voting was false)
};

/// Where the time of a task or prompt went, in ms; negative: not known (yet). For progress, never
/// part of an answer.
struct WorkTimes {
  double read = -1;       // until the first token was chosen
  double decide = -1;     // from then until the last
  double normalize = -1;  // merging, canonical values
};

/// What is decided of an extraction under way.
struct Decided {
  std::vector<size_t> labels;  // that have all their values now and had not before
  Answer answer;               // their entities, as the whole answer will have them
};

/// A free prompt of the user's own words.
struct FreePrompt {
  std::string text;
  // Not empty: SeqGPT's template is put around the text, with this word (抽取, 分类 or another) and
  // the labels.
  std::string task_word;
  std::vector<Label> labels;
  int max_new_tokens = 256;
  int beams = 1;
  double repetition_penalty = 1;
  std::vector<std::string> stop;  // strings that end the answer; they are cut off
  // At most one of the two; neither goes with beams, a penalty or stop strings.
  bool copy_only = false;           // the answer is a part of the text
  std::vector<std::string> one_of;  // the answer is the most probable of these
  std::string owner = {};           // as of a task
};

struct FreeAnswer {
  std::string text;
  bool stopped = false;  // by the end token or a stop string; else by max_new_tokens
  int prompt_tokens = 0;
  int completion_tokens = 0;
  std::optional<ByteSpan> span;  // with copy_only: where the answer stands in the prompt's text
};

}  // namespace seqgpt
