// SPDX-License-Identifier: Apache-2.0
// Status line, date, length or chunks, the response's own headers, and whether the connection
// stays.
#include "server/response_head.h"

#include <ctime>

namespace seqgpt {
namespace {

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

}  // namespace

std::string response_head(const HttpResponse& response, const Framing& framing) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += reason_phrase(response.status);
  head += "\r\nDate: " + http_date();
  const bool no_body = response.status == 204 || response.status == 304;
  if (!no_body && !response.content_type.empty())
    head += "\r\nContent-Type: " + response.content_type;
  if (!framing.streams && !no_body) {
    head += "\r\nContent-Length: " + std::to_string(response.body.size());
  } else if (framing.streams && framing.http11) {
    head += "\r\nTransfer-Encoding: chunked";
  }
  for (const auto& [name, value] : response.headers) head += "\r\n" + name + ": " + value;
  if (!framing.keep_alive) {
    head += "\r\nConnection: close";
  } else if (!framing.http11) {
    head += "\r\nConnection: keep-alive";
  }
  return head + "\r\n\r\n";
}

}  // namespace seqgpt
