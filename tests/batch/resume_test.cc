// SPDX-License-Identifier: Apache-2.0
// An output cut at any byte goes on to the same bytes; another batch's output is refused.
#include "batch/resume.h"

#include <nlohmann/json.hpp>

#include "batch/fakes.h"
#include "batch/state.h"
#include "records/csv_reader.h"

namespace seqgpt {
namespace {

class Resume : public BatchFiles {
 protected:
  /// Reads input.csv, answers it, as seqgpt batch does. `most` answers at most, as if killed then.
  Status run(const std::string& output, RecordFormat format, uint64_t most = UINT64_MAX) {
    defaults_.text_field = "正文";
    SEQGPT_ASSIGN(InputFile input, InputFile::open(path("input.csv"), "auto"));
    SEQGPT_ASSIGN(auto items, ItemReader::open(input, RecordFormat::kCsv, defaults_, {}));
    BatchOutput out{format, {}, state_path(output), settings_};
    if (format == RecordFormat::kCsv) {
      SEQGPT_ASSIGN(out.columns, items->columns());
    }
    SEQGPT_ASSIGN(auto file, OutputFile::open(output));
    SEQGPT_ASSIGN(const auto state, read_state(state_path(output)));
    SEQGPT_ASSIGN(begun_, resume_point(output, format, state, settings_));
    SEQGPT_ASSIGN(writer_, BatchWriter::begin(std::move(file), out, defaults_, begun_,
                                              [](const BatchProgress&) {}));
    SEQGPT_ASSIGN(const bool enough, items->skip(begun_.items));
    EXPECT_TRUE(enough);
    FakeAnswerer answerer;
    Limited sink(*writer_, most);
    const Status status = run_batch(*items, answerer, sink);
    if (most == UINT64_MAX) {
      SEQGPT_TRY(writer_->checkpoint());
      progress_ = writer_->progress();
    }
    writer_.reset();
    return status;
  }

  class Limited final : public AnswerSink {
   public:
    Limited(AnswerSink& inner, uint64_t most) : inner_(inner), left_(most) {}
    Status put(const BatchLine& line, const Result<Answer>& answer) override {
      if (left_-- == 0) return Error{ErrorCode::kCancelled, "killed"};
      return inner_.put(line, answer);
    }

   private:
    AnswerSink& inner_;
    uint64_t left_;
  };

  void write_input() {
    write("input.csv",
          "id,正文,=备注\r\n"
          "1,\"行一 110101199003071234\r\n行二 0012\",=1+1\r\n"
          "2,fail,\"含\"\"引号\"\",和\n换行\"\r\n"
          "3,没有,'\r\n"
          "4,\"a 1\n\n2\",\"\"\r\n"
          "5,末 007,x\r\n");
  }

