// SPDX-License-Identifier: Apache-2.0
// The GPUs' figures out of a stand-in library, sound and not.
#include "server/gpu_monitor.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/utf8.h"
#include "server/app_fixture.h"

namespace seqgpt {
namespace {

/// Sets what the stand-in is like; it looks at each call.
class GpuTest : public AppTest {
 protected:
  static std::unique_ptr<GpuMonitor> open(const char* mood = "") {
    setenv("SEQGPT_FAKE_NVML", mood, 1);
    return GpuMonitor::open(SEQGPT_FAKE_NVML_LIBRARY);
  }
};

TEST_F(GpuTest, ReadsWhatIsThereAndLeavesOutWhatCannotBe) {
  const auto monitor = open();
  ASSERT_NE(monitor, nullptr);
  const std::vector<GpuFigures> gpus = monitor->figures();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].name, "NVIDIA \"Test\" 9000");
  EXPECT_EQ(gpus[0].utilization, 37);
  EXPECT_EQ(gpus[0].memory_used_bytes, 6'000U);
  EXPECT_EQ(gpus[0].memory_total_bytes, 16'000U);
  EXPECT_EQ(gpus[0].temperature_c, 61);
  EXPECT_LE(gpus[1].name.size(), 3U * 96);
  EXPECT_EQ(utf8_lossy(gpus[1].name), gpus[1].name);
  EXPECT_FALSE(gpus[1].utilization);
  EXPECT_FALSE(gpus[1].memory_used_bytes);
  EXPECT_FALSE(gpus[1].temperature_c);
}

TEST_F(GpuTest, IsNotThereWhereNothingCanBeRead) {
  EXPECT_EQ(open("no-driver"), nullptr);
  EXPECT_EQ(open("no-gpus"), nullptr);
  EXPECT_EQ(open("endless")->figures().size(), 2U) << "a count is no promise";
  EXPECT_EQ(GpuMonitor::open("libseqgpt-no-such-library.so.1"), nullptr);
  EXPECT_EQ(GpuMonitor::open("libm.so.6"), nullptr) << "not that library";
}

TEST_F(GpuTest, IsToldByHealthAndMetrics) {
  const auto monitor = open();
  gpus_ = monitor.get();
  start();
  const Json health = Json::parse(get("/health").body);
  ASSERT_EQ(health["gpus"].size(), 2U);
  EXPECT_EQ(health["gpus"][0]["utilization"], 37);
  EXPECT_EQ(health["gpus"][0]["memory_used_bytes"], 6'000);
  EXPECT_EQ(health["gpus"][1].size(), 1U) << health["gpus"][1];
  EXPECT_FALSE(health.contains("load_progress")) << "it is loaded";
  const std::string metrics = get("/metrics").body;
  const std::string labels = R"({gpu="0",name="NVIDIA \"Test\" 9000"} )";
  EXPECT_NE(metrics.find("seqgpt_gpu_utilization_ratio" + labels + "0.37"), std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_gpu_memory_used_bytes" + labels + "6000"), std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_gpu_memory_bytes" + labels + "16000"), std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_gpu_temperature_celsius" + labels + "61"), std::string::npos);
  EXPECT_EQ(metrics.find("gpu=\"1\""), std::string::npos);
  stop();
}

TEST_F(AppTest, TellsOfNoGpuWhereThereIsNone) {
  start();
  EXPECT_FALSE(Json::parse(get("/health").body).contains("gpus"));
  EXPECT_EQ(get("/metrics").body.find("seqgpt_gpu"), std::string::npos);
}

TEST_F(AppTest, TellsHowFarTheModelIsLoaded) {
  control_.hold("load");
  wait_for_model_ = false;
  double share = 0.25;
  load_progress_ = [&share] { return share; };
  start();
  const auto told = [&] { return Json::parse(get("/health").body); };
  EXPECT_EQ(told()["status"], "loading");
  EXPECT_EQ(told()["load_progress"], 0.25);
  share = 0.5;
  EXPECT_EQ(told()["load_progress"], 0.5);
  control_.release("load");
  ASSERT_TRUE(service_->wait_until_loaded().ok());
  EXPECT_FALSE(told().contains("load_progress"));
  stop();
}

}  // namespace
}  // namespace seqgpt
