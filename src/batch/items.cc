// SPDX-License-Identifier: Apache-2.0
// Records to items.
#include "batch/items.h"

#include <algorithm>
#include <charconv>

#include "records/utf8_source.h"

namespace seqgpt {
namespace {

Error too_long(size_t bytes) {
  return {ErrorCode::kTooLarge, "the line is larger than " + std::to_string(bytes >> 20) + " MiB"};
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void make_distinct(std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = "column_" + std::to_string(i + 1);
    const std::string base = names[i];
    const auto before = names.begin() + static_cast<std::ptrdiff_t>(i);
    for (int n = 2; std::find(names.begin(), before, names[i]) != before; ++n)
      names[i] = base + "_" + std::to_string(n);
  }
}

}  // namespace

Result<RecordFormat> parse_record_format(const std::string& name, const std::string& param) {
  if (name == "jsonl" || name == "ndjson") return RecordFormat::kJsonl;
  if (name == "csv") return RecordFormat::kCsv;
  if (name == "txt") return RecordFormat::kText;
  return Error{ErrorCode::kInvalidArgument,
               param + " must be jsonl, csv or txt, not \"" + name + "\"", param};
}

Result<Shard> parse_shard(const std::string& written) {
  const char* const end = written.data() + written.size();
  uint64_t index = 0;
  uint64_t count = 0;
  const auto first = std::from_chars(written.data(), end, index);
  const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = std::from_chars(slash ? first.ptr + 1 : end, end, count);
  if (slash && second.ec == std::errc() && second.ptr == end && index >= 1 && index <= count)
    return Shard{index - 1, count};
  return Error{ErrorCode::kInvalidArgument,
               "--shard must be like 3/8 (the third of eight), not \"" + written + "\"", "shard"};
}

ItemReader::ItemReader(InputFile& input, RecordFormat format, const BatchDefaults& defaults,
                       Shard shard)
    : input_(input),
      defaults_(defaults),
      format_(format),
      shard_(shard),
      check_bytes_(input.encoding() != "utf-8") {
  if (format == RecordFormat::kCsv) {
    csv_.emplace(input.text());
  } else {
    lines_.emplace(input.text());
  }
}

Result<std::unique_ptr<ItemReader>> ItemReader::open(InputFile& input, RecordFormat format,
                                                     const BatchDefaults& defaults, Shard shard) {
  std::unique_ptr<ItemReader> reader(new ItemReader(input, format, defaults, shard));
  if (format == RecordFormat::kCsv) {
    SEQGPT_TRY(reader->read_header());
  }
  return reader;
}

Status ItemReader::read_header() {
  SEQGPT_ASSIGN(std::optional<CsvRecord> header, csv_->next());
  if (!header) return {};  // an empty file has no items
  if (header->error) return *header->error;
  names_ = std::move(header->cells);
  make_distinct(names_);
  SEQGPT_TRY(check_column(defaults_.text_field, "the text with --text-field", "text_field"));
  if (defaults_.id_field == BatchDefaults().id_field)
    return {};  // nobody named it: it may be absent
  return check_column(defaults_.id_field, "the id with --id-field", "id_field");
}

Status ItemReader::check_column(const std::string& name, const std::string& what,
                                const std::string& param) const {
  if (std::ranges::find(names_, name) != names_.end()) return {};
  return Error{
      ErrorCode::kInvalidArgument,
      "the CSV has no column \"" + name + "\"; choose " + what + " among: " + joined(names_),
      param};
}

Result<std::optional<ItemReader::Raw>> ItemReader::next_line() {
  while (!held_) {
    SEQGPT_ASSIGN(std::optional<Line> line, lines_->next());
    if (!line) return std::optional<Raw>();
    if (!line->too_long && blank(line->text)) {
      ++blank_;
    } else {
      held_ = std::move(line);
    }
  }
  Raw raw;
  if (blank_ > 0) {
    --blank_;
    raw.error = Error{ErrorCode::kInvalidArgument, "the line is blank", defaults_.text_field};
  } else {
    if (held_->too_long) raw.error = too_long(kMaxRecordBytes);
    raw.line = std::move(held_->text);
    held_.reset();
  }
  return std::optional<Raw>(std::move(raw));
}

Result<std::optional<ItemReader::Raw>> ItemReader::next_row() {
  for (;;) {
    SEQGPT_ASSIGN(std::optional<CsvRecord> record, csv_->next());
    if (!record) return std::optional<Raw>();
    if (record->blank) continue;
    return std::optional<Raw>(Raw{{}, std::move(record->cells), std::move(record->error)});
  }
}

Result<std::optional<ItemReader::Raw>> ItemReader::next_of_file() {
  if (first_) return std::exchange(first_, std::nullopt);
  SEQGPT_ASSIGN(std::optional<Raw> raw, csv_ ? next_row() : next_line());
  if (!raw) return raw;
  raw->number = number_++;
  const auto unreadable = [](const std::string& text) {
    return text.find(kUnreadableByte) != std::string::npos;
  };
  if (check_bytes_ && (unreadable(raw->line) || std::ranges::any_of(raw->cells, unreadable)))
    raw->error = Error{ErrorCode::kInvalidArgument,
                       "the line holds bytes that its encoding cannot have; is --encoding right?",
                       "encoding"};
  return raw;
}

Result<std::optional<ItemReader::Raw>> ItemReader::next_of_shard() {
  for (;;) {
    SEQGPT_ASSIGN(std::optional<Raw> raw, next_of_file());
    if (raw && raw->number % shard_.count != shard_.index) continue;
    given_ += raw.has_value();
    return raw;
  }
}

BatchLine ItemReader::item(const Raw& raw) const {
  if (raw.error) return BatchLine::from_error(*raw.error, raw.number);
  if (csv_) return BatchLine::from_row(names_, raw.cells, raw.number, defaults_);
  if (format_ == RecordFormat::kText) return BatchLine::from_text(raw.line, raw.number, defaults_);
  return BatchLine::from_json(raw.line, raw.number, defaults_);
}

Result<std::optional<BatchLine>> ItemReader::next() {
  SEQGPT_ASSIGN(const std::optional<Raw> raw, next_of_shard());
  if (!raw) return std::optional<BatchLine>();
  return std::optional<BatchLine>(item(*raw));
}

Result<bool> ItemReader::skip(uint64_t items) {
  for (; items > 0; --items) {
    SEQGPT_ASSIGN(const std::optional<Raw> raw, next_of_shard());
    if (!raw) return false;
  }
  return true;
}

std::optional<double> ItemReader::share() const {
  const uint64_t size = input_.size().value_or(0);
  if (size == 0) return std::nullopt;
  return static_cast<double>(input_.bytes_read()) / static_cast<double>(size) *
         (csv_ ? csv_->share_taken() : lines_->share_taken());
}

Result<BatchColumns> ItemReader::columns() {
  SEQGPT_ASSIGN(first_, next_of_file());
  if (first_) return item(*first_).columns(defaults_);
  return BatchLine::from_error({}, 0).columns(defaults_);
}

}  // namespace seqgpt
