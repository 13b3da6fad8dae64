// SPDX-License-Identifier: Apache-2.0
// openapi.json as a document: whole, and made from the table of options.
#include "api/openapi.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/request_options.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

constexpr ApiRoute kRoutes[] = {
    {"extract", "POST", "/extract", "Fields", true, false, true},
    {"classify", "POST", "/classify", "A class", true},
    {"classify", "POST", "/seqgpt/classify", "The same"},
    {"job", "GET", "/jobs/{id}", "A job", true},
    {"job_delete", "DELETE", "/jobs/{id}", "Cancels", true},
    {"jobs", "GET", "/jobs", "Jobs", true},
    {"health", "GET", "/health", "State", true, true},
    {"of_tomorrow", "GET", "/tomorrow", "Not described"},
};

const Json& document() {
  static const Json parsed = Json::parse(openapi_json("/seqgpt", kRoutes));
  return parsed;
}

TEST(OpenApi, HasEveryRoute) {
  EXPECT_EQ(document()["openapi"], "3.1.0");
  EXPECT_EQ(document()["servers"], Json::array({Json{{"url", "/seqgpt/"}}}));
  const Json& paths = document()["paths"];
  EXPECT_EQ(paths.size(), 7U);
  EXPECT_EQ(paths["/seqgpt/classify"]["post"]["operationId"], "post_seqgpt_classify");
  EXPECT_EQ(paths["/jobs/{id}"]["delete"]["operationId"], "delete_jobs_id");
  EXPECT_EQ(paths["/jobs/{id}"]["get"]["parameters"][0]["name"], "id");
  EXPECT_EQ(paths["/jobs"]["get"]["parameters"].size(), 2U);
  EXPECT_EQ(paths["/extract"]["servers"][1]["url"], "/seqgpt/v1");
  EXPECT_FALSE(paths["/seqgpt/classify"].contains("servers"));
  EXPECT_EQ(paths["/health"]["get"]["security"], Json::array());
  EXPECT_FALSE(paths["/extract"]["post"].contains("security"));
  EXPECT_TRUE(
      paths["/extract"]["post"]["responses"]["200"]["content"].contains("text/event-stream"));
  EXPECT_TRUE(paths["/tomorrow"]["get"]["responses"].contains("200"));
  EXPECT_FALSE(describes_endpoint("of_tomorrow"));
}

TEST(OpenApi, RequestsHaveTheOptionsOfTheirTask) {
  const std::pair<const char*, unsigned> requests[] = {{"ExtractRequest", kForExtract},
                                                       {"ClassifyRequest", kForClassify},
                                                       {"GenerateRequest", kForGenerate}};
  for (const auto& [name, task] : requests) {
    const Json& properties = document()["components"]["schemas"][name]["properties"];
    size_t count = 2;  // text and labels
    for (const RequestOption& option : request_options()) {
      const bool belongs = (option.tasks & task) != 0;
      EXPECT_EQ(properties.contains(std::string(option.name)), belongs) << name << option.name;
      count += belongs ? 1 : 0;
    }
    EXPECT_EQ(properties.size(), count);
  }
}

TEST(OpenApi, SchemasSayChoicesRangesAndDefaults) {
  const Json& fields = document()["components"]["schemas"]["ExtractRequest"]["properties"];
  EXPECT_EQ(fields["offsets"]["enum"], Json::array({"codepoint", "utf16", "bytes", nullptr}));
  EXPECT_EQ(fields["offsets"]["default"], "codepoint");
  EXPECT_FALSE(fields["mentions"].contains("default"));
  EXPECT_EQ(fields["window_tokens"]["minimum"], 32);
  EXPECT_EQ(fields["window_tokens"]["default"], 512);
  EXPECT_EQ(fields["normalize"]["default"], true);
  EXPECT_EQ(document()["components"]["schemas"]["ExtractRequest"]["additionalProperties"], false);
  EXPECT_EQ(document()["components"]["schemas"]["ExtractRequest"]["required"],
            Json::array({"text", "labels"}));
}

}  // namespace
}  // namespace seqgpt
