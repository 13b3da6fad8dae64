// SPDX-License-Identifier: Apache-2.0
// BatchWriter: answers to a file, a line or a CSV row each, such that any moment's content can be
// resumed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "batch/run.h"
#include "batch/state.h"
#include "records/output_file.h"

namespace seqgpt {

/// How far the whole records of an output reach, counted from a place known before on (from its
/// beginning when the file is shorter than that). What follows is a record torn by a kill. The
/// header of a CSV is no item.
Result<BatchProgress> whole_records(const std::string& path, RecordFormat format,
                                    BatchProgress known);

struct BatchOutput {
  RecordFormat format = RecordFormat::kJsonl;  // or kCsv
  BatchColumns columns;                        // of kCsv
  std::string state_path;                      // empty: keep no state
  BatchSettings settings;
};

class BatchWriter final : public AnswerSink {
 public:
  using Observer = std::function<void(const BatchProgress&)>;

  /// Goes on after `progress` (of whole_records): cuts the file there, and writes the state before
  /// the first byte. `defaults` must outlive the writer; `observer` is told after each answer.
  static Result<std::unique_ptr<BatchWriter>> begin(std::unique_ptr<OutputFile> file,
                                                    BatchOutput output,
                                                    const BatchDefaults& defaults,
                                                    const BatchProgress& progress,
                                                    Observer observer);

  Status put(const BatchLine& line, const Result<Answer>& answer) override;
  /// Everything to the disk, then into the state.
  Status checkpoint();

  const BatchProgress& progress() const { return progress_; }
  /// Input fields that had no column of the CSV and are not in it.
  const std::set<std::string>& dropped() const { return dropped_; }

 private:
  BatchWriter(std::unique_ptr<OutputFile> file, BatchOutput output, const BatchDefaults& defaults,
              const BatchProgress& progress, Observer observer);
  std::string record(const BatchLine& line, const Result<Answer>& answer, bool& failed);

  std::unique_ptr<OutputFile> file_;
  BatchOutput output_;
  const BatchDefaults& defaults_;
  BatchProgress progress_;
  Observer observer_;
  std::set<std::string> dropped_;
  // When something is written to the disk, never what.
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point synced_ = flushed_;
};

}  // namespace seqgpt
