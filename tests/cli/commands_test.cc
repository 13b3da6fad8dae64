// SPDX-License-Identifier: Apache-2.0
// The program from outside: the contract's shapes, exit codes, encodings, and clear words for bad
// input.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/json_lines.h"
#include "cli/run_program.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

std::string golden(const std::string& name) {
  return std::string(SEQGPT_GOLDEN_DIR) + "/models/" + name;
}

/// Characters [start, end) of a UTF-8 text, counted in code points.
std::string slice(const std::string& text, size_t start, size_t end) {
  std::string out;
  size_t index = static_cast<size_t>(-1);
  for (const char c : text) {
    index += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (index >= start && index < end) out += c;
  }
  return out;
}

TEST(Extract, BundledModelAnswersInTheContractsShape) {
  const ProgramRun run =
      run_program({"extract", "-l", "姓名,公司,职位", "--label", "薪资=annual_salary", kText});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json body = Json::parse(run.out);
  EXPECT_EQ(body["success"], true);
  EXPECT_EQ(body["model"], "seqgpt-mini");
  EXPECT_EQ(body["result"].size(), 4U);
  EXPECT_TRUE(body["result"].contains("annual_salary"));
  EXPECT_FALSE(body["result"].contains("薪资"));
  for (const Json& entity : body["entities"]) {
    EXPECT_EQ(slice(kText, entity["start"], entity["end"]), entity["text"].get<std::string>());
  }
  for (const char* key :
       {"fingerprint", "trace_id", "latency_ms", "coverage", "truncated", "degraded", "warnings"}) {
    EXPECT_TRUE(body.contains(key)) << key;
  }
}

TEST(Extract, FormatsAndOffsetsAndLists) {
  const std::string text = "😀王伟任CTO";
  const auto body = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"extract", "-l", "姓名", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  };
  const Json points = Json::parse(body({}));
  const Json units = Json::parse(body({"--offsets", "utf16"}));
  const Json bytes = Json::parse(body({"--offsets", "bytes"}));
  ASSERT_EQ(points["entities"].size(), bytes["entities"].size());
  for (size_t i = 0; i < points["entities"].size(); ++i) {
    const size_t start = bytes["entities"][i]["start"];
    const size_t end = bytes["entities"][i]["end"];
    EXPECT_EQ(text.substr(start, end - start), points["entities"][i]["text"].get<std::string>());
    EXPECT_EQ(units["entities"][i]["start"].get<size_t>(),
              points["entities"][i]["start"].get<size_t>() + (start > 0 ? 1 : 0));
  }
  Json plain = points;
  Json one_beam = Json::parse(body({"--beams", "1"}));
  for (Json* answer : {&plain, &one_beam}) {
    answer->erase("trace_id");
    answer->erase("latency_ms");
    answer->erase("reference_time");
  }
  EXPECT_EQ(one_beam, plain);
  EXPECT_TRUE(Json::parse(body({"--beams", "4"})).contains("entities"));
  EXPECT_TRUE(Json::parse(body({"--values", "list"}))["result"]["姓名"].is_array());
  EXPECT_TRUE(body({"--format", "table"}).starts_with("姓名  "));
  EXPECT_TRUE(body({"--format", "csv"}).starts_with("姓名\r\n"));
}

TEST(Extract, ReadsFilesInThreeEncodingsAndStandardInput) {
  const TemporaryDirectory directory;
  const std::string gb = "\xCD\xF5\xCE\xB0\xC8\xCE\x43\x54\x4F";  // 王伟任CTO
  const std::string utf16 = std::string("\xFF\xFE\x8B\x73\x1F\x4F\xFB\x4E\x43\0\x54\0\x4F\0", 14);
  const std::string utf8 = "王伟任CTO";
  const auto result = [&](const std::vector<std::string>& arguments,
                          const std::string& input = "") {
    std::vector<std::string> all = {"extract", "-l", "姓名,职位"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramRun run = run_program(all, input);
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out)["result"];
  };
  const Json expected = result({utf8});
  EXPECT_EQ(result({"--file", directory.write("a.txt", utf8)}), expected);
  EXPECT_EQ(result({"--file", directory.write("b.txt", "\xEF\xBB\xBF" + utf8)}), expected);
  EXPECT_EQ(result({"--file", directory.write("c.txt", gb)}), expected);
  EXPECT_EQ(result({"--file", directory.write("d.txt", utf16)}), expected);
  EXPECT_EQ(result({"-"}, utf8), expected);
}

