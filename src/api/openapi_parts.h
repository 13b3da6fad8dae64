// SPDX-License-Identifier: Apache-2.0
// The parts of openapi.json, for the .cc files that make them.
#pragma once

#include "api/body_json.h"
#include "api/request_options.h"

namespace seqgpt {

/// What openapi.json says of an endpoint beside its route.
struct EndpointShape {
  std::string_view name;
  std::string_view tag = "operation";           // work, jobs, openai or operation
  std::string_view request = {};                // a schema's name; empty: no body
  std::string_view answer = {};                 // a schema's name; empty: not described
  int status = 200;                             // of success
  std::string_view media = "application/json";  // of the answer
  bool events = false;                          // also text/event-stream, by a field of the body
  bool idempotent = false;                      // takes Idempotency-Key
  std::string_view cursor = {};                 // type of ?cursor=; empty: no pages
  int most = 0;                                 // of ?limit=
  std::string_view examples = {};               // JSON: a list of request bodies
};
/// Null when there is none.
const EndpointShape* find_endpoint_shape(std::string_view name);

/// Requests: {"ExtractRequest": schema, …}, with the fields of the table of options.
Json request_schemas();
/// Answers and errors.
Json answer_schemas();
/// {"$ref": "#/components/schemas/NAME"}
Json schema_ref(std::string_view name);

}  // namespace seqgpt