  BatchSettings settings_ = {{"fingerprint", "f"}, {"labels", "号码,姓名"}, {"shard", "1/1"}};
  BatchProgress begun_;
  BatchProgress progress_;
  std::unique_ptr<BatchWriter> writer_;
};

TEST_F(Resume, CutAtAnyByteItEndsWithTheSameBytes) {
  write_input();
  for (const RecordFormat format : {RecordFormat::kJsonl, RecordFormat::kCsv}) {
    const std::string whole = path(format == RecordFormat::kCsv ? "whole.csv" : "whole.jsonl");
    ASSERT_TRUE(run(whole, format).ok());
    const std::string bytes = read(whole);
    const std::string first_state = read(state_path(whole));
    EXPECT_EQ(progress_.items, 5U);
    EXPECT_EQ(progress_.failed, 1U);
    // A run killed before its first checkpoint has the state of its beginning.
    const std::string killed = path("killed");
    std::filesystem::remove(killed);
    std::filesystem::remove(state_path(killed));
    ASSERT_FALSE(run(killed, format, 0).ok());
    const std::string early_state = read(state_path(killed));
    for (size_t kept = 0; kept <= bytes.size(); ++kept) {
      for (const std::string* state : {&early_state, &first_state}) {
        if (state == &first_state && kept % 7 != 0) continue;
        write("killed", bytes.substr(0, kept));
        write("killed.state", *state);
        ASSERT_TRUE(run(killed, format).ok()) << kept;
        ASSERT_EQ(read(killed), bytes) << "cut at " << kept;
        ASSERT_EQ(progress_.items, 5U) << kept;
        ASSERT_EQ(progress_.failed, 1U) << kept;
      }
    }
  }
}

TEST_F(Resume, StoppedAfterAnyAnswerItGoesOnBehindIt) {
  write_input();
  ASSERT_TRUE(run(path("whole.csv"), RecordFormat::kCsv).ok());
  for (uint64_t answers = 0; answers <= 5; ++answers) {
    const std::string output = path("part" + std::to_string(answers));
    (void)run(output, RecordFormat::kCsv, answers);
    ASSERT_TRUE(run(output, RecordFormat::kCsv).ok());
    EXPECT_EQ(begun_.items, answers);
    EXPECT_EQ(read(output), read(path("whole.csv")));
  }
}

TEST_F(Resume, RefusesAnotherBatchAndSaysWhatDiffers) {
  write_input();
  const std::string output = path("out.jsonl");
  ASSERT_TRUE(run(output, RecordFormat::kJsonl).ok());
  const std::string bytes = read(output);
  settings_[1].second = "号码,公司";
  const Status status = run(output, RecordFormat::kJsonl);
  ASSERT_FALSE(status.ok());
  for (const char* word : {"labels", "号码,姓名", "号码,公司", "--restart"})
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  EXPECT_EQ(status.error().message.find("shard"), std::string::npos) << status.error().message;
  EXPECT_EQ(read(output), bytes);
  std::filesystem::remove(state_path(output));
  EXPECT_FALSE(run(output, RecordFormat::kJsonl).ok()) << "an output without state is overwritten";
  EXPECT_EQ(read(output), bytes);
}

TEST_F(Resume, ADamagedStateIsNamed) {
  write_input();
  const std::string output = path("out.jsonl");
  ASSERT_TRUE(run(output, RecordFormat::kJsonl).ok());
  std::string state = read(state_path(output));
  for (const std::string& damaged :
       {std::string("{"), std::string("[]"), state.substr(0, state.size() / 2),
        state.replace(state.find("号码"), 6, "甲乙")}) {
    write("out.jsonl.state", damaged);
    const Status status = run(output, RecordFormat::kJsonl);
    ASSERT_FALSE(status.ok()) << damaged;
    EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
  }
}

TEST_F(Resume, CsvOutputIsSafeAndReadsBack) {
  write_input();
  const std::string output = path("out.csv");
  ASSERT_TRUE(run(output, RecordFormat::kCsv).ok());
  TextSource source(read(output).substr(3));
  EXPECT_TRUE(read(output).starts_with("\xEF\xBB\xBF"));
  CsvReader reader(source);
  std::vector<std::vector<std::string>> rows;
  while (true) {
    auto row = reader.next();
    ASSERT_TRUE(row.ok());
    if (!row->has_value()) break;
    rows.push_back((*row)->cells);
  }
  ASSERT_EQ(rows.size(), 6U);
  using Cells = std::vector<std::string>;
  EXPECT_EQ(rows[0], (Cells{"id", "'=备注", "号码", "姓名", "error"}));
  EXPECT_EQ(rows[1], (Cells{"1", "'=1+1", "'110101199003071234；0012", "", ""}));
  EXPECT_EQ(rows[2], (Cells{"2", "含\"引号\",和\n换行", "", "", "told to fail, \"quoted\""}));
  EXPECT_EQ(rows[3], (Cells{"3", "''", "", "", ""}));
  EXPECT_EQ(rows[5], (Cells{"5", "x", "'007", "", ""}));
}

TEST_F(Resume, ColumnsThatWouldStandTwiceAreRefused) {
  write("input.csv", "id,正文,姓名\n1,x,y\n");
  const Status status = run(path("out.csv"), RecordFormat::kCsv);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("姓名"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
}

}  // namespace
}  // namespace seqgpt
