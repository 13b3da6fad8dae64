// SPDX-License-Identifier: Apache-2.0
// openapi.json (3.1): the server's routes, the fields of requests from the table of options, and
// the shapes of answers.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace seqgpt {

/// A route as the server knows it.
struct ApiRoute {
  std::string_view name;    // of the endpoint; synonyms share it
  std::string_view method;  // "POST"
  std::string_view path;    // "/jobs/{id}"
  std::string_view summary;
  bool versioned = false;  // also under /v1
  bool open = false;       // needs no key
  bool streams = false;    // also text/event-stream
};

/// Whether bodies and examples of the endpoint are known; one that is not has none.
bool describes_endpoint(std::string_view name);

/// The whole document. `root_path` ("" or "/seqgpt") is where clients find the server.
std::string openapi_json(std::string_view root_path, std::span<const ApiRoute> routes);

}  // namespace seqgpt
