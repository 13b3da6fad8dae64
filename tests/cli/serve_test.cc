// SPDX-License-Identifier: Apache-2.0
// The server as a program, with the bundled model: answers equal the command line's, signals, a
// second instance, and a kill in the middle of a job.
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_program.h"
#include "server/raw_client.h"
#include "store/keys.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

/// A started `seqgpt serve` on a port of its own.
class Server {
 public:
  Server(const TemporaryDirectory& directory, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"serve", "--port", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    static int number = 0;
    err_ = directory.file("serve-err-" + std::to_string(++number));
    directory.write("nothing", "");
    pid_ = start_program(arguments, directory.file("nothing"), directory.file("serve-out"), err_);
    for (int i = 0; i < 1200 && port_ == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::string said = messages();
      const size_t at = said.find("http://127.0.0.1:");
      if (at != std::string::npos && said.find('\n', at) != std::string::npos)
        port_ = static_cast<uint16_t>(std::stoi(said.substr(at + 17)));
    }
  }
  ~Server() {
    if (pid_ > 0) end(SIGKILL);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  std::string messages() const { return read_file(err_); }
  /// The exit code, or 128 + the signal that ended it.
  int end(int signal) {
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string err_;
  pid_t pid_ = 0;
  uint16_t port_ = 0;
};

constexpr const char* kMoment = "2026-11-30T09:00:00+08:00";

std::string without_times(const std::string& body) {
  Json json = Json::parse(body);
  json.erase("trace_id");
  json.erase("latency_ms");
  return json.dump();
}

Json request_of(const std::string& text) {
  return {{"text", text},
          {"labels", {"姓名", "公司", "职位", "入职时间"}},
          {"reference_time", kMoment}};
}

TEST(Serve, ConcurrentClientsGetWhatTheCommandLineGives) {
  const TemporaryDirectory directory;
  const std::vector<std::string> texts = {
      "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。",
      "李娜2019年7月加入北京天合软件有限公司，任财务总监。",
      "张强是深圳华信电子有限公司的销售经理。",
      "去年3月，赵敏加入杭州明远咨询有限公司，担任顾问。"};
  std::vector<std::string> expected;
  for (const std::string& text : texts) {
    const ProgramRun run = run_program({"extract", "-l", "姓名,公司,职位,入职时间", "--format",
                                        "json", "--reference-time", kMoment, text});
    ASSERT_EQ(run.code, 0) << run.err;
    expected.push_back(without_times(run.out));
  }
  Server server(directory, {});
  ASSERT_NE(server.port(), 0) << server.messages();
  std::vector<std::thread> clients;
  std::atomic<int> wrong{0};
  for (size_t client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      RawClient connection(server.port());
      for (size_t i = 0; i < 6; ++i) {
        const size_t which = (client + i) % texts.size();
        connection.send(post_request("/extract", request_of(texts[which]).dump()));
        const RawResponse response = connection.read();
        if (response.status != 200 || without_times(response.body) != expected[which]) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server.end(SIGTERM), 0);
}

TEST(Serve, SecondInstanceSaysThatThePortIsTaken) {
  const TemporaryDirectory directory;
  Server server(directory, {});
  ASSERT_NE(server.port(), 0) << server.messages();
  const ProgramRun second = run_program({"serve", "--port", std::to_string(server.port())});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("is taken"), std::string::npos) << second.err;
}

TEST(Serve, RefusesGpusAndBadSettings) {
  EXPECT_EQ(run_program({"serve", "--gpus", "0"}).code, 2);
  EXPECT_EQ(run_program({"serve", "--port", "99999"}).code, 2);
  const ProgramRun print = run_program({"serve", "--print-config", "--max-queued", "7"});
  EXPECT_EQ(print.code, 0);
  EXPECT_NE(print.out.find("max_queued = 7  # --max-queued"), std::string::npos) << print.out;
}

TEST(Serve, ReloadsKeysOnHangUp) {
  const TemporaryDirectory directory;
  const std::string keys = directory.write("keys", "");
  chmod(keys.c_str(), 0600);
  Server server(directory, {"--keys", keys});
  ASSERT_NE(server.port(), 0) << server.messages();
  EXPECT_EQ(ask(server.port(), get_request("/info")).status, 401) << "no key lets nobody in";
  const std::string key = add_key(keys, "firm", std::nullopt).value();
  kill(server.pid(), SIGHUP);
  const std::string request = get_request("/info", "Authorization: Bearer " + key + "\r\n");
  int status = 401;
  for (int i = 0; i < 600 && status == 401; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    status = ask(server.port(), request).status;
  }
  EXPECT_EQ(status, 200) << server.messages();
  EXPECT_EQ(ask(server.port(), get_request("/info")).status, 401);
}

TEST(Serve, FinishesItsJobsAfterAKill) {
  const TemporaryDirectory directory;
  const std::vector<std::string> flags = {"--data-dir", directory.file("data")};
  Json items = Json::array();
  for (int i = 0; i < 40; ++i)
    items.push_back(
        {{"id", i}, {"text", "王伟" + std::to_string(i) + "任上海云图数据科技有限公司CTO。"}});
  std::string id;
  {
    Server server(directory, flags);
    ASSERT_NE(server.port(), 0) << server.messages();
    const RawResponse created = ask(
        server.port(), post_request("/extract/async",
                                    Json{{"items", items}, {"labels", {"姓名", "公司"}}}.dump()));
    ASSERT_EQ(created.status, 202) << created.body;
    id = Json::parse(created.body)["job_id"];
    server.end(SIGKILL);
  }
  Server server(directory, flags);
  ASSERT_NE(server.port(), 0) << server.messages();
  Json status;
  for (int i = 0; i < 1200; ++i) {
    status = Json::parse(ask(server.port(), get_request("/jobs/" + id)).body);
    if (status["status"] == "done") break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(status["status"], "done") << status;
  EXPECT_EQ(status["finished_items"], 40);
  const std::string lines = ask(server.port(), get_request("/jobs/" + id + "/results")).body;
  size_t at = 0;
  for (int i = 0; i < 40; ++i) {
    const size_t end = lines.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const Json line = Json::parse(lines.substr(at, end - at));
    EXPECT_EQ(line["index"], i);
    EXPECT_EQ(line["id"], i);
    at = end + 1;
  }
  EXPECT_EQ(at, lines.size());
}

}  // namespace
}  // namespace seqgpt
