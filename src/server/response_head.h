// SPDX-License-Identifier: Apache-2.0
// The head of a response as it goes over the wire. Internal to the HTTP server.
#pragma once

#include <string>

#include "server/http.h"

namespace seqgpt {

struct Framing {
  bool http11 = true;
  bool keep_alive = true;
  bool streams = false;  // in pieces: chunked, or until the connection's end
};

/// Status line and headers, with the empty line at their end.
std::string response_head(const HttpResponse& response, const Framing& framing);

}  // namespace seqgpt
