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

/// Reads a head's bytes before the parser does, however they come in pieces, and refuses what
/// others on the way may have read differently: folded lines, line ends of one character, white
/// space before a colon, control characters.
class HeadScanner {
 public:
  /// `behind_chunks`: there is no request line, as before trailers.
  explicit HeadScanner(bool behind_chunks = false)
      : place_(behind_chunks ? Place::kLineStart : Place::kRequestLine) {}
  /// Takes bytes up to the head's end, or to the first that is refused; gives how many.
  size_t take(std::string_view bytes);
  bool done() const { return place_ == Place::kDone; }
  const std::optional<HttpProblem>& problem() const { return problem_; }

 private:
  enum class Place { kRequestLine, kLineStart, kName, kValue, kDone };

  bool take_line_end(char c);
  void take(unsigned char c);
  void refuse(const char* what);

  Place place_;
  bool after_cr_ = false;
  bool line_is_empty_ = true;
  std::optional<HttpProblem> problem_;
};

/// For a parser's on_chunk_header: an extension of a chunk is not read, but it must not hide the
/// end of a line.
void check_chunk_line(std::uint64_t size, boost::string_view extensions,
                      boost::system::error_code& code);

/// Refuses fields behind the last chunk as those of a head are, and more than `most` bytes of them.
/// Those that pass are read and let go: none of them means anything here.
std::optional<HttpProblem> check_trailers(std::string_view trailers, size_t most);

/// The status and words of a parser's error.
HttpProblem problem_of(const boost::system::error_code& code);

/// Refuses two meanings of one head: lengths and encodings that contradict, hosts, versions.
std::optional<HttpProblem> check_head(const HttpParser::value_type& head);

/// Path and query out of the target; absolute forms lose their authority.
std::optional<HttpProblem> split_target(std::string_view target, HttpRequest& request);

}  // namespace seqgpt
