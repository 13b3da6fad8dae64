// SPDX-License-Identifier: Apache-2.0
// Files to items: formats, numbers, shards, blank and damaged records, and the answers' lines.
#include <nlohmann/json.hpp>

#include "batch/fakes.h"
#include "records/archives.h"
#include "records/csv_reader.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

struct Collected final : AnswerSink {
  explicit Collected(const BatchDefaults& defaults) : defaults_(defaults) {}
  Status put(const BatchLine& line, const Result<Answer>& answer) override {
    lines.push_back(Json::parse(line.output(answer, defaults_)));
    return {};
  }
  std::vector<Json> lines;

 private:
  const BatchDefaults& defaults_;
};

class Items : public BatchFiles {
 protected:
  std::vector<Json> answered(const std::string& file, RecordFormat format, Shard shard = {},
                             Status* ending = nullptr) {
    Result<InputFile> input = InputFile::open(file, "auto");
    EXPECT_TRUE(input.ok());
    auto items = ItemReader::open(*input, format, defaults_, shard);
    EXPECT_TRUE(items.ok()) << items.error().message;
    FakeAnswerer answerer(3);
    Collected sink(defaults_);
    const Status status = run_batch(**items, answerer, sink);
    if (ending) {
      *ending = status;
    } else {
      EXPECT_TRUE(status.ok());
    }
    return sink.lines;
  }
};

TEST_F(Items, JsonLinesKeepOrderNumbersAndUnknownFields) {
  const std::string file =
      write("in.jsonl",
            "\xEF\xBB\xBF{\"text\": \"电话 13800138000\", \"page\": [1, {}]}\r\n"
            "not json\n"
            "\n"
            "{\"id\": \"x7\", \"text\": \"fail\", \"page\": 2}\n"
            "{\"id\": 9, \"text\": \"7\", \"labels\": [{\"name\": \"数\", "
            "\"alias\": \"n\"}], \"reference_time\": \"2020-02-29\"}\n"
            "{\"text\": 5}\n"
            "{\"text\": \"a\", \"reference_time\": \"yesterday\"}\n"
            "\n \n");
  const std::vector<Json> lines = answered(file, RecordFormat::kJsonl);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0].begin().key(), "id");
  EXPECT_EQ(lines[0]["id"], "0");
  EXPECT_EQ(lines[0]["page"], Json::parse("[1, {}]"));
  EXPECT_EQ(lines[0]["result"]["号码"], "13800138000");
  EXPECT_EQ(lines[0]["reference_time"], "2026-11-30T09:00:00+08:00");
  EXPECT_EQ(lines[1]["id"], "1");
  EXPECT_TRUE(lines[1].contains("error"));
  EXPECT_NE(lines[2]["error"]["message"].get<std::string>().find("blank"), std::string::npos);
  EXPECT_EQ(lines[3]["id"], "x7");
  EXPECT_EQ(lines[3].size(), 2U) << lines[3].dump();
  EXPECT_EQ(lines[4]["id"], 9);
  EXPECT_EQ(lines[4]["result"]["n"], "7");
  EXPECT_EQ(lines[4]["reference_time"], "2020-02-29T00:00:00+08:00");
  EXPECT_EQ(lines[5]["error"]["param"], "text");
  EXPECT_EQ(lines[6]["error"]["param"], "reference_time");
}

TEST_F(Items, CsvTakesItsNamesFromTheHeader) {
  defaults_.text_field = "正文";
  const std::string file = write("in.csv",
                                 "id,正文,备注,备注,\r\n"
                                 "a,\"电话\r\n138, \"\"001\"\"\",b1,b2,b3\r\n"
                                 "\r\n"
                                 ",七 7\r\n"
                                 "c,x,1,2,3,4\r\n");
  const std::vector<Json> lines = answered(file, RecordFormat::kCsv);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["id"], "a");
  EXPECT_EQ(lines[0]["备注"], "b1");
  EXPECT_EQ(lines[0]["备注_2"], "b2");
  EXPECT_EQ(lines[0]["column_5"], "b3");
  EXPECT_EQ(lines[0]["result"]["号码"], Json::parse("[\"138\", \"001\"]"));
  EXPECT_EQ(lines[1]["id"], "1");
  EXPECT_EQ(lines[2]["id"], "2");
  EXPECT_TRUE(lines[2].contains("error"));
}

TEST_F(Items, ACsvWithoutTheTextColumnNamesThoseThatItHas) {
  Result<InputFile> input = InputFile::open(write("in.csv", "标题,内容\n1,2\n"), "auto");
  const auto items = ItemReader::open(*input, RecordFormat::kCsv, defaults_, {});
  ASSERT_FALSE(items.ok());
  EXPECT_NE(items.error().message.find("标题, 内容"), std::string::npos) << items.error().message;
}

TEST_F(Items, ACsvWithoutTheIdColumnThatWasNamedIsRefused) {
  defaults_.text_field = "内容";
  defaults_.id_field = "编号";
  Result<InputFile> input = InputFile::open(write("in.csv", "标题,内容\n1,2\n"), "auto");
  const auto items = ItemReader::open(*input, RecordFormat::kCsv, defaults_, {});
  ASSERT_FALSE(items.ok());
  EXPECT_EQ(items.error().param, "id_field");
  EXPECT_NE(items.error().message.find("\"编号\""), std::string::npos) << items.error().message;
  EXPECT_NE(items.error().message.find("标题, 内容"), std::string::npos) << items.error().message;
}

