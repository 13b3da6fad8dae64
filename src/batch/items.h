// SPDX-License-Identifier: Apache-2.0
// ItemReader: the items of a JSONL, CSV or text file, those of one shard, each with its number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/batch_line.h"
#include "base/result.h"
#include "records/csv_reader.h"
#include "records/input_file.h"
#include "records/lines.h"

namespace seqgpt {

enum class RecordFormat { kJsonl, kCsv, kText };

/// jsonl, csv or txt. Errors: kInvalidArgument naming `param`.
Result<RecordFormat> parse_record_format(const std::string& name, const std::string& param);

/// The items i with i % count == index. Whatever the shard, an item keeps its number.
struct Shard {
  uint64_t index = 0;
  uint64_t count = 1;
};
/// "3/8": the third of eight.
Result<Shard> parse_shard(const std::string& written);

/// Where a batch takes its items from.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  /// nullopt at the end. A bad record is an item; an Error means that the source itself failed.
  virtual Result<std::optional<BatchLine>> next() = 0;
};

/// Lines: a blank line is an item that fails, unless only blank lines follow; so lines in and out
/// stay level. CSV: the first record names the columns (an empty name becomes column_N, a second
/// `a` becomes a_2); blank lines are skipped.
class ItemReader final : public ItemSource {
 public:
  /// Errors: kInvalidArgument when a CSV has no column `defaults.text_field`, or none of an
  /// id_field that is not the usual one. `input` and `defaults` must outlive the reader.
  static Result<std::unique_ptr<ItemReader>> open(InputFile& input, RecordFormat format,
                                                  const BatchDefaults& defaults, Shard shard);

  Result<std::optional<BatchLine>> next() override;
  /// Passes over items of the shard without reading what is in them; false when there are fewer.
  Result<bool> skip(uint64_t items);
  /// Items of the shard given or passed over.
  uint64_t given() const { return given_; }
  /// The part of the file that has been given, 0..1; unknown for pipes.
  std::optional<double> share() const;
  /// The columns of CSV output, by the file's first item (of any shard), which stays to be read.
  Result<BatchColumns> columns();

 private:
  /// A record as it stands in the file.
  struct Raw {
    std::string line;
    std::vector<std::string> cells;
    std::optional<Error> error;
    uint64_t number = 0;
  };

  ItemReader(InputFile& input, RecordFormat format, const BatchDefaults& defaults, Shard shard);
  Status read_header();
  Status check_column(const std::string& name, const std::string& what,
                      const std::string& param) const;
  Result<std::optional<Raw>> next_of_file();
  Result<std::optional<Raw>> next_of_shard();
  Result<std::optional<Raw>> next_line();
  Result<std::optional<Raw>> next_row();
  BatchLine item(const Raw& raw) const;

  const InputFile& input_;
  const BatchDefaults& defaults_;
  RecordFormat format_;
  Shard shard_;
  bool check_bytes_;  // the encoding marks what it cannot read
  std::optional<LineReader> lines_;
  std::optional<CsvReader> csv_;
  std::vector<std::string> names_;  // of CSV columns
  uint64_t number_ = 0;             // of the next record
  uint64_t given_ = 0;
  uint64_t blank_ = 0;        // blank lines seen and not yet given
  std::optional<Line> held_;  // the line after them
  std::optional<Raw> first_;  // looked at by columns()
};

}  // namespace seqgpt
