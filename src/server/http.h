// SPDX-License-Identifier: Apache-2.0
// HTTP as plain data: a request read whole, a response to be written, and the way back to the
// client.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seqgpt {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The value of the first header of this name, letters without case.
std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name);

/// A bad head or body that the connection already knows to be bad.
struct HttpProblem {
  int status = 400;
  std::string message;
};

struct HttpRequest {
  std::string method;
  std::string path;   // decoded, from the target; "/" at least
  std::string query;  // not decoded
  HttpHeaders headers;
  std::string body;
  std::string peer;  // the address that the connection came from
  // Set: nothing else but the headers read so far is to be trusted; the connection ends after the
  // answer.
  std::optional<HttpProblem> problem;

  std::optional<std::string_view> header(std::string_view name) const {
    return find_header(headers, name);
  }
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  HttpHeaders headers = {};
  bool close = false;  // the connection ends after it
};

/// The way back to the client of one request. All may be called from any thread; what comes after
/// the end, or after the client has gone, is dropped.
class Reply {
 public:
  virtual ~Reply() = default;
  /// The whole answer.
  virtual void send(HttpResponse response) = 0;
  /// An answer in pieces: the head, then write() any number of times, then finish().
  virtual void start(HttpResponse head) = 0;
  virtual void write(std::string piece) = 0;
  virtual void finish() = 0;
  /// `gone` is called once, on the connection's thread, if the client leaves before the end; each
  /// call adds one.
  virtual void on_gone(std::function<void()> gone) = 0;
  /// Runs `work` on the connection's thread, so that a caller need not do it on its own.
  virtual void run(std::function<void()> work) = 0;
};

/// The standard words for a status.
std::string_view reason_phrase(int status);

/// "%E7%8E%8B" to its bytes; nothing when an escape is not whole or gives a NUL.
std::optional<std::string> percent_decode(std::string_view text);

/// The value of `name` in "a=1&b=2", decoded (+ is a space); nothing when absent or not decodable.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace seqgpt
