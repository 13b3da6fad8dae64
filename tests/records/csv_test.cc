// SPDX-License-Identifier: Apache-2.0
// CSV read and written: quoting, line breaks in cells, damaged records, and what spreadsheets
// spoil.
#include <gtest/gtest.h>

#include <random>

#include "records/archives.h"
#include "records/csv_reader.h"
#include "records/csv_writer.h"

namespace seqgpt {
namespace {

using Cells = std::vector<std::string>;

std::vector<CsvRecord> read_all(const std::string& text, size_t piece = 1 << 20,
                                size_t most = kMaxRecordBytes) {
  PiecewiseSource source(text, piece);
  CsvReader reader(source, most);
  std::vector<CsvRecord> records;
  for (;;) {
    Result<std::optional<CsvRecord>> record = reader.next();
    EXPECT_TRUE(record.ok());
    if (!record.ok() || !record->has_value()) return records;
    records.push_back(**std::move(record));
  }
}

struct Case {
  std::string text;
  std::vector<Cells> records;
};

TEST(CsvReader, ReadsRfc4180) {
  const std::vector<Case> cases = {
      {"a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b\n1,2", {{"a", "b"}, {"1", "2"}}},
      {"\"a,\"\"b\"\"\",c\n", {{"a,\"b\"", "c"}}},
      {"\"行一\r\n行二\",x\r\ny,z\r\n", {{"行一\r\n行二", "x"}, {"y", "z"}}},
      {"\"end\r\"\nx\n", {{"end\r"}, {"x"}}},
      {",\n", {{"", ""}}},
      {"\"\"\n", {{""}}},
      {"a,\"b\"tail,c\"d\n", {{"a", "btail", "c\"d"}}},
      {"a\rb,c\n", {{"a\rb", "c"}}},
      {"", {}},
  };
  for (const Case& one : cases) {
    for (const size_t piece : {1, 2, 3, 7, 4096}) {
      const std::vector<CsvRecord> records = read_all(one.text, piece);
      ASSERT_EQ(records.size(), one.records.size()) << one.text;
      for (size_t i = 0; i < records.size(); ++i) {
        EXPECT_FALSE(records[i].error) << one.text;
        EXPECT_EQ(records[i].cells, one.records[i]) << one.text;
      }
    }
  }
}

TEST(CsvReader, TellsBlankLinesEndsAndLineNumbers) {
  const auto records = read_all("a\n\n\"x\ny\"\n\"\"\nlast");
  ASSERT_EQ(records.size(), 5U);
  EXPECT_TRUE(records[1].blank);
  EXPECT_FALSE(records[3].blank) << "a quoted empty cell is a value";
  EXPECT_EQ(records[2].line, 3U);
  EXPECT_EQ(records[3].line, 5U);
  EXPECT_TRUE(records[3].terminated);
  EXPECT_FALSE(records[4].terminated);
}

TEST(CsvReader, DamagedRecordsAreErrorsAndTheRestGoesOn) {
  const auto open = read_all("a,b\n1,\"never closed\n2,3\n");
  ASSERT_EQ(open.size(), 2U);
  ASSERT_TRUE(open[1].error);
  EXPECT_NE(open[1].error->message.find("line 2"), std::string::npos) << open[1].error->message;
  const auto large = read_all("a\n\"" + std::string(100, 'x') + "\nz\ny\n", 7, 50);
  ASSERT_EQ(large.size(), 4U);
  EXPECT_EQ(large[1].error->code, ErrorCode::kTooLarge);
  EXPECT_EQ(large[2].cells, Cells{"z"});
  EXPECT_EQ(large[3].cells, Cells{"y"});
  const auto wide = read_all(std::string(20000, ',') + "\nnext\n");
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_EQ(wide[0].error->code, ErrorCode::kTooLarge);
  EXPECT_EQ(wide[1].cells, Cells{"next"});
}

TEST(CsvWriter, GuardsWhatASpreadsheetWouldRunOrSpoil) {
  for (const char* value : {"=1+1",
                            "+86 138",
                            "-5",
                            "@SUM(A1)",
                            "\tx",
                            "\rx",
                            "\nx",
                            "＝1",
                            "＋1",
                            "－1",
                            "＠x",
                            " =1",
                            "　=1",
                            "\u00A0=1",
                            "0123",
                            "007",
                            "110101199003071234",
                            "138001380001",
                            "1E5",
                            "12e+30",
                            "1.5E3",
                            "00.5",
                            "0.12345678901",
                            "'quoted"}) {
    EXPECT_EQ(guarded_cell(value), std::string("'") + value);
  }
  for (const char* value :
       {"", "0", "0.5", "13800138000", "2022-03-01", "120万元", "王伟", "1,100万", "a=b", "E5",
        "1E", "12-3", "91350211M000100Y43", "5e公司", "1200000.0"}) {
    EXPECT_EQ(guarded_cell(value), value);
  }
}

TEST(CsvWriter, QuotesAsRfc4180AndNeverWritesABlankLine) {
  EXPECT_EQ(csv_record({"a,b", "c\"d", "e\r\nf", " g", "h"}),
            "\"a,b\",\"c\"\"d\",\"e\r\nf\",\" g\",h\r\n");
  EXPECT_EQ(csv_record({""}), "\"\"\r\n");
  EXPECT_EQ(csv_record({"", ""}), ",\r\n");
}

TEST(Csv, EveryRecordComesBackOnceTheApostropheIsCut) {
  std::mt19937 random(7);
  const std::vector<std::string> atoms = {"\"", ",", "\r\n", "\n", "\r", "王", "；", "=",  "'", "0",
                                          "1",  "E", " ",    "　", "＝", "-",  "\t", "😀", "x"};
  std::string file;
  std::vector<Cells> written;
  for (int row = 0; row < 2000; ++row) {
    Cells cells(random() % 4 + 1);
    for (std::string& cell : cells)
      for (unsigned n = random() % 6; n > 0; --n) cell += atoms[random() % atoms.size()];
    file += csv_record(cells);
    written.push_back(cells);
  }
  const auto records = read_all(file, 13);
  ASSERT_EQ(records.size(), written.size());
  for (size_t i = 0; i < records.size(); ++i) {
    Cells cells = records[i].cells;
    for (std::string& cell : cells)
      if (cell.starts_with('\'')) cell.erase(0, 1);
    EXPECT_EQ(cells, written[i]) << i;
    EXPECT_TRUE(records[i].terminated);
  }
}

}  // namespace
}  // namespace seqgpt
