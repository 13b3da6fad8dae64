// SPDX-License-Identifier: Apache-2.0
// EvalReport: what an evaluation found, and its three forms: text, JSON, one HTML page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/misses.h"
#include "eval/scores.h"

namespace seqgpt {

struct FileReport {
  std::string name;
  uint64_t bad_lines = 0;  // of gold: not scored
  uint64_t failed = 0;     // texts whose prediction is an error: scored as empty
  uint64_t without = 0;    // texts without any prediction: scored as empty
  uint64_t unasked = 0;    // predictions without gold
  ExtractionScores extraction;
  ClassificationScores classification;

  void add(const FileReport& other);
};

struct MissExample {
  Miss miss;
  std::string file;
  uint64_t line = 0;  // from 1
};

struct EvalReport {
  std::string predictor;  // model and fingerprint, or the names of the prediction files
  bool ignore_space = false;
  std::vector<FileReport> files;
  uint64_t misses = 0;
  std::vector<MissExample> examples;  // the first of them

  FileReport total() const;
};

/// For a terminal: totals, a line a label, calibration, a line a file when there are several.
std::string text_report(const EvalReport& report);
/// Everything as one JSON object.
std::string json_report(const EvalReport& report);
/// One self-contained page: no script, nothing fetched, every user text escaped.
std::string html_report(const EvalReport& report);

}  // namespace seqgpt
