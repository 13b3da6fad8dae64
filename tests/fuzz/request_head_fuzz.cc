// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the beginning of a connection; what is accepted has one reading.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "server/request_head.h"

namespace {

namespace http = boost::beast::http;

/// The size of the head, or 0 when it is not whole or refused.
size_t scanned(std::string_view bytes, size_t piece) {
  seqgpt::HeadScanner scanner;
  size_t taken = 0;
  while (taken < bytes.size() && !scanner.done() && !scanner.problem())
    taken += scanner.take(bytes.substr(taken, piece));
  return scanner.done() ? taken : 0;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t end = scanned(bytes, size);
  require(end == scanned(bytes, 1));
  if (end == 0) return 0;
  const std::string_view head = bytes.substr(0, end);
  require(head.ends_with("\r\n\r\n"));
  for (size_t i = 0; i < head.size(); ++i) {
    require(head[i] != 0);
    if (head[i] == '\n') require(i > 0 && head[i - 1] == '\r');
  }
  seqgpt::HttpParser parser;
  parser.eager(false);
  boost::system::error_code code;
  for (std::string_view rest = head; !code && !rest.empty() && !parser.is_header_done();) {
    const size_t taken = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), code);
    if (taken == 0) break;
    rest.remove_prefix(taken);
  }
  if (code) (void)seqgpt::problem_of(code);
  if (code || !parser.is_header_done() || seqgpt::check_head(parser.get())) return 0;
  for (const char c : parser.get()[http::field::content_length]) require(c >= '0' && c <= '9');
  require(!(parser.get().count(http::field::transfer_encoding) != 0 &&
            parser.get().count(http::field::content_length) != 0));
  const auto target = parser.get().target();
  seqgpt::HttpRequest request;
  if (!seqgpt::split_target({target.data(), target.size()}, request))
    require(request.path.starts_with('/') && request.path.find('\0') == std::string::npos);
  return 0;
}
