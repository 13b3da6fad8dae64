// SPDX-License-Identifier: Apache-2.0
// Settings: who wins, what is refused, what is printed.
#include "server/settings.h"

#include <gtest/gtest.h>

namespace seqgpt {
namespace {

TEST(Settings, LaterSourcesWinAndSayWhere) {
  Settings settings;
  ASSERT_TRUE(
      settings.read_file("# ours\n\nport = 81 # web\nhost= 0.0.0.0\r\nworkers=3", "f").ok());
  ASSERT_TRUE(settings
                  .read_environment([](const std::string& name) {
                    return name == "SEQGPT_PORT" ? std::optional<std::string>("82") : std::nullopt;
                  })
                  .ok());
  EXPECT_EQ(settings.number("port"), 82);
  ASSERT_TRUE(settings.set("port", "83", "--port").ok());
  EXPECT_EQ(settings.number("port"), 83);
  EXPECT_EQ(settings.text("host"), "0.0.0.0");
  const std::string print = settings.print();
  EXPECT_NE(print.find("port = 83  # --port\n"), std::string::npos);
  EXPECT_NE(print.find("host = 0.0.0.0  # f:4\n"), std::string::npos);
  EXPECT_NE(print.find("max_queued = 256  # default\n"), std::string::npos);
}

TEST(Settings, NameWhatIsWrong) {
  Settings settings;
  for (const char* bad : {"prt = 1", "port = x", "port = 70000", "port = -1", "port"}) {
    const Status status = settings.read_file("\n" + std::string(bad), "f");
    ASSERT_FALSE(status.ok()) << bad;
    EXPECT_TRUE(status.error().message.starts_with("f:2: ")) << status.error().message;
  }
}

TEST(Settings, RefusePathsAndAddressesThatAreNone) {
  Settings settings;
  for (const char* bad : {"seqgpt", "/", "/a/", "//a", "/a b", "seqgpt/", "/é"})
    EXPECT_FALSE(settings.set("root_path", bad, "flag").ok()) << bad;
  for (const char* good : {"", "/seqgpt", "/a/b-c_d.e~1"})
    EXPECT_TRUE(settings.set("root_path", good, "flag").ok()) << good;
  for (const char* bad : {"bla", "127.0.0.0/8", "10.0.0.1,proxy", "1.2.3"})
    EXPECT_FALSE(settings.set("trusted_proxy", bad, "flag").ok()) << bad;
  EXPECT_TRUE(settings.set("trusted_proxy", "10.0.0.1, ::1", "flag").ok());
}

TEST(Settings, AnEmptyVariableIsNone) {
  Settings settings;
  EXPECT_TRUE(settings.read_environment([](const std::string&) { return std::string(); }).ok());
  EXPECT_EQ(settings.text("port"), "8000");
}

TEST(Settings, ListsAreSeparatedByCommas) {
  Settings settings;
  EXPECT_TRUE(settings.list("cors_origin").empty());
  ASSERT_TRUE(settings.set("cors_origin", "https://a, https://b,", "x").ok());
  EXPECT_EQ(settings.list("cors_origin"), (std::vector<std::string>{"https://a", "https://b"}));
}

TEST(Settings, InitialValuesAreInRange) {
  Settings settings;
  for (const SettingRow& row : setting_rows())
    EXPECT_TRUE(settings.set(std::string(row.name), std::string(row.initial), "x").ok())
        << row.name;
}

}  // namespace
}  // namespace seqgpt
