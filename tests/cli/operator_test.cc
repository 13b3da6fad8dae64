// SPDX-License-Identifier: Apache-2.0
// seqgpt doctor, keys and audit from outside.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_program.h"
#include "store/audit.h"
#include "store/keys.h"

namespace seqgpt {
namespace {

using Json = nlohmann::json;

TEST(Keys, AddPrintsTheKeyOnceAndTheFileKnowsIt) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("keys");
  const ProgramRun added = run_program({"keys", "add", "crm", "--rate", "60", "--keys-file", file});
  ASSERT_EQ(added.code, 0) << added.err;
  const std::string key = added.out.substr(0, added.out.size() - 1);
  const Result<KeyRing> ring = KeyRing::load(file);
  ASSERT_TRUE(ring.ok()) << ring.error().message;
  ASSERT_NE(ring->find(key), nullptr);
  EXPECT_EQ(ring->find(key)->rate_per_minute, 60U);
  EXPECT_EQ(run_program({"keys", "list", "--keys-file", file}).out, "crm\t60/min\n");
  EXPECT_EQ(run_program({"keys", "add", "crm", "--keys-file", file}).code, 2);
  EXPECT_EQ(run_program({"keys", "list", "--keys-file", directory.file("none")}).code, 1);
}

class AuditCommand : public testing::Test {
 protected:
  void SetUp() override {
    Result<Vault> vault = Vault::open(key());
    ASSERT_TRUE(vault.ok()) << vault.error().message;
    auto log = AuditLog::open(audit(), *vault, {});
    ASSERT_TRUE(log.ok()) << log.error().message;
    for (int i = 0; i < 4; ++i) {
      AuditRecord record;
      record.time = 1'790'000'000'000 + i * 3'600'000;  // 2026-09-21T14:13:20Z, hourly
      record.key = i % 2 == 0 ? "alice" : "bob";
      record.route = i == 3 ? "extract_batch" : "extract";
      record.trace_id = "trace" + std::to_string(i);
      record.labels = {"姓名", "a\x1b[31mb"};
      record.status = 200;
      ASSERT_TRUE((*log)->append(record).ok());
    }
  }
  std::string key() const { return directory_.file("secret.key"); }
  std::string audit() const { return directory_.file("audit"); }
  ProgramRun run(std::vector<std::string> more) const {
    more.insert(more.begin(), {"audit", "--audit-dir", audit(), "--key-file", key()});
    return run_program(more);
  }

  TemporaryDirectory directory_;
};

TEST_F(AuditCommand, PrintsJsonLinesThatPassTheFilters) {
  const ProgramRun all = run({"--json"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::istringstream lines(all.out);
  std::string line;
  std::getline(lines, line);
  const Json first = Json::parse(line);
  EXPECT_EQ(first["time"], "2026-09-21T14:13:20.000Z");
  EXPECT_EQ(first["key"], "alice");
  EXPECT_EQ(first["labels"][0], "姓名");
  const ProgramRun some = run({"--json", "--since", "2026-09-21T23:00:00", "--until",
                               "2026-09-21T17:00:00Z", "--key", "alice"});
  EXPECT_NE(some.out.find("trace2"), std::string::npos) << some.out << some.err;
  EXPECT_EQ(std::count(some.out.begin(), some.out.end(), '\n'), 1);
  EXPECT_NE(some.err.find("1 of 4 records"), std::string::npos);
  EXPECT_EQ(run({"--since", "yesterday"}).code, 2);
}

TEST_F(AuditCommand, TakesARouteByPathOrName) {
  const auto lines = [&](const std::string& route) {
    const ProgramRun found = run({"--route", route});
    EXPECT_EQ(found.code, 0) << found.err;
    return std::count(found.out.begin(), found.out.end(), '\n');
  };
  for (const char* route : {"extract", "/extract", "/v1/extract"}) EXPECT_EQ(lines(route), 3);
  for (const char* route : {"extract_batch", "/extract/batch", "/v1/extract/batch"})
    EXPECT_EQ(lines(route), 1);
  for (const char* route : {"/classify", "/extract/async", "/jobs/{id}", "/v1/jobs/{id}/results"})
    EXPECT_EQ(lines(route), 0);
  const ProgramRun unknown = run({"--route", "/extract/all"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("/extract/all"), std::string::npos) << unknown.err;
}

TEST_F(AuditCommand, TheTableHasNoControlCharacters) {
  const ProgramRun table = run({});
  EXPECT_NE(table.out.find("trace3"), std::string::npos);
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
}

TEST_F(AuditCommand, ATornFileIsToldAndReadUpToThere) {
  for (const auto& entry : std::filesystem::directory_iterator(audit())) {
    if (entry.path().extension() == ".sgaudit")
      std::filesystem::resize_file(entry.path(), entry.file_size() - 40);
  }
  const ProgramRun torn = run({"--json"});
  EXPECT_EQ(torn.code, 3);
  EXPECT_NE(torn.err.find("ends within a record"), std::string::npos);
  EXPECT_EQ(std::count(torn.out.begin(), torn.out.end(), '\n'), 3);
}

TEST_F(AuditCommand, NeverMakesAKeyFile) {
  std::filesystem::remove(key());
  EXPECT_EQ(run({}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(key()));
}

TEST(Doctor, ReportsOnThisMachineInBothLanguages) {
  const ProgramRun json = run_program({"doctor", "--json"});
  const Json report = Json::parse(json.out);
  EXPECT_EQ(json.code, report["healthy"].get<bool>() ? 0 : 1);
  EXPECT_GE(report["checks"].size(), 11U);
  for (const Json& check : report["checks"]) {
    EXPECT_FALSE(check["fact"]["zh"].get<std::string>().empty());
    EXPECT_FALSE(check["fact"]["en"].get<std::string>().empty());
    EXPECT_EQ(check["health"] == "ok", check["mend"].is_null()) << check;
  }
  EXPECT_NE(run_program({"doctor", "--language", "zh"}).out.find("项警告"), std::string::npos);
  EXPECT_NE(run_program({"doctor", "--language", "en"}).out.find("warnings"), std::string::npos);
  EXPECT_EQ(run_program({"doctor", "--language", "fr"}).code, 2);
}

TEST(Doctor, FailsOnADamagedModel) {
  const TemporaryDirectory directory;
  const std::string model = directory.file("m");
  std::filesystem::copy(std::string(SEQGPT_GOLDEN_DIR) + "/models/bloom-tiny", model);
  EXPECT_NE(run_program({"doctor", "--model", model, "--language", "en"}).out.find("is whole"),
            std::string::npos);
  std::filesystem::resize_file(model + "/model.safetensors", 1000);
  const ProgramRun run = run_program({"doctor", "--model", model});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("fail model"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace seqgpt
