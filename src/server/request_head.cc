// SPDX-License-Identifier: Apache-2.0
// What is refused of a request's head.
#include "server/request_head.h"

#include <algorithm>

namespace seqgpt {

namespace http = boost::beast::http;

HttpProblem problem_of(const boost::system::error_code& code) {
  if (code == http::error::body_limit) return {413, "the body is larger than this server takes"};
  if (code == http::error::header_limit || code == http::error::buffer_overflow)
    return {431, "the request's head is larger than this server takes"};
  if (code == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return {400, "not a well-formed HTTP/1.1 request: " + code.message()};
}

std::optional<HttpProblem> split_target(std::string_view target, HttpRequest& request) {
  if (target == "*") target = "/";
  if (const size_t scheme = target.find("://");
      scheme != std::string_view::npos && target.front() != '/') {
    const size_t slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (target.empty() || target.front() != '/') return HttpProblem{400, "the target must be a path"};
  target = target.substr(0, target.find('#'));
  const size_t mark = std::min(target.find('?'), target.size());
  const auto path = percent_decode(target.substr(0, mark));
  if (!path) return HttpProblem{400, "the path has an escape that is none"};
  request.path = *path;
  if (mark < target.size()) request.query = target.substr(mark + 1);
  return std::nullopt;
}

std::optional<HttpProblem> check_head(const HttpParser::value_type& head) {
  const auto count = [&](http::field name) {
    const auto [first, last] = head.equal_range(name);
    return std::distance(first, last);
  };
  const auto hosts = count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() == 11))
    return HttpProblem{400, "a request has exactly one Host"};
  const auto encodings = count(http::field::transfer_encoding);
  if (encodings > 0 && count(http::field::content_length) > 0)
    return HttpProblem{400, "both Content-Length and Transfer-Encoding: give one"};
  if (count(http::field::content_length) > 1)
    return HttpProblem{400, "more than one Content-Length"};
  if (encodings > 1 ||
      (encodings == 1 && !boost::beast::iequals(head[http::field::transfer_encoding], "chunked")))
    return HttpProblem{501, "the only Transfer-Encoding taken is chunked"};
  if (head.version() != 10 && head.version() != 11)
    return HttpProblem{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return std::nullopt;
}

}  // namespace seqgpt
