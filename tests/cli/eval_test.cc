// SPDX-License-Identifier: Apache-2.0
// seqgpt eval from outside: a model and its batch output score the same; choices, reports, exits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_program.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

std::string gold_lines() {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    const std::string name = i % 2 == 0 ? "王伟" : "李娜";
    const Json line = {
        {"text", name + "，现任上海云图公司CTO，编号" + std::to_string(i)},
        {"labels", {"姓名", "职位"}},
        {"entities",
         {{"姓名", {Json::array({name, 0, 2})}}, {"职位", {Json::array({"CTO", 11, 14})}}}}};
    lines += line.dump() + "\n";
  }
  return lines;
}

TEST(Eval, AModelAndItsBatchOutputScoreTheSame) {
  const TemporaryDirectory directory;
  const std::string gold = directory.write("gold.jsonl", gold_lines());
  const std::string out = directory.file("out.jsonl");
  ASSERT_EQ(run_program({"batch", "--input", gold, "--output", out}).code, 0);
  const ProgramRun alone = run_program({"eval", gold, "--json"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const ProgramRun from_file = run_program({"eval", gold, "--predictions", out, "--json"});
  ASSERT_EQ(from_file.code, 0) << from_file.err;
  Json first = Json::parse(alone.out);
  Json second = Json::parse(from_file.out);
  first.erase("predictor");
  second.erase("predictor");
  EXPECT_EQ(first, second);
  EXPECT_EQ(first["extraction"]["strict"]["micro"]["gold"], 24);
  EXPECT_EQ(first["extraction"]["span"]["micro"]["gold"], 24);
  EXPECT_EQ(first["extraction"]["texts"], 12);
}

TEST(Eval, TextsOfSeveralClassesAreAskedForSeveral) {
  const TemporaryDirectory directory;
  std::string lines;
  for (const char* label : {"财经", "财经\t科技"}) {
    const Json line = {
        {"text", "央行今日公布数据"}, {"labels", {"财经", "科技"}}, {"label", label}};
    lines += line.dump() + "\n";
  }
  const std::string gold = directory.write("gold.jsonl", lines);
  const std::string out = directory.file("out.jsonl");
  ASSERT_EQ(
      run_program({"batch", "--task", "classify", "--multi", "--input", gold, "--output", out})
          .code,
      0);
  Json asked = Json::parse(run_program({"eval", gold, "--json"}).out);
  Json read = Json::parse(run_program({"eval", gold, "--predictions", out, "--json"}).out);
  asked.erase("predictor");
  read.erase("predictor");
  EXPECT_EQ(asked, read);
}

TEST(Eval, WritesMissesAndAPage) {
  const TemporaryDirectory directory;
  const std::string gold = directory.write(
      "gold.jsonl",
      "{\"text\": \"王伟任CTO\", \"labels\": [\"姓名\"], \"gold\": {\"姓名\": [\"王伟\"]}}\n"
      "{\"text\": \"李娜任CEO\", \"labels\": [\"姓名\"], \"gold\": {\"姓名\": [\"李娜\"]}}\n");
  const std::string out =
      directory.write("out.jsonl",
                      "{\"id\": \"0\", \"result\": {\"姓名\": \"王伟\"}}\n{\"id\": \"1\", "
                      "\"result\": {\"姓名\": \"娜\"}}\n"
                      "{\"id\": \"7\", \"result\": {}}\n");
  const std::string errors = directory.file("misses.jsonl");
  const std::string page = directory.file("page.html");
  const ProgramRun run =
      run_program({"eval", gold, "--predictions", out, "--errors", errors, "--report", page});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("micro, strict                   0.5000  0.5000  0.5000"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("1 predictions have no gold"), std::string::npos) << run.out;
  const Json miss = Json::parse(read_file(errors));
  EXPECT_EQ(miss["kind"], "boundary");
  EXPECT_EQ(miss["line"], 2);
  EXPECT_EQ(miss["context"], "【李娜】任CEO");
  EXPECT_TRUE(read_file(page).starts_with("<!DOCTYPE html>"));
}

TEST(Eval, ClassificationSeveralFilesAndChoices) {
  const TemporaryDirectory directory;
  std::string classes;
  for (int i = 0; i < 30; ++i)
    classes += "{\"text\": \"央行下调利率" + std::to_string(i) + "\", \"label\": \"财经\"}\n";
  classes += "{\"text\": \"球队夺冠\", \"label\": \"体育\"}\n";
  const std::string first = directory.write("a.jsonl", classes);
  const std::string second = directory.write("b.jsonl", gold_lines());
  const ProgramRun run =
      run_program({"eval", first, second, "--limit", "5", "--sample", "3", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["classification"]["texts"], 5);
  EXPECT_EQ(json["extraction"]["texts"], 5);
  EXPECT_EQ(json["classification"]["calibration"]["count"], 5);
}

TEST(Eval, BadGoldIsNamedAndMissingPredictionsCount) {
  const TemporaryDirectory directory;
  const std::string gold = directory.write(
      "gold.jsonl",
      "{\"text\": \"王伟\", \"labels\": [\"姓名\"], \"gold\": {\"姓名\": [\"王伟\"]}}\n"
      "{\"text\": \"王伟\", \"labels\": [\"姓名\"], \"entities\": {\"姓名\": [[\"王\", 0, 2]]}}\n");
  const std::string out = directory.write("out.jsonl", "");
  const ProgramRun run = run_program({"eval", gold, "--predictions", out});
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("line 2"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("1 texts have no prediction"), std::string::npos) << run.out;
  EXPECT_EQ(run_program({"eval", directory.file("none.jsonl"), "--predictions", out}).code, 1);
  EXPECT_EQ(run_program({"eval", gold, "--predictions", out, out}).code, 2);
  EXPECT_EQ(run_program({"eval", gold, "--predictions", out, "--errors", gold}).code, 2);
  EXPECT_EQ(run_program({"eval"}).code, 2);
}

}  // namespace
}  // namespace seqgpt
