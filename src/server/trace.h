// SPDX-License-Identifier: Apache-2.0
// Who asks, and under which trace id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http.h"

namespace seqgpt {

/// The trace id of a W3C `traceparent`, else an `X-Request-ID` of at most 128 letters, digits and
/// . _ -, else 32 random hex digits. What is malformed counts as absent.
std::string trace_id_of(const HttpRequest& request);

/// An error for a request that nobody has read: under an id of its own, in body and header.
HttpResponse unread_error(int status, std::string_view type, const Error& error);

/// The address that asks: the connection's, or, behind trusted proxies, the last address of
/// X-Forwarded-For that is none of them.
std::string client_address(const HttpRequest& request,
                           const std::vector<std::string>& trusted_proxies);

}  // namespace seqgpt
