// SPDX-License-Identifier: Apache-2.0
// A request's head as Beast parses it, checked for what two servers might read differently.
// Internal to the HTTP server.
#pragma once

#include <utility>
// Boost 1.74 uses std::exchange without this.
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string_view>

#include "server/http.h"

namespace seqgpt {

using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

/// The status and words of a parser's error.
HttpProblem problem_of(const boost::system::error_code& code);

/// Refuses two meanings of one head: lengths and encodings that contradict, hosts, versions.
std::optional<HttpProblem> check_head(const HttpParser::value_type& head);

/// Path and query out of the target; absolute forms lose their authority.
std::optional<HttpProblem> split_target(std::string_view target, HttpRequest& request);

}  // namespace seqgpt