struct BadCase {
  std::string name;
  std::vector<std::string> arguments;
  std::string input;
  int code;
  std::string word;  // the message holds it
};

TEST(BadInput, HasAClearMessageAndItsExitCode) {
  const TemporaryDirectory directory;
  std::string endless;
  for (int i = 0; i <= 1000000; ++i) endless += "王";
  const std::string long_file = directory.write("long.txt", endless);
  const std::string long_enough = directory.write("long_enough.txt", endless.substr(0, 30000));
  const std::string invalid = directory.write("invalid.txt", "\xE7\x8E\x8B\xFF\xFF\xFF");
  const std::string nul = directory.write("nul.txt", std::string("王\0伟", 7));
  std::filesystem::create_directory(directory.file("empty-model"));
  const std::vector<BadCase> cases = {
      {"empty text", {"extract", "-l", "姓名", ""}, "", 2, "text"},
      {"blank text", {"extract", "-l", "姓名", " \n　"}, "", 2, "text"},
      {"no labels", {"extract", "王伟"}, "", 2, "label"},
      {"duplicate labels", {"extract", "-l", "姓名,姓名", "王伟"}, "", 2, "姓名"},
      {"label with a line feed", {"extract", "--label", "姓\n名", "王伟"}, "", 2, "labels[0]"},
      {"label with a tab", {"extract", "--label", "姓\t名", "王伟"}, "", 2, "labels[0]"},
      {"label with the prompt's words",
       {"extract", "--label", "输出: 好", "王伟"},
       "",
       2,
       "labels[0]"},
      {"a million and one", {"extract", "-l", "姓名", "--file", long_file}, "", 1, "1000000"},
      {"long, refused",
       {"extract", "--long-text", "reject", "-l", "姓名", "--file", long_enough},
       "",
       1,
       "window"},
      {"invalid UTF-8",
       {"extract", "-l", "姓名", "--encoding", "utf-8", "--file", invalid},
       "",
       2,
       "3"},
      {"NUL byte", {"extract", "-l", "姓名", "--file", nul}, "", 2, "NUL"},
      {"missing model",
       {"extract", "-l", "姓名", "--model", directory.file("nowhere"), "王伟"},
       "",
       1,
       "nowhere"},
      {"empty model",
       {"extract", "-l", "姓名", "--model", directory.file("empty-model"), "王伟"},
       "",
       1,
       "config.json"},
      {"missing file",
       {"extract", "-l", "姓名", "--file", directory.file("none.txt")},
       "",
       1,
       "none.txt"},
      {"unknown isa", {"extract", "-l", "姓名", "--isa", "mmx", "王伟"}, "", 2, "portable"},
      {"unknown format", {"extract", "-l", "姓名", "--format", "yaml", "王伟"}, "", 2, "json"},
      {"unknown option", {"extract", "--wrong"}, "", 2, "--wrong"},
      {"no command", {}, "", 2, "subcommand"},
      {"bad ids", {"logits", "--ids", "1,x"}, "", 2, "x"},
      {"id outside", {"logits", "--ids", "99999999"}, "", 2, "99999999"},
      {"bad position", {"logits", "--ids", "1,2", "--positions", "9"}, "", 2, "9"},
  };
  for (const BadCase& bad : cases) {
    const ProgramRun run = run_program(bad.arguments, bad.input);
    EXPECT_EQ(run.code, bad.code) << bad.name << ": " << run.err;
    EXPECT_NE(run.err.find(bad.word), std::string::npos) << bad.name << ": " << run.err;
    EXPECT_TRUE(run.out.empty()) << bad.name << ": " << run.out;
  }
}

