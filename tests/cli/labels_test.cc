// SPDX-License-Identifier: Apache-2.0
// Labels from outside: policies, a firm's own fields, mentions, and narrowing in a batch line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_program.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

TEST(Labels, APolicyOfStandardNamesTheNearestField) {
  const ProgramRun run =
      run_program({"extract", "--labels-policy", "standard", "-l", "姓名,手机号吗", "王伟"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("labels[1]"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("\"手机号\""), std::string::npos) << run.err;
  EXPECT_EQ(run_program({"extract", "--labels-policy", "standard", "-l", "姓名,金額", "王伟"}).code,
            0);
  EXPECT_EQ(run_program({"extract", "--labels-policy", "no", "-l", "姓名", "王伟"}).code, 2);
}

TEST(Labels, OwnFieldsAreKnownToThePolicyAndNarrow) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("own.json", R"({"id": [{"name": "客户编码", "pattern": "KH[0-9]{6}"}]})");
  const ProgramRun run =
      run_program({"extract", "--fields", file, "--labels-policy", "standard", "-l", "客户编码",
                   "--values", "list", "编号KH000123，电话13800138000"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json values = Json::parse(run.out)["result"]["客户编码"];
  EXPECT_TRUE(values.empty() || values == Json{"KH000123"}) << values;
  const ProgramRun bad =
      run_program({"extract", "--fields",
                   directory.write("bad.json", R"({"id": [{"name": "x", "pattern": "a*"}]})"), "-l",
                   "x", "王伟"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.json: id[0].pattern"), std::string::npos) << bad.err;
  EXPECT_EQ(run_program({"extract", "--fields", directory.file("none"), "-l", "x", "王伟"}).code,
            1);
}

TEST(Labels, AllMentionsOfAValueAreGivenWhereAsked) {
  const std::string text = "王伟到了，王伟说。";
  const auto starts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"extract", "-l", "姓名", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Json body = Json::parse(run_program(arguments).out);
    std::vector<int> found;
    for (const Json& entity : body["entities"]) {
      if (entity["text"] == "王伟") found.push_back(entity["start"]);
    }
    return found;
  };
  EXPECT_EQ(starts({}).size(), 1U);
  EXPECT_EQ(starts({"--mentions", "one"}).size(), 1U);
  EXPECT_EQ(starts({"--mentions", "all"}), (std::vector<int>{0, 5}));
}

TEST(Labels, ABatchLineMaySayItsOwn) {
  const TemporaryDirectory directory;
  const std::string input = directory.write(
      "in.jsonl",
      "{\"text\": \"王伟到了，王伟说。\", \"mentions\": \"all\"}\n"
      "{\"text\": \"王伟\", \"labels\": [{\"name\": \"x\", \"pattern\": \"[0-9]+\"}]}\n"
      "{\"text\": \"王伟\", \"labels\": [\"口味\"], \"labels_policy\": \"standard\"}\n"
      "{\"text\": \"王伟\", \"labels\": [{\"name\": \"x\", \"one_of\": [\"甲\", \"乙\"]}]}\n");
  const std::string output = directory.file("out.jsonl");
  const ProgramRun run = run_program({"batch", "--input", input, "--output", output, "-l", "姓名"});
  EXPECT_EQ(run.code, 3) << run.err;
  std::vector<Json> lines;
  std::istringstream in(read_file(output));
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["entities"].size(), 2U);
  EXPECT_FALSE(lines[0].contains("mentions"));  // ours: not passed through
  EXPECT_EQ(lines[1]["error"]["code"], 422);
  EXPECT_EQ(lines[1]["error"]["param"], "labels[0].pattern");
  EXPECT_EQ(lines[2]["error"]["param"], "labels[0]");
  EXPECT_EQ(lines[3]["result"]["x"], nullptr);
}

}  // namespace
}  // namespace seqgpt
