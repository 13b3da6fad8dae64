// SPDX-License-Identifier: Apache-2.0
// Writing answers, and finding out what a killed run has left.
#include "batch/writer.h"

#include <nlohmann/json.hpp>

#include "records/csv_reader.h"
#include "records/csv_writer.h"
#include "records/lines.h"

namespace seqgpt {
namespace {

constexpr std::chrono::seconds kFlushEvery{1};  // so that a reader of the file sees answers come
constexpr std::chrono::seconds kSyncEvery{5};   // bounds what a resume must read again
constexpr size_t kMaxDropped = 100;             // names kept for the message

/// An answer line without "success" is {"id", "error"}.
bool line_failed(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  return json.is_discarded() || !json.is_object() || !json.contains("success");
}

Status count_lines(ByteSource& file, BatchProgress& progress) {
  const uint64_t begin = progress.bytes;
  LineReader lines(file, SIZE_MAX);
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<Line> line, lines.next());
    if (!line || !line->terminated) return {};
    ++progress.items;
    progress.failed += line_failed(line->text);
    progress.bytes = begin + lines.position();
  }
}

Status count_rows(ByteSource& file, BatchProgress& progress) {
  const uint64_t begin = progress.bytes;
  bool header = begin == 0;
  CsvReader rows(file, SIZE_MAX);
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<CsvRecord> row, rows.next());
    if (!row || !row->terminated || row->error) return {};
    progress.items += !header;
    progress.failed += !header && !row->cells.back().empty();
    header = false;
    progress.bytes = begin + rows.position();
  }
}

}  // namespace

Result<BatchProgress> whole_records(const std::string& path, RecordFormat format,
                                    BatchProgress known) {
  SEQGPT_ASSIGN(const std::unique_ptr<FileSource> file, FileSource::open(path));
  if (file->size().value_or(0) < known.bytes) known = {};
  SEQGPT_TRY(file->seek(known.bytes));
  SEQGPT_TRY(format == RecordFormat::kCsv ? count_rows(*file, known) : count_lines(*file, known));
  return known;
}

BatchWriter::BatchWriter(std::unique_ptr<OutputFile> file, BatchOutput output,
                         const BatchDefaults& defaults, const BatchProgress& progress,
                         Observer observer)
    : file_(std::move(file)),
      output_(std::move(output)),
      defaults_(defaults),
      progress_(progress),
      observer_(std::move(observer)) {}

Result<std::unique_ptr<BatchWriter>> BatchWriter::begin(std::unique_ptr<OutputFile> file,
                                                        BatchOutput output,
                                                        const BatchDefaults& defaults,
                                                        const BatchProgress& progress,
                                                        Observer observer) {
  std::unique_ptr<BatchWriter> writer(
      new BatchWriter(std::move(file), std::move(output), defaults, progress, std::move(observer)));
  SEQGPT_TRY(writer->file_->cut(progress.bytes));
  SEQGPT_TRY(writer->checkpoint());
  if (writer->output_.format == RecordFormat::kCsv && progress.bytes == 0) {
    SEQGPT_TRY(writer->file_->write(kCsvMark));
    SEQGPT_TRY(writer->file_->write(csv_record(writer->output_.columns.header())));
    writer->progress_.bytes = writer->file_->size();
  }
  return writer;
}

std::string BatchWriter::record(const BatchLine& line, const Result<Answer>& answer, bool& failed) {
  failed = !answer.ok();
  if (output_.format != RecordFormat::kCsv) return line.output(answer, defaults_) + "\n";
  for (std::string& name : line.without_column(output_.columns)) {
    if (dropped_.size() < kMaxDropped) dropped_.insert(std::move(name));
  }
  return csv_record(line.row(answer, output_.columns, failed));
}

Status BatchWriter::put(const BatchLine& line, const Result<Answer>& answer) {
  bool failed = false;
  SEQGPT_TRY(file_->write(record(line, answer, failed)));
  ++progress_.items;
  progress_.failed += failed;
  progress_.bytes = file_->size();
  observer_(progress_);
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ >= kSyncEvery) {
    SEQGPT_TRY(checkpoint());
  } else if (now - flushed_ >= kFlushEvery) {
    SEQGPT_TRY(file_->flush());
    flushed_ = now;
  }
  return {};
}

Status BatchWriter::checkpoint() {
  SEQGPT_TRY(file_->sync());
  flushed_ = synced_ = std::chrono::steady_clock::now();
  if (output_.state_path.empty()) return {};
  return write_state(output_.state_path, {output_.settings, progress_});
}

}  // namespace seqgpt