/// Only a server's single request can honour them.
TEST_F(Items, LinesNameTheServersOptionsThatABatchHasNot) {
  const std::string file = write("in.jsonl",
                                 "{\"text\": \"a\", \"degrade\": \"allow\"}\n"
                                 "{\"text\": \"a\", \"timeout_ms\": 5}\n"
                                 "{\"text\": \"7\", \"degrade\": \"never\"}\n");
  const std::vector<Json> lines = answered(file, RecordFormat::kJsonl);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["error"]["param"], "degrade");
  EXPECT_EQ(lines[1]["error"]["param"], "timeout_ms");
  EXPECT_FALSE(lines[2].contains("error")) << lines[2].dump();
}

TEST_F(Items, ShardsPartTheFileAndKeepItsNumbers) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "第 " + std::to_string(i) + " 行\n";
  const std::string file = write("in.txt", text);
  std::vector<std::string> ids(50);
  for (uint64_t shard = 0; shard < 3; ++shard) {
    for (const Json& line : answered(file, RecordFormat::kText, {shard, 3})) {
      const std::string id = line["id"];
      EXPECT_EQ(std::stoul(id) % 3, shard);
      EXPECT_EQ(line["result"]["号码"], id);
      ids[std::stoul(id)] = id;
    }
  }
  EXPECT_EQ(std::ranges::count(ids, ""), 0);
  EXPECT_EQ(parse_shard("3/8")->index, 2U);
  for (const char* bad : {"0/8", "9/8", "3", "3/", "/8", "a/b", "3/8x", "-1/2", ""})
    EXPECT_FALSE(parse_shard(bad).ok()) << bad;
}

TEST_F(Items, EncodedAndPackedFilesReadTheSame) {
  const std::string gb = "\xB5\xE7\xBB\xB0 138\n\xCD\xF5\xCE\xB0\n";  // 电话 138, 王伟
  const std::string utf8 = "电话 138\n王伟\n";
  const auto expected = answered(write("a.txt", utf8), RecordFormat::kText);
  EXPECT_EQ(expected.size(), 2U);
  EXPECT_EQ(answered(write("b.txt", gb), RecordFormat::kText), expected);
  EXPECT_EQ(answered(write("c", gzip(gb)), RecordFormat::kText), expected);
  EXPECT_EQ(answered(write("d", zstd(utf8)), RecordFormat::kText), expected);
  EXPECT_EQ(answered(write("e", xz(utf8)), RecordFormat::kText), expected);
}

TEST_F(Items, ACutArchiveEndsTheRunAfterWhatCouldBeRead) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "第 " + std::to_string(i * 7919) + " 行\n";
  const std::string archive = gzip(text);
  Status ending;
  const auto lines = answered(write("in.gz", archive.substr(0, archive.size() / 2)),
                              RecordFormat::kText, {}, &ending);
  ASSERT_FALSE(ending.ok());
  EXPECT_EQ(ending.error().code, ErrorCode::kBadFile);
  EXPECT_GT(lines.size(), 1000U);
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i]["result"]["号码"], std::to_string(i * 7919)) << "a torn line was answered";
}

TEST_F(Items, UnreadableBytesSpoilTheirLineOnly) {
  const std::string file = write("in.txt", "\xB5\xE7\xBB\xB0 1\n\xB5\xE7\x80\n\xB5\xE7 2\n");
  const auto lines = [&] {
    Result<InputFile> input = InputFile::open(file, "gb18030");
    auto items = ItemReader::open(*input, RecordFormat::kText, defaults_, {});
    FakeAnswerer answerer;
    Collected sink(defaults_);
    EXPECT_TRUE(run_batch(**items, answerer, sink).ok());
    return sink.lines;
  }();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["result"]["号码"], "1");
  EXPECT_EQ(lines[1]["error"]["param"], "encoding");
  EXPECT_EQ(lines[2]["result"]["号码"], "2");
}

/// A million texts out of nothing.
class Endless final : public ItemSource {
 public:
  Endless(uint64_t count, const BatchDefaults& defaults) : left_(count), defaults_(defaults) {}
  Result<std::optional<BatchLine>> next() override {
    if (left_ == 0) return std::optional<BatchLine>();
    --left_;
    return std::optional<BatchLine>(BatchLine::from_text("合同编号 20230000001", left_, defaults_));
  }

 private:
  uint64_t left_;
  const BatchDefaults& defaults_;
};

struct Counting final : AnswerSink {
  Status put(const BatchLine&, const Result<Answer>& answer) override {
    good += answer.ok();
    return {};
  }
  uint64_t good = 0;
};

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

TEST_F(Items, AMillionTextsTakeTheMemoryOfAWindow) {
  FakeAnswerer answerer(1);
  Counting sink;
  Endless few(10000, defaults_);
  ASSERT_TRUE(run_batch(few, answerer, sink).ok());
  const long before = resident_kib();
  Endless many(1'000'000, defaults_);
  ASSERT_TRUE(run_batch(many, answerer, sink).ok());
  EXPECT_EQ(sink.good, 1'010'000U);
  EXPECT_EQ(answerer.most_waiting, kWindowItems);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these keep freed memory
  EXPECT_LT(resident_kib() - before, 8 * 1024);
#else
  (void)before;
#endif
}

TEST_F(Items, LongTextsShrinkTheWindow) {
  std::string text;
  const std::string line = std::string(kWindowBytes / 4, '1') + "\n";
  for (int i = 0; i < 20; ++i) text += line;
  Result<InputFile> input = InputFile::open(write("in.txt", text), "auto");
  auto items = ItemReader::open(*input, RecordFormat::kText, defaults_, {});
  FakeAnswerer answerer(2);
  Counting sink;
  ASSERT_TRUE(run_batch(**items, answerer, sink).ok());
  EXPECT_EQ(sink.good, 20U);
  EXPECT_EQ(answerer.most_waiting, 4U);
}

}  // namespace
}  // namespace seqgpt
