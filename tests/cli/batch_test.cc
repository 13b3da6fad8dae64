// SPDX-License-Identifier: Apache-2.0
// seqgpt batch from outside: shapes, formats, shards, and kills at any moment.
#include <gtest/gtest.h>
#include <signal.h>
#include <zlib.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/json_lines.h"
#include "cli/run_program.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

std::string tiny_model() {
  return std::string(SEQGPT_GOLDEN_DIR) + "/models/bloom-tiny";
}

TEST(Batch, KeepsOrderPassesFieldsThroughAndGoesOnAfterErrors) {
  const TemporaryDirectory directory;
  const std::string input =
      directory.write("in.jsonl",
                      "{\"text\": \"王伟任CTO\", \"source\": {\"page\": 3}}\n"
                      "not json\n"
                      "{\"id\": \"x7\", \"text\": \"\"}\n"
                      "{\"id\": 9, \"text\": \"李娜在北京工作\", \"labels\": [\"姓名\", {\"name\": "
                      "\"地点\", \"alias\": \"city\"}]}\n"
                      "{\"text\": 5}\n");
  std::string first;
  for (int round = 0; round < 2; ++round) {
    const std::string output = directory.file("out" + std::to_string(round) + ".jsonl");
    const ProgramRun run = run_program({"batch", "--input", input, "--output", output, "-l",
                                        "姓名,职位", "--reference-time", "2026-11-30"});
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_NE(run.err.find("5 texts, 3 failed"), std::string::npos) << run.err;
    const std::string bytes = read_file(output);
    if (round == 0) first = bytes;
    EXPECT_EQ(bytes, first);
  }
  const std::vector<Json> lines = json_lines(first);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0]["id"], "0");
  EXPECT_EQ(lines[0]["source"]["page"], 3);
  EXPECT_FALSE(lines[0].contains("latency_ms"));
  EXPECT_FALSE(lines[0].contains("trace_id"));
  EXPECT_TRUE(lines[1]["error"].contains("message"));
  EXPECT_EQ(lines[2]["id"], "x7");
  EXPECT_EQ(lines[2]["error"]["param"], "text");
  EXPECT_EQ(lines[3]["id"], 9);
  EXPECT_TRUE(lines[3]["result"].contains("city"));
  EXPECT_EQ(lines[4]["error"]["param"], "text");
}

TEST(Batch, EqualsSingleAnswersBitForBit) {
  const TemporaryDirectory directory;
  const std::vector<std::string> texts = {kText, "李娜任阿里云计算有限公司总监。",
                                          "联系电话13800138000，联系人：张三"};
  std::string lines;
  for (const std::string& text : texts) lines += Json{{"text", text}}.dump() + "\n";
  const std::string output = directory.file("out.jsonl");
  ASSERT_EQ(run_program({"batch", "--input", directory.write("in.jsonl", lines), "--output", output,
                         "-l", "姓名,公司,职位"})
                .code,
            0);
  const std::vector<Json> answers = json_lines(read_file(output));
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const char* threads : {"1", "2"}) {
      const Json alone = Json::parse(
          run_program({"extract", "-l", "姓名,公司,职位", "--threads", threads, texts[i]}).out);
      EXPECT_EQ(alone["entities"], answers[i]["entities"]);
      EXPECT_EQ(alone["fingerprint"], answers[i]["fingerprint"]);
    }
  }
}

TEST(Batch, TextFilesHaveOneTextALine) {
  const TemporaryDirectory directory;
  const std::string output = directory.file("out.jsonl");
  const ProgramRun run = run_program({"batch", "--task", "classify", "--input",
                                      directory.write("in.txt", "股市大涨\r\n球队夺冠\n"),
                                      "--output", output, "-l", "财经,体育"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_lines(read_file(output)).size(), 2U);
}

/// 200 rows, some with line breaks, quotes and bad texts.
std::string rows() {
  std::string csv = "id,正文,来源\r\n";
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    csv += n + ",\"第" + n + "行，电话13800138000\r\n第二行，\"\"王伟\"\"任CTO，编号00" + n +
           (i % 7 == 3 ? "\"," : "\",\"页\n") + (i % 7 == 3 ? "" : n + "\"") + "\r\n";
    if (i % 10 == 5) csv += "坏" + n + ",,\r\n";
  }
  return csv;
}

std::vector<std::string> batch_of(const std::string& input, const std::string& output) {
  return {"batch",        "--input",   input, "--output",         output,
          "--text-field", "正文",      "-l",  "姓名,职位,编号",   "--model",
          tiny_model(),   "--threads", "1",   "--reference-time", "2026-11-30"};
}