TEST(Classify, GivesAProbabilityForEveryLabel) {
  const ProgramRun run =
      run_program({"classify", "-l", "财经,科技,体育", "央行宣布下调存款准备金率0.5个百分点"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json body = Json::parse(run.out);
  ASSERT_EQ(body["labels"].size(), 3U);
  EXPECT_EQ(body["result"], body["labels"][0]["label"]);
  double sum = 0;
  for (const Json& label : body["labels"]) sum += label["probability"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Prompt, AnswersFreely) {
  const ProgramRun run =
      run_program({"prompt", "--max-new-tokens", "8", "输入: " + kText + "\n抽取: 姓名\n输出: "});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json body = Json::parse(run.out);
  EXPECT_TRUE(body["finish_reason"] == "stop" || body["finish_reason"] == "length");
  EXPECT_LE(body["usage"]["completion_tokens"].get<int>(), 8);
}

TEST(Tokens, EncodesAndDecodesAsTheGoldens) {
  const std::string model = std::string(SEQGPT_GOLDEN_DIR) + "/tokenizer/main";
  const Json cases = Json::parse(
      read_file(std::string(SEQGPT_GOLDEN_DIR) + "/tokenizer/encode_main.json"))["cases"];
  std::string input;
  for (const Json& one : cases) input += Json{{"text", one["text"]}}.dump() + "\n";
  input += "{\"ids\": [1, 2], \"skip_special\": true}\nbroken\n";
  const ProgramRun run = run_program({"tokens", "--model", model, "--jsonl"}, input);
  EXPECT_EQ(run.code, 0);
  const std::vector<Json> lines = json_lines(run.out);
  ASSERT_EQ(lines.size(), cases.size() + 2);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(lines[i]["ids"], cases[i]["ids"]);
    if (cases[i].contains("offsets")) {
      EXPECT_EQ(lines[i]["offsets"], cases[i]["offsets"]);
    }
  }
  EXPECT_EQ(lines[cases.size()]["text"], "");
  EXPECT_TRUE(lines.back().contains("error"));
}

TEST(LogitsAndGenerate, AnswerAsTheGoldens) {
  const Json prompt = Json::parse(read_file(golden("bloom-tiny") + "/expected.json"))["prompts"][0];
  const std::string ids = prompt["ids"].dump();
  const ProgramRun logits = run_program(
      {"logits", "--model", golden("bloom-tiny"), "--jsonl"},
      "{\"ids\": " + ids + ", \"positions\": \"all\"}\n{\"ids\": []}\n{\"ids\": " + ids + "}\n");
  ASSERT_EQ(logits.code, 0) << logits.err;
  const std::vector<Json> lines = json_lines(logits.out);
  ASSERT_EQ(lines.size(), 3U);
  for (const Json& golden_logits : prompt["logits"]) {
    const Json& ours = lines[0]["logits"][golden_logits["position"].get<size_t>()]["values"];
    ASSERT_EQ(ours.size(), golden_logits["values"].size());
    for (size_t i = 0; i < ours.size(); ++i) {
      ASSERT_NEAR(ours[i].get<double>(), golden_logits["values"][i].get<double>(), 1.5e-3);
    }
  }
  EXPECT_TRUE(lines[1].contains("error"));
  EXPECT_EQ(lines[2]["logits"].size(), 1U);

  const ProgramRun generate =
      run_program({"generate", "--model", golden("bloom-tiny"), "--jsonl"},
                  "{\"ids\": " + ids + ", \"max_new_tokens\": 32}\n{\"ids\": " + ids +
                      ", \"max_new_tokens\": 16, \"beams\": 4}\n" + "{\"ids\": " + ids +
                      ", \"forced\": " + prompt["forced"][0]["continuation"].dump() + "}\n");
  ASSERT_EQ(generate.code, 0) << generate.err;
  const std::vector<Json> answers = json_lines(generate.out);
  EXPECT_EQ(answers[0]["sequences"][0]["tokens"], prompt["greedy"]["tokens"]);
  EXPECT_EQ(answers[1]["sequences"][0]["tokens"],
            prompt["beam4"]["transformers_current"]["tokens"]);
  EXPECT_NEAR(answers[1]["sequences"][0]["score"].get<double>(),
              prompt["beam4"]["transformers_current"]["score"].get<double>(), 1e-4);
  for (size_t i = 0; i < prompt["forced"][0]["logprobs"].size(); ++i) {
    EXPECT_NEAR(answers[2]["logprobs"][i].get<double>(),
                prompt["forced"][0]["logprobs"][i].get<double>(), 1e-4);
  }
}

TEST(Inspect, TellsWholeFromDamaged) {
  const ProgramRun whole = run_program({"inspect", "--json", golden("bloom-tiny")});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Json report = Json::parse(whole.out);
  EXPECT_EQ(report["shape"]["layers"], 2);
  EXPECT_EQ(report["whole"], true);
  const ProgramRun damaged =
      run_program({"inspect", std::string(SEQGPT_GOLDEN_DIR) + "/corrupt/w-missing-lnf"});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.out.find("ln_f"), std::string::npos) << damaged.out;
}

TEST(Isa, ForcedSetsAllAnswer) {
  for (const char* isa : {"portable", "auto"}) {
    const ProgramRun run = run_program({"extract", "-l", "姓名", "--isa", isa, kText});
    EXPECT_EQ(run.code, 0) << run.err;
  }
}

TEST(Extract, AnyKvTypeAnswers) {
  for (const std::string type : {"f32", "bf16", "int8", "int4", "auto"}) {
    const ProgramRun run = run_program({"extract", "-l", "姓名", "--kv", type, kText});
    EXPECT_EQ(run.code, 0) << type << ": " << run.err;
  }
  const ProgramRun other = run_program({"extract", "-l", "姓名", "--kv", "int3", kText});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("--kv must be auto, f32, bf16, int8 or int4, not \"int3\""),
            std::string::npos)
      << other.err;
}

