// SPDX-License-Identifier: Apache-2.0
// What is refused of a request's head.
#include "server/request_head.h"

#include <algorithm>

namespace seqgpt {

namespace http = boost::beast::http;

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A character of a field's name (RFC 9110, 5.6.2).
bool is_token(unsigned char c) {
  return is_digit(static_cast<char>(c)) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t') || c == 0x7F;
}

}  // namespace

size_t HeadScanner::take(std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && !done() && !problem_) {
    const char c = bytes[taken++];
    if (!take_line_end(c) && !problem_) take(static_cast<unsigned char>(c));
  }
  return taken;
}

/// True when the character belongs to a line's end; a line ends with both characters or not at all.
bool HeadScanner::take_line_end(char c) {
  if (after_cr_ != (c == '\n')) {
    refuse("a line ends with carriage return and line feed");
    return false;
  }
  if (c == '\r') {
    after_cr_ = true;
    if (place_ == Place::kName) refuse("a header line has no colon");
    return true;
  }
  if (c != '\n') return false;
  after_cr_ = false;
  if (place_ == Place::kRequestLine && line_is_empty_) refuse("it begins with an empty line");
  place_ = place_ == Place::kLineStart ? Place::kDone : Place::kLineStart;
  return true;
}

void HeadScanner::take(unsigned char c) {
  if (is_control(c)) return refuse("a control character stands in the head");
  line_is_empty_ = false;
  switch (place_) {
    case Place::kLineStart:
      if (c == ' ' || c == '\t') return refuse("a header line is folded");
      place_ = Place::kName;
      [[fallthrough]];
    case Place::kName:
      if (c == ':') {
        place_ = Place::kValue;
      } else if (!is_token(c)) {
        refuse("a header's name has a character that no name has");
      }
      return;
    default:
      return;
  }
}

void HeadScanner::refuse(const char* what) {
  problem_ = HttpProblem{400, std::string("not a well-formed HTTP/1.1 request: ") + what};
}

void check_chunk_line(std::uint64_t, boost::string_view extensions,
                      boost::system::error_code& code) {
  if (std::any_of(extensions.begin(), extensions.end(), is_control))
    code = http::error::bad_chunk_extension;
}

std::optional<HttpProblem> check_trailers(std::string_view trailers, size_t most) {
  if (trailers.size() > most)
    return HttpProblem{400, "the trailers are longer than this server takes"};
  HeadScanner scanner(true);
  scanner.take(trailers);
  return scanner.problem();
}

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
  const auto length = head[http::field::content_length];
  if (!std::all_of(length.begin(), length.end(), is_digit))  // "5, 5" too
    return HttpProblem{400, "Content-Length must be one number"};
  if (encodings > 0 && head.version() == 10)
    return HttpProblem{400, "Transfer-Encoding is of HTTP/1.1"};
  if (encodings > 1 ||
      (encodings == 1 && !boost::beast::iequals(head[http::field::transfer_encoding], "chunked")))
    return HttpProblem{501, "the only Transfer-Encoding taken is chunked"};
  if (head.version() != 10 && head.version() != 11)
    return HttpProblem{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return std::nullopt;
}

}  // namespace seqgpt