/// Kills the batch again and again: at a random time while it starts, or once it has written more
/// than it ever had. Then lets it end; how many kills left a part of the output.
int run_with_kills(const TemporaryDirectory& directory, const std::vector<std::string>& arguments,
                   const std::string& output, std::mt19937& random) {
  const auto size = [&]() -> uint64_t {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(output, none);
    return none ? 0 : bytes;
  };
  const auto start = [&] {
    return start_program(arguments, "/dev/null", directory.file("stdout"),
                         directory.file("stderr"));
  };
  int parts = 0;
  for (int kills = 0; kills < 12; ++kills) {
    const pid_t pid = start();
    const auto moment = std::chrono::steady_clock::now() +
                        std::chrono::milliseconds(kills % 2 == 0 ? random() % 60 : 60000);
    int status = 0;
    pid_t ended = 0;
    for (const uint64_t before = size();
         ended == 0 && std::chrono::steady_clock::now() < moment && size() <= before;) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      ended = waitpid(pid, &status, WNOHANG);
    }
    if (ended != 0) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
      return parts;
    }
    kill(pid, SIGKILL);
    if (wait_for(pid) == 128 + SIGKILL) parts += size() > 0;
  }
  EXPECT_EQ(wait_for(start()), 3) << read_file(directory.file("stderr"));
  return parts;
}

TEST(Batch, KilledAtAnyMomentItEndsWithTheSameBytes) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.csv", rows());
  std::mt19937 random(11);
  for (const std::string ending : {".csv", ".jsonl"}) {
    const std::string whole_file = directory.file("whole" + ending);
    ASSERT_EQ(run_program(batch_of(input, whole_file)).code, 3);
    const std::string whole = read_file(whole_file);
    int parts = 0;
    for (int round = 0; round < 4; ++round) {
      const std::string output = directory.file("killed" + std::to_string(round) + ending);
      parts += run_with_kills(directory, batch_of(input, output), output, random);
      EXPECT_EQ(read_file(output), whole);
    }
    EXPECT_GT(parts, 4) << "no kill hit a run that was writing: the test proves nothing";
  }
}

TEST(Batch, AnotherModelLabelsOrOptionsAreRefusedUntilRestart) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.jsonl", "{\"text\": \"王伟任CTO\"}\n");
  const std::string output = directory.file("out.jsonl");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"batch", "--input", input, "--output", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  ASSERT_EQ(run({"-l", "姓名"}).code, 0);
  const std::string bytes = read_file(output);
  EXPECT_EQ(run({"-l", "姓名"}).code, 0) << "the same batch is simply done";
  EXPECT_EQ(read_file(output), bytes);
  struct Other {
    std::vector<std::string> arguments;
    std::string word;
  };
  const std::vector<Other> others = {
      {{"-l", "姓名,职位"}, "labels"},
      {{"-l", "姓名", "--offsets", "bytes"}, "offsets"},
      {{"-l", "姓名", "--model", tiny_model()}, "fingerprint"},
      {{"-l", "姓名", "--task", "classify"}, "task"},
      {{"-l", "姓名", "--shard", "1/2"}, "shard"},
      {{"-l", "姓名", "--reference-time", "2020-01-01"}, "reference_time"},
  };
  for (const Other& other : others) {
    const ProgramRun refused = run(other.arguments);
    EXPECT_EQ(refused.code, 2) << other.word;
    EXPECT_NE(refused.err.find(other.word), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--restart"), std::string::npos) << refused.err;
    EXPECT_EQ(read_file(output), bytes);
  }
  ASSERT_EQ(run({"-l", "姓名,职位", "--restart"}).code, 0);
  EXPECT_TRUE(json_lines(read_file(output))[0]["result"].contains("职位"));
}

TEST(Batch, KeepsTheReferenceTimeOfItsBeginning) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.jsonl",
                                            "{\"text\": \"王伟\"}\n"
                                            "{\"text\": \"王伟\", \"reference_time\": \"none\"}\n");
  const std::string output = directory.file("out.jsonl");
  ASSERT_EQ(run_program({"batch", "--input", input, "--output", output, "-l", "姓名"}).code, 0);
  const std::vector<Json> lines = json_lines(read_file(output));
  const std::string time = lines[0]["reference_time"];
  EXPECT_EQ(time.size(), 25U) << time;
  EXPECT_TRUE(time.ends_with("+08:00")) << time;
  EXPECT_EQ(lines[1]["reference_time"], "none");
  const std::string bytes = read_file(output);
  std::ofstream(output, std::ios::binary) << bytes.substr(0, bytes.find('\n') + 9);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // another present
  ASSERT_EQ(run_program({"batch", "--input", input, "--output", output, "-l", "姓名"}).code, 0);
  EXPECT_EQ(read_file(output), bytes);
}

