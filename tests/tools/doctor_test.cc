// SPDX-License-Identifier: Apache-2.0
// doctor's judgement of machines that a test makes up.
#include <gtest/gtest.h>

#include "tools/doctor.h"

#include "temporary_directory.h"
#include "tools/git_blob.h"
#include "tools/hub.h"

namespace seqgpt {
namespace {

class Machine {
 public:
  Machine() {
    put("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:   12000000 kB\n");
    put("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 1 0 -2\n");
    put("proc/sys/vm/swappiness", "10\n");
    put("proc/sys/net/core/somaxconn", "4096\n");
    put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    options_.root = directory_.file("");
    options_.model = std::string(SEQGPT_GOLDEN_DIR) + "/models/bloom-tiny";
    options_.data = directory_.file("");
    options_.now = 1'796'000'000;
    options_.open_files = 65'536;
  }
  void put(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(directory_.file(path)).parent_path());
    directory_.write(path, content);
  }
  DoctorOptions& options() { return options_; }
  Finding check(const std::string& name) const {
    for (Finding& finding : examine_machine(options_))
      if (finding.name == name) return finding;
    ADD_FAILURE() << "no check named " << name;
    return {};
  }

 private:
  TemporaryDirectory directory_;
  DoctorOptions options_;
};

TEST(Doctor, AGoodMachineIsWell) {
  Machine machine;
  for (const char* name : {"cores", "memory", "model", "open_files", "huge_pages", "swappiness",
                           "clock", "somaxconn", "gpu"})
    EXPECT_EQ(machine.check(name).health, Health::kOk) << name << machine.check(name).fact.en;
}

TEST(Doctor, MemoryIsHeldAgainstTheModel) {
  Machine machine;
  machine.put("proc/meminfo", "MemTotal: 900000 kB\nMemAvailable:   800000 kB\n");
  EXPECT_EQ(machine.check("memory").health, Health::kWarn);
  machine.put("proc/meminfo", "MemAvailable: 300000 kB\n");
  EXPECT_EQ(machine.check("memory").health, Health::kFail);
  machine.put("proc/meminfo", "MemAvailable: 12000000 kB\n");
  machine.put("sys/fs/cgroup/memory.max", "500000000\n");
  machine.put("sys/fs/cgroup/memory.current", "100000000\n");
  EXPECT_EQ(machine.check("memory").health, Health::kFail);
  machine.put("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(machine.check("memory").health, Health::kOk);
  machine.put("proc/meminfo", "nonsense");
  EXPECT_EQ(machine.check("memory").health, Health::kWarn);
}

TEST(Doctor, KernelSettingsAreJudged) {
  Machine machine;
  machine.put("proc/sys/vm/swappiness", "60\n");
  EXPECT_EQ(machine.check("swappiness").health, Health::kWarn);
  machine.put("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
  EXPECT_EQ(machine.check("swappiness").health, Health::kOk);
  machine.put("proc/sys/net/core/somaxconn", "128\n");
  EXPECT_EQ(machine.check("somaxconn").health, Health::kWarn);
  machine.put("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  EXPECT_EQ(machine.check("huge_pages").health, Health::kWarn);
  machine.options().open_files = 4096;
  EXPECT_EQ(machine.check("open_files").health, Health::kWarn);
  machine.options().open_files = 256;
  EXPECT_EQ(machine.check("open_files").health, Health::kFail);
}

TEST(Doctor, TheClockMustBeSane) {
  Machine machine;
  machine.options().clock_synchronised = false;
  EXPECT_EQ(machine.check("clock").health, Health::kWarn);
  machine.options().now = 0;
  EXPECT_EQ(machine.check("clock").health, Health::kFail);
}

TEST(Doctor, GpuNeedsDeviceAndDriver) {
  Machine machine;
  machine.put("proc/driver/nvidia/version", "NVRM version: 550.54\nGCC\n");
  EXPECT_EQ(machine.check("gpu").health, Health::kWarn);
  machine.put("dev/nvidiactl", "");
  EXPECT_EQ(machine.check("gpu").health, Health::kOk);
  EXPECT_NE(machine.check("gpu").fact.en.find("550.54"), std::string::npos);
}

TEST(Doctor, AMissingModelFails) {
  Machine machine;
  machine.options().model = "";
  EXPECT_EQ(machine.check("model").health, Health::kFail);
  machine.options().model = "/nowhere";
  EXPECT_EQ(machine.check("model").health, Health::kFail);
}

TEST(GitBlob, NamesFilesAsGitDoes) {
  EXPECT_EQ(git_blob_id(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_id("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(git_blob_id(std::string(55, 'a')).size(), 40U);
}

TEST(HubList, PathsThatEscapeAreRefused) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "a//b", "./a", "a\\\\b", "c:x", "",
                           "a/", "a\\u0000b", "a\\nb"}) {
    const std::string json = std::string(R"([{"type":"file","size":1,"path":")") + path + R"("}])";
    const auto list = parse_hub_list(HubLayout::kHuggingFace, json);
    EXPECT_FALSE(list.ok()) << path;
  }
}

TEST(HubList, BadListsAreErrors) {
  for (const char* json :
       {"", "{}", "[1]", "null", R"([{"type":"file","path":"a.json"}])",
        R"([{"type":"file","path":"a.json","size":-1}])",
        R"([{"type":"file","path":"a.json","size":"9"}])",
        R"([{"type":"file","path":"a.json","size":99999999999}])",
        R"([{"type":"file","path":"model.safetensors","size":18446744073709551615}])"})
    EXPECT_FALSE(parse_hub_list(HubLayout::kHuggingFace, json).ok()) << json;
  EXPECT_FALSE(parse_hub_list(HubLayout::kModelScope, "[]").ok());
  EXPECT_FALSE(parse_hub_list(HubLayout::kModelScope, R"({"Data":{"Files":7}})").ok());
}

TEST(HubList, SafetensorsComeBeforeTorch) {
  const auto files = model_files({{"config.json", 1, "", ""},
                                  {"tokenizer.json", 1, "", ""},
                                  {"pytorch_model.bin", 1, "", ""},
                                  {"pytorch_model.bin.index.json", 1, "", ""},
                                  {"model.safetensors", 1, "", ""},
                                  {"README.md", 1, "", ""},
                                  {"onnx/config.json", 1, "", ""}});
  ASSERT_TRUE(files.ok()) << files.error().message;
  std::string names;
  for (const HubFile& file : *files) names += file.path + " ";
  EXPECT_EQ(names, "config.json tokenizer.json model.safetensors ");
}

}  // namespace
}  // namespace seqgpt
