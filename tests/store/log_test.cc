// SPDX-License-Identifier: Apache-2.0
// The log: lines, levels, turning over, a full disk; and that a text cannot be passed.
#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

#include "store/log.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

// What must not compile: a text as a value, an event or a name.
static_assert(!std::is_constructible_v<LogField, LogWord, std::string>);
static_assert(!std::is_constructible_v<LogField, LogWord, std::string_view>);
static_assert(!std::is_constructible_v<LogField, LogWord, const char*>);
static_assert(!std::is_constructible_v<LogWord, std::string>);
static_assert(!std::is_convertible_v<std::string, LogIdentifier>);

constexpr UnixMs kDay = 86'400'000;
constexpr UnixMs kNow = 20'000 * kDay + 3'723'004;

std::unique_ptr<Log> open_log(const LogOptions& options) {
  auto opened = Log::open(options);
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  return opened.ok() ? std::move(*opened) : nullptr;
}

size_t files_in(const std::string& directory) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    count += entry.is_regular_file() ? 1 : 0;
  return count;
}

TEST(Log, WritesOneJsonObjectALine) {
  const TemporaryDirectory directory;
  LogOptions options;
  options.file = directory.file("log");
  options.clock = [] { return kNow; };
  const auto log = open_log(options);
  log->info("request", {{"status", 200},
                        {"ms", 1.5},
                        {"cached", true},
                        {"route", LogWord("/extract")},
                        {"trace_id", LogIdentifier("4bf92f35")},
                        {"bad", std::numeric_limits<double>::quiet_NaN()}});
  log->write(LogLevel::kDebug, "unseen", {});
  log->set_level(LogLevel::kDebug);
  log->write(LogLevel::kDebug, "seen", {});
  EXPECT_EQ(read_file(options.file),
            "{\"time\":\"2024-10-04T01:02:03.004Z\",\"level\":\"info\",\"event\":\"request\","
            "\"status\":200,\"ms\":1.5,\"cached\":true,\"route\":\"/extract\",\"trace_id\":"
            "\"4bf92f35\",\"bad\":null}\n"
            "{\"time\":\"2024-10-04T01:02:03.004Z\",\"level\":\"debug\",\"event\":\"seen\"}\n");
}

TEST(Log, IdentifiersAreChecked) {
  EXPECT_EQ(LogIdentifier("[::1]:8000").text(), "[::1]:8000");
  for (const char* text : {"王伟", "two words", "a\"b", "a\nb", "a\\b"})
    EXPECT_EQ(LogIdentifier(text).text(), "?") << text;
  EXPECT_EQ(LogIdentifier(std::string(129, 'a')).text(), "?");
}

TEST(Log, TurnsOverBySizeAndDay) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("d"));
  UnixMs now = kNow;
  LogOptions options;
  options.file = directory.file("d/log");
  options.max_file_bytes = 1000;
  options.keep_files = 100;
  options.clock = [&] { return now; };
  const auto log = open_log(options);
  for (int i = 0; i < 40; ++i) log->info("event", {{"number", i}});
  EXPECT_LE(std::filesystem::file_size(options.file), 1000U);
  const size_t by_size = files_in(directory.file("d"));
  EXPECT_GT(by_size, 3U);
  EXPECT_TRUE(std::filesystem::exists(options.file + ".20241004-1"));
  now += kDay;
  log->info("event", {{"number", 40}});
  EXPECT_EQ(files_in(directory.file("d")), by_size + 1);
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(directory.file("d")))
    all += read_file(entry.path());
  for (int i = 0; i <= 40; ++i)
    EXPECT_NE(all.find("\"number\":" + std::to_string(i) + "}"), std::string::npos) << i;
}

TEST(Log, KeepsSoManyFiles) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("d"));
  directory.write("d/log.conf", "not ours");
  LogOptions options;
  options.file = directory.file("d/log");
  options.max_file_bytes = 100;
  options.keep_files = 3;
  options.clock = [] { return kNow; };
  const auto log = open_log(options);
  for (int i = 0; i < 30; ++i) log->info("event", {{"number", i}});
  EXPECT_EQ(files_in(directory.file("d")), 5U);
  EXPECT_NE(read_file(options.file).find("\"number\":29"), std::string::npos);
}

TEST(Log, AFullDiskLosesLinesAndIsCounted) {
  LogOptions options;
  options.file = "/dev/full";
  const auto log = open_log(options);
  for (int i = 0; i < 3; ++i) log->info("event", {{"number", i}});
  EXPECT_GT(log->lost(), 0U);
}

TEST(Log, ReopensAfterAnOuterRotation) {
  const TemporaryDirectory directory;
  LogOptions options;
  options.file = directory.file("log");
  const auto log = open_log(options);
  log->info("before");
  std::filesystem::rename(options.file, directory.file("log.old"));
  ASSERT_TRUE(log->reopen().ok());
  log->info("after");
  EXPECT_NE(read_file(options.file).find("after"), std::string::npos);
  EXPECT_EQ(read_file(options.file).find("before"), std::string::npos);
}

TEST(Log, AnUnwritablePlaceIsAnError) {
  LogOptions options;
  options.file = "/proc/nowhere/log";
  EXPECT_FALSE(Log::open(options).ok());
}

TEST(Log, ThreadsDoNotMixLines) {
  const TemporaryDirectory directory;
  LogOptions options;
  options.file = directory.file("log");
  const auto log = open_log(options);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) log->info("event", {{"thread", t}, {"number", i}});
    });
  for (std::thread& thread : threads) thread.join();
  std::istringstream lines(read_file(options.file));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(line.starts_with("{\"time\":") && line.ends_with("}")) << line;
  }
  EXPECT_EQ(count, 800);
}

}  // namespace
}  // namespace seqgpt