TEST(Batch, ReadsStandardInputAndWritesStandardOutput) {
  const ProgramRun run =
      run_program({"batch", "--input", "-", "--output", "-", "--input-format", "txt", "-l", "姓名"},
                  "王伟任CTO\n李娜\n\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_lines(run.out).size(), 2U);
  EXPECT_NE(run.err.find("2 texts, 0 failed"), std::string::npos) << run.err;
}

TEST(Batch, DevicesGetNoState) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.txt", "王伟任CTO\n");
  const std::vector<std::string> arguments = {"batch", "--input", input, "-l", "姓名"};
  for (const std::string output : {"/dev/stdout", "/dev/null"}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--output", output});
    const ProgramRun run = run_program(all);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(json_lines(run.out).size(), output == "/dev/null" ? 0U : 1U);
    EXPECT_FALSE(std::filesystem::exists(output + ".state"));
  }
}

TEST(Batch, ShowsABarWithRateAndRemainingTimeOnATerminal) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.csv", rows());
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal) + unlockpt(terminal), 0);
  const std::string name = ptsname(terminal);
  const int keeper = open(name.c_str(), O_RDWR | O_NOCTTY);  // what was written stays to be read
  const pid_t pid = start_program(batch_of(input, directory.file("out.csv")), "/dev/null",
                                  directory.file("stdout"), name);
  std::string shown;
  while (shown.find(" failed") == std::string::npos) {
    char piece[4096];
    const ssize_t count = read(terminal, piece, sizeof piece);
    ASSERT_GT(count, 0) << shown;
    shown.append(piece, static_cast<size_t>(count));
  }
  EXPECT_EQ(wait_for(pid), 3);
  close(keeper);
  close(terminal);
  for (const char* part : {"\r[", " %  ", " texts, ", " a second", " left"})
    EXPECT_NE(shown.find(part), std::string::npos) << part << "\n" << shown;
}

TEST(Batch, ACutArchiveLeavesWhatWasAnsweredAndSaysSo) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "王伟" + std::to_string(i * 7919) + "\n";
  const std::string archive = directory.file("in.txt.gz");
  const gzFile file = gzopen(archive.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const std::string bytes = read_file(archive);
  directory.write("in.txt.gz", bytes.substr(0, bytes.size() - 200));
  const std::string output = directory.file("out.jsonl");
  const ProgramRun run = run_program(
      {"batch", "--input", archive, "--output", output, "-l", "姓名", "--model", tiny_model()});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("is cut short"), std::string::npos) << run.err;
  const size_t answered = json_lines(read_file(output)).size();
  EXPECT_GT(answered, 10U);
  EXPECT_LT(answered, 300U);
}

TEST(Batch, MistakesAreToldBeforeTheModelIsLoaded) {
  const TemporaryDirectory directory;
  const std::string text = directory.write("in.jsonl", "{\"text\": \"王伟\"}\n");
  const std::string csv = directory.write("in.csv", "标题,正文\n1,2\n");
  const std::string odd = directory.write("in.xlsx", "PK");
  struct Mistake {
    std::vector<std::string> arguments;
    int code;
    std::string word;
  };
  const std::string out = directory.file("out.jsonl");
  const std::vector<Mistake> mistakes = {
      {{"--input", odd, "--output", out, "-l", "姓名"}, 2, "--input-format"},
      {{"--input", csv, "--output", out, "-l", "姓名"}, 2, "标题, 正文"},
      {{"--input", text, "--output", text, "-l", "姓名"}, 2, "overwrite"},
      {{"--input", text, "--output", out + ".gz", "-l", "姓名"}, 2, "not compressed"},
      {{"--input", text, "--output", out, "-l", "姓名", "--shard", "9/8"}, 2, "shard"},
      {{"--input", text, "--output", out, "-l", "姓名", "--reference-time", "soon"}, 2, "ISO 8601"},
      {{"--input", text, "--output", out, "-l", "姓名", "--timezone", "Mars"}, 2, "+08:00"},
      {{"--input", text, "--output", directory.file("o.csv")}, 2, "-l"},
      {{"--input", directory.file("none.jsonl"), "--output", out, "-l", "姓名"}, 1, "none.jsonl"},
      {{"--input", text, "--output", out, "-l", "姓名", "--encoding", "ebcdic"}, 2, "ebcdic"},
  };
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = {"batch", "--model", directory.file("no-model")};
    arguments.insert(arguments.end(), mistake.arguments.begin(), mistake.arguments.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.code, mistake.code) << mistake.word << ": " << run.err;
    EXPECT_NE(run.err.find(mistake.word), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(Batch, AnOutputWithoutStateIsNotOverwritten) {
  const TemporaryDirectory directory;
  const std::string input = directory.write("in.txt", "王伟\n");
  const std::string output = directory.write("out.jsonl", "my own notes\n");
  const ProgramRun run = run_program({"batch", "--input", input, "--output", output, "-l", "姓名"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("--restart"), std::string::npos) << run.err;
  EXPECT_EQ(read_file(output), "my own notes\n");
}

}  // namespace
}  // namespace seqgpt