TEST(Bench, ReportsTheContractsFields) {
  const ProgramRun run = run_program(
      {"bench", "--shape", "seqgpt-mini-12m", "--repeats", "1", "--clients", "1,2", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json report = Json::parse(run.out);
  for (const char* key : {"isa", "threads", "weights", "ceiling", "prefill", "decode", "request",
                          "throughput", "rss_mb", "load_s"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["prefill"].size(), 3U);
  EXPECT_EQ(report["throughput"].size(), 2U);
}

TEST(Normalize, OneTextGivesTheValueAndTheFlatResult) {
  const ProgramRun run = run_program(
      {"normalize", "--kind", "date", "--reference-time", "2024-05-08T10:00:00+08:00", "下周三"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json body = Json::parse(run.out);
  EXPECT_EQ(body["normalized"]["value"], "2024-05-15");
  EXPECT_EQ(body["result"], "2024-05-15");
  EXPECT_EQ(body["reference_time"], "2024-05-08T10:00:00+08:00");
  const auto result = [](const char* kind, const char* text) {
    return Json::parse(run_program({"normalize", "--kind", kind, text}).out)["result"];
  };
  EXPECT_EQ(result("date", "2022年3月"), "2022-03-01");
  EXPECT_EQ(result("date", "2018年至2019年"),
            (Json{{"start", "2018-01-01"}, {"end", "2019-01-01"}}));
  EXPECT_TRUE(result("amount", "年薪120万元").is_number_float());
  EXPECT_EQ(result("amount", "年薪120万元"), 1200000.0);
  EXPECT_EQ(result("number", "10到20"), (Json{{"low", 10}, {"high", 20}}));
  EXPECT_EQ(result("percent", "13%"), 13);
  EXPECT_EQ(result("phone", "13800138000"), "+86 138 0013 8000");
  EXPECT_EQ(result("person", "王伟"), nullptr);
  EXPECT_EQ(run_program({"normalize", "--kind", "colour", "x"}).code, 2);
  EXPECT_EQ(run_program({"normalize", "--reference-time", "now", "x"}).code, 2);
}

TEST(Normalize, LinesGoOnAfterAnError) {
  const ProgramRun run =
      run_program({"normalize", "--jsonl"},
                  "{\"id\":7,\"kind\":\"date\",\"input\":\"去年\",\"reference_time\":null}\n"
                  "{\"kind\":\"date\"}\n"
                  "{\"id\":\"b\",\"kind\":\"date\",\"input\":\"去年\","
                  "\"reference_time\":\"2024-05-08T10:00:00\"}\n");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<Json> lines = json_lines(run.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            (Json{{"id", 7}, {"normalized", nullptr}, {"reason", "needs_reference_time"}}));
  EXPECT_EQ(lines[1]["error"]["param"], "input");
  EXPECT_EQ(lines[2]["id"], "b");
  EXPECT_EQ(lines[2]["normalized"]["value"], "2023");
}

}  // namespace
}  // namespace seqgpt
