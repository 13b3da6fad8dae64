// SPDX-License-Identifier: Apache-2.0
// seqgpt pull against a stand-in hub: resume, checksums, refusals, and nothing half done.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <chrono>
#include <thread>

#include "cli/run_program.h"

namespace seqgpt {
namespace {

class Hub {
 public:
  explicit Hub(std::vector<std::string> faults, const std::string& model = "bloom-tiny")
      : model_(std::string(SEQGPT_GOLDEN_DIR) + "/models/" + model) {
    const std::string script = std::string(SEQGPT_SOURCE_DIR) + "/tests/cli/hub_server.py";
    std::vector<std::string> words = {"python3", script, model_, directory_.file("port"),
                                      directory_.file("log")};
    words.insert(words.end(), faults.begin(), faults.end());
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execvp("python3", argv.data());
      _exit(127);
    }
    for (int i = 0; i < 600 && !std::filesystem::exists(directory_.file("port")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    url_ = "http://127.0.0.1:" + read_file(directory_.file("port"));
  }
  ~Hub() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  ProgramRun pull(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"pull", "DAMO-NLP/SeqGPT-560M", "--mirror", url_, "--out",
                                      out()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  std::string out() const { return directory_.file("models/m"); }
  std::string log() const { return read_file(directory_.file("log")); }
  const std::string& model() const { return model_; }
  /// Every file of the model is there, byte for byte, and nothing else but what a hub adds.
  void expect_whole() const {
    for (const char* name : {"config.json", "tokenizer.json"})
      EXPECT_EQ(read_file(out() + "/" + name), read_file(model_ + "/" + name)) << name;
    for (const auto& entry : std::filesystem::directory_iterator(out()))
      EXPECT_EQ(read_file(entry.path()),
                read_file(model_ + "/" + entry.path().filename().string()));
    EXPECT_FALSE(std::filesystem::exists(out() + ".part"));
  }
  void expect_nothing() const { EXPECT_FALSE(std::filesystem::exists(out())); }

 private:
  TemporaryDirectory directory_;
  std::string model_;
  std::string url_;
  pid_t pid_ = 0;
};

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Pull, FetchesAModelThatRuns) {
  const Hub hub({});
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, hub.out() + "\n");
  EXPECT_EQ(run.err.find('\r'), std::string::npos);  // no bar where there is no terminal
  hub.expect_whole();
  EXPECT_EQ(run_program({"inspect", hub.out()}).code, 0);
  const ProgramRun again = hub.pull();
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("is there already"), std::string::npos);
}

TEST(Pull, FetchesFromModelScope) {
  const Hub hub({});
  const ProgramRun run = hub.pull({"--layout", "modelscope"});
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
  EXPECT_NE(hub.log().find("Revision=master&FilePath=config.json"), std::string::npos);
}

TEST(Pull, TakesTorchWeightsWhereThereAreNoOthers) {
  const Hub hub({}, "bloom-tiny-bin");
  ASSERT_EQ(hub.pull().code, 0);
  EXPECT_TRUE(std::filesystem::exists(hub.out() + "/pytorch_model.bin"));
}

TEST(Pull, GoesOnWhereAConnectionBroke) {
  const Hub hub({"break"});
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
  for (const char* range : {"200000-", "400000-", "600000-"})
    EXPECT_EQ(count(hub.log(), std::string("model.safetensors bytes=") + range), 1U) << hub.log();
}

TEST(Pull, GoesOnWhereAnEarlierRunWasKilled) {
  const Hub hub({});
  std::filesystem::create_directories(hub.out() + ".part");
  std::ofstream(hub.out() + ".part/model.safetensors", std::ios::binary)
      << read_file(hub.model() + "/model.safetensors").substr(0, 300'000);
  std::ofstream(hub.out() + ".part/config.json", std::ios::binary)
      << read_file(hub.model() + "/config.json");
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
  EXPECT_EQ(count(hub.log(), "bytes=300000-"), 1U);
  EXPECT_EQ(count(hub.log(), "/config.json"), 0U);  // what is whole is not fetched again
}

TEST(Pull, BearsAServerThatIgnoresRanges) {
  const Hub hub({"norange"});
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
}

TEST(Pull, AsksABusyServerAgain) {
  const Hub hub({"busy"});
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
}

TEST(Pull, BearsConnectionsThatCloseWithoutAnAnswer) {
  const Hub hub({"silent", "moved"});
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
}

TEST(Pull, RefusesAWrongChecksum) {
  const Hub hub({"wrong"});
  const ProgramRun run = hub.pull();
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("checksum"), std::string::npos) << run.err;
  hub.expect_nothing();
  EXPECT_FALSE(std::filesystem::exists(hub.out() + ".part/model.safetensors"));
}

TEST(Pull, MendsAPartThatAnEarlierRunLeftWrong) {
  const Hub hub({});
  std::filesystem::create_directories(hub.out() + ".part");
  const std::string weights = read_file(hub.model() + "/model.safetensors");
  std::ofstream(hub.out() + ".part/model.safetensors", std::ios::binary)
      << std::string(weights.size() / 2, 'x');
  std::ofstream(hub.out() + ".part/config.json", std::ios::binary) << std::string(100'000, 'y');
  const ProgramRun run = hub.pull();
  ASSERT_EQ(run.code, 0) << run.err;
  hub.expect_whole();
}

struct Refusal {
  const char* fault;
  const char* word;
};

class PullRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(PullRefuses, AndLeavesNoModel) {
  const Hub hub({GetParam().fault});
  const ProgramRun run = hub.pull();
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find(GetParam().word), std::string::npos) << run.err;
  hub.expect_nothing();
  EXPECT_FALSE(
      std::filesystem::exists(std::filesystem::path(hub.out()).parent_path() / "outside.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PullRefuses,
    testing::Values(Refusal{"escape", "leave the model's directory"},
                    Refusal{"absurd", "claims 1000000000000000 bytes"},
                    Refusal{"noconfig", "it has no config.json"}, Refusal{"loop", "redirected"},
                    Refusal{"tofile", "redirected"}, Refusal{"long", "more than"},
                    Refusal{"garbage", "no list of files"}, Refusal{"html", "no list of files"}),
    [](const auto& info) { return info.param.fault; });

TEST(Pull, OfflineForbidsIt) {
  const Hub hub({});
  const ProgramRun run = hub.pull({"--offline"});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("forbids"), std::string::npos);
  setenv("SEQGPT_OFFLINE", "1", 1);
  EXPECT_EQ(hub.pull().code, 1);
  unsetenv("SEQGPT_OFFLINE");
  EXPECT_EQ(hub.log(), "");
}

TEST(Pull, BadNamesNeverReachAServer) {
  const Hub hub({});
  for (const char* name : {"SeqGPT", "../x", "a/b/c", "a/..", "a/b?c", "a/b#c", "/a", "a/"})
    EXPECT_EQ(
        run_program({"pull", name, "--out", hub.out(), "--mirror", "http://127.0.0.1:9"}).code, 2)
        << name;
  EXPECT_EQ(hub.pull({"--revision", "../../x"}).code, 2);
  EXPECT_EQ(hub.pull({"--layout", "ftp"}).code, 2);
  EXPECT_EQ(run_program({"pull", "a/b", "--mirror", "file:///etc"}).code, 2);
  EXPECT_EQ(hub.log(), "");
}

}  // namespace
}  // namespace seqgpt
