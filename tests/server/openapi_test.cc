// SPDX-License-Identifier: Apache-2.0
// Every route of the server is described in openapi.json.
#include "api/openapi.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "server/routes.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

TEST(ServerOpenApi, DescribesEveryRoute) {
  const Json document = Json::parse(openapi_json("", api_routes()));
  std::set<std::string> ids;
  for (const Route& route : routes()) {
    if (is_of_the_page(route)) continue;
    EXPECT_TRUE(describes_endpoint(route.name.text())) << route.name.text();
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    const Json& operation = document["paths"][std::string(route.path)][method];
    EXPECT_TRUE(ids.insert(operation["operationId"]).second) << route.path;
    EXPECT_EQ(operation.contains("requestBody"), route.body != BodyKind::kNone) << route.path;
  }
}

}  // namespace
}  // namespace seqgpt
