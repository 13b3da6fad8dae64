// SPDX-License-Identifier: Apache-2.0
// The document around operations and schemas.
#include "api/openapi.h"

#include <array>

#include "api/openapi_parts.h"
#include "base/version.h"

namespace seqgpt {
namespace {

struct Failure {
  const char* status;
  const char* meaning;
};

constexpr std::string_view kId = "{id}";
constexpr Failure kBadBody[] = {{"400", "A field is wrong or unknown; param names it."},
                                {"413", "A limit of sizes is exceeded."},
                                {"422", "A pattern or list that cannot be built."}};
constexpr Failure kBadQuery = {"400", "A parameter is wrong; param names it."};
constexpr Failure kNoKey = {"401", "No bearer key, or none of the server's."};
constexpr Failure kNoJob = {"404", "There is none of this name, or it is another key's."};
constexpr Failure kRate = {"429", "The queue is full or the key's rate is used up: Retry-After."};
constexpr Failure kAway = {
    "503",
    "Loading, draining, or the job store is away or full: Retry-After. Or no "
    "jobs are kept here."};
constexpr Failure kLate = {"504", "Not done within timeout_ms."};

Json json_content(const char* schema) {
  return {{"application/json", {{"schema", schema_ref(schema)}}}};
}

void add_failure(Json& responses, const Failure& failure) {
  responses[failure.status] = {{"description", failure.meaning},
                               {"content", json_content("Error")}};
}

Json success(const ApiRoute& route, const EndpointShape& shape) {
  Json content = Json::object();
  Json& body = content[std::string(shape.media)] = Json::object();
  if (!shape.answer.empty()) body["schema"] = schema_ref(shape.answer);
  if (route.streams || shape.events) content["text/event-stream"] = Json::object();
  return {{"description", "Done."},
          {"headers",
           {{"X-Request-ID", {{"schema", {{"type", "string"}}}, {"description", "the trace id"}}}}},
          {"content", std::move(content)}};
}

Json responses_of(const ApiRoute& route, const EndpointShape& shape) {
  Json responses = {{std::to_string(shape.status), success(route, shape)}};
  const bool has_body = !shape.request.empty();
  if (has_body) {
    for (const Failure& failure : kBadBody) add_failure(responses, failure);
  }
  if (!shape.cursor.empty()) add_failure(responses, kBadQuery);
  if (!route.open) {
    add_failure(responses, kNoKey);
    add_failure(responses, kRate);
  }
  if (route.path.find(kId) != std::string_view::npos) add_failure(responses, kNoJob);
  if (shape.tag != "operation" || shape.name == "ready") add_failure(responses, kAway);
  if (has_body) add_failure(responses, kLate);
  return responses;
}

Json request_body(const EndpointShape& shape) {
  Json body = {{"schema", schema_ref(shape.request)}};
  const Json examples = Json::parse(shape.examples);
  for (size_t i = 0; i < examples.size(); ++i)
    body["examples"][std::to_string(i + 1)]["value"] = examples[i];
  return {{"required", true}, {"content", {{"application/json", std::move(body)}}}};
}

Json parameter(const char* name, const char* where, Json schema, const char* description) {
  Json made = {{"name", name}, {"in", where}, {"schema", std::move(schema)}};
  made["description"] = description;
  if (std::string_view(where) == "path") made["required"] = true;
  return made;
}

Json parameters_of(const ApiRoute& route, const EndpointShape& shape) {
  Json parameters = Json::array();
  const Json text = {{"type", "string"}};
  if (route.path.find(kId) != std::string_view::npos)
    parameters.push_back(parameter("id", "path", text, "as it was given"));
  if (shape.idempotent) {
    const Json key = {{"type", "string"}, {"maxLength", 200}};
    parameters.push_back(
        parameter("Idempotency-Key", "header", key, "equal keys and bodies get the same job"));
  }
  if (!shape.cursor.empty()) {
    Json cursor = {{"type", std::string(shape.cursor)}};
    if (shape.cursor == "integer") cursor["minimum"] = 0;
    const Json limit = {{"type", "integer"}, {"minimum", 1}, {"maximum", shape.most}};
    parameters.push_back(parameter("cursor", "query", cursor, "where the last page ended"));
    parameters.push_back(parameter("limit", "query", limit, "at most so many"));
  }
  return parameters;
}

/// "post_extract_batch": unique, as a method and path are.
std::string operation_id(const ApiRoute& route) {
  std::string id;
  for (const char c : route.method) id += static_cast<char>(c | 0x20);
  for (const char c : route.path) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fine) id += c;
    if (!fine && c != '}') id += id.back() == '_' ? "" : "_";
  }
  return id;
}

Json operation_json(const ApiRoute& route, const EndpointShape& shape) {
  Json made = {{"operationId", operation_id(route)},
               {"tags", Json::array({std::string(shape.tag)})},
               {"summary", std::string(route.summary)}};
  Json parameters = parameters_of(route, shape);
  if (!parameters.empty()) made["parameters"] = std::move(parameters);
  if (!shape.request.empty()) made["requestBody"] = request_body(shape);
  made["responses"] = responses_of(route, shape);
  if (route.open) made["security"] = Json::array();
  return made;
}

Json paths_of(const std::string& root, std::span<const ApiRoute> routes) {
  Json paths = Json::object();
  for (const ApiRoute& route : routes) {
    const EndpointShape* shape = find_endpoint_shape(route.name);
    const EndpointShape bare{.name = route.name};
    Json& path = paths[std::string(route.path)];
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    path[method] = operation_json(route, shape ? *shape : bare);
    if (route.versioned)
      path["servers"] = Json::array({{{"url", root + "/"}}, {{"url", root + "/v1"}}});
  }
  return paths;
}

constexpr std::array<std::pair<const char*, const char*>, 4> kTags = {
    {{"work", "Texts in, answers out"},
     {"jobs", "Jobs"},
     {"openai", "OpenAI's shape"},
     {"operation", "Operation"}}};

}  // namespace

Json schema_ref(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

std::string openapi_json(std::string_view root_path, std::span<const ApiRoute> routes) {
  const std::string root(root_path);
  Json document = {{"openapi", "3.1.0"},
                   {"info",
                    {{"title", "seqgpt"},
                     {"version", std::string(kVersion)},
                     {"description", "Verbatim fields and classes of Chinese business text."},
                     {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                   {"servers", Json::array({{{"url", root + "/"}}})}};
  document["tags"] = Json::array();
  for (const auto& [name, description] : kTags)
    document["tags"].push_back({{"name", name}, {"description", description}});
  document["security"] = Json::array({Json::object(), {{"bearer", Json::array()}}});
  document["paths"] = paths_of(root, routes);
  Json schemas = request_schemas();
  schemas.update(answer_schemas());
  document["components"] = {
      {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}},
      {"schemas", std::move(schemas)}};
  return dump_json(document, 1);
}

}  // namespace seqgpt
