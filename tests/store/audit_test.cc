// SPDX-License-Identifier: Apache-2.0
// The audit log: written, turned over, torn, changed, read back.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/audit.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

constexpr UnixMs kDay = 86'400'000;

class Audit : public testing::Test {
 protected:
  std::unique_ptr<AuditLog> open(const AuditOptions& options) const {
    auto opened = AuditLog::open(directory_.file("audit"), vault_, options);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  AuditOptions options() {
    AuditOptions options;
    options.clock = [this] { return now_; };
    return options;
  }
  AuditReport read(const AuditFilter& filter = {}) {
    records_.clear();
    auto report = read_audit(directory_.file("audit"), vault_, filter,
                             [&](const AuditRecord& record) { records_.push_back(record); });
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? *report : AuditReport{};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.file("audit")))
      if (entry.path().extension() == ".sgaudit") names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    return names;
  }
  static AuditRecord record(const std::string& trace) {
    AuditRecord record;
    record.key = "alice";
    record.route = "/extract";
    record.trace_id = trace;
    record.status = 200;
    record.request_bytes = 321;
    record.answer_bytes = 1234;
    record.text_characters = 40;
    record.items = 1;
    record.labels = {"姓名", "公司"};
    record.text_hash = std::string(64, 'a');
    record.latency_ms = 31.25;
    return record;
  }

  TemporaryDirectory directory_;
  Vault vault_{SecretKey::random()};
  UnixMs now_ = 20'000 * kDay;
  std::vector<AuditRecord> records_;
};

TEST_F(Audit, EveryFieldComesBack) {
  auto log = open(options());
  ASSERT_TRUE(log->append(record("t1")).ok());
  ASSERT_TRUE(log->sync().ok());
  log.reset();
  const AuditReport report = read();
  EXPECT_TRUE(report.faults.empty());
  EXPECT_TRUE(report.unclosed.empty());
  ASSERT_EQ(records_.size(), 1U);
  const AuditRecord& back = records_[0];
  EXPECT_EQ(back.time, now_);
  EXPECT_EQ(back.key, "alice");
  EXPECT_EQ(back.route, "/extract");
  EXPECT_EQ(back.trace_id, "t1");
  EXPECT_EQ(back.status, 200);
  EXPECT_EQ(back.request_bytes, 321U);
  EXPECT_EQ(back.answer_bytes, 1234U);
  EXPECT_EQ(back.text_characters, 40U);
  EXPECT_EQ(back.items, 1U);
  EXPECT_EQ(back.labels, (std::vector<std::string>{"姓名", "公司"}));
  EXPECT_EQ(back.text_hash, std::string(64, 'a'));
  EXPECT_EQ(back.latency_ms, 31.25);
}

TEST_F(Audit, NothingIsInTheClearAndFilesArePrivate) {
  auto log = open(options());
  ASSERT_TRUE(log->append(record("plantedtrace")).ok());
  const std::string bytes = read_file(files().at(0));
  for (const char* word : {"planted", "alice", "/extract", "姓名"})
    EXPECT_EQ(bytes.find(word), std::string::npos) << word;
  struct stat facts{};
  stat(files().at(0).c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  stat(directory_.file("audit").c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST_F(Audit, FilesTurnOverBySizeAndDayInOrder) {
  AuditOptions small = options();
  small.max_file_bytes = 600;
  auto log = open(small);
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(log->append(record(std::to_string(i))).ok());
  const size_t by_size = files().size();
  EXPECT_GT(by_size, 2U);
  now_ += kDay;
  ASSERT_TRUE(log->append(record("12")).ok());
  EXPECT_EQ(files().size(), by_size + 1);
  log.reset();
  EXPECT_TRUE(read().faults.empty());
  ASSERT_EQ(records_.size(), 13U);
  for (int i = 0; i < 13; ++i)
    EXPECT_EQ(records_[static_cast<size_t>(i)].trace_id, std::to_string(i));
}

TEST_F(Audit, OldFilesGoWhenAsked) {
  AuditOptions few = options();
  few.keep_files = 2;
  auto log = open(few);
  for (int day = 0; day < 5; ++day, now_ += kDay)
    ASSERT_TRUE(log->append(record(std::to_string(day))).ok());
  EXPECT_EQ(files().size(), 2U);
  read();
  EXPECT_EQ(records_.at(0).trace_id, "3");
}

TEST_F(Audit, FiltersByTimeRouteAndKey) {
  auto log = open(options());
  for (int i = 0; i < 6; ++i, now_ += 1000) {
    AuditRecord one = record(std::to_string(i));
    one.key = i % 2 == 0 ? "alice" : "bob";
    one.route = i < 3 ? "/extract" : "/classify";
    ASSERT_TRUE(log->append(one).ok());
  }
  AuditFilter filter;
  filter.since = 20'000 * kDay + 1000;
  filter.until = 20'000 * kDay + 5000;
  filter.key = "bob";
  filter.routes = {"/generate", "/classify"};
  EXPECT_EQ(read(filter).records, 6U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].trace_id, "3");
}

TEST_F(Audit, ATornEndIsToldAndWhatStandsBeforeItIsRead) {
  auto log = open(options());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(log->append(record(std::to_string(i))).ok());
  const std::string whole = read_file(files().at(0));
  const std::string file = files().at(0);
  log.reset();
  size_t torn = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    std::filesystem::resize_file(file, 0);
    std::ofstream(file, std::ios::binary) << whole.substr(0, size);
    const AuditReport report = read();
    EXPECT_LE(records_.size(), 2U);
    EXPECT_EQ(report.faults.size() + report.unclosed.size(), 1U) << size;
    torn += report.faults.size();
    for (size_t i = 0; i < records_.size(); ++i) EXPECT_EQ(records_[i].trace_id, std::to_string(i));
  }
  EXPECT_EQ(torn, whole.size() - 4);  // nothing, the head alone, one record, two: not torn
}

TEST_F(Audit, AChangeIsNoticed) {
  auto log = open(options());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(log->append(record(std::to_string(i))).ok());
  log.reset();
  const std::string file = files().at(0);
  const std::string whole = read_file(file);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << changed;
    EXPECT_FALSE(read().faults.empty()) << at;
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole << "more";
  EXPECT_EQ(read().faults.size(), 1U);
  vault_ = Vault(SecretKey::random());
  EXPECT_EQ(read().faults.size(), 1U);
}

TEST_F(Audit, AKilledWriterLosesNothingItWasToldIsWritten) {
  const pid_t writer = fork();
  if (writer == 0) {
    const auto log = open(options());
    for (int i = 0; i < 5; ++i) (void)log->append(record(std::to_string(i)));
    kill(getpid(), SIGKILL);
  }
  waitpid(writer, nullptr, 0);
  auto log = open(options());  // a new file beside the old
  ASSERT_TRUE(log->append(record("5")).ok());
  log.reset();
  const AuditReport report = read();
  EXPECT_EQ(records_.size(), 6U);
  EXPECT_EQ(report.unclosed.size(), 1U);
  EXPECT_TRUE(report.faults.empty());
}

TEST_F(Audit, LongLabelsAreCutNotRefused) {
  AuditRecord big = record("big");
  big.labels.assign(5000, std::string(2000, 'x'));
  auto log = open(options());
  ASSERT_TRUE(log->append(big).ok());
  log.reset();
  EXPECT_TRUE(read().faults.empty());
  EXPECT_GT(records_.at(0).labels.size(), 100U);
}

}  // namespace
}  // namespace seqgpt
