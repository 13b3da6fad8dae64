// SPDX-License-Identifier: Apache-2.0
// GET over HTTP(S), for `pull` alone: bounded sizes, redirects and silences. http.cc alone includes
// libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// A part of a body: `at` is its place in the whole file. False stops the transfer.
using BodySink = std::function<bool(uint64_t at, std::string_view bytes)>;

/// One transfer at a time. Follows at most 5 redirects, never from https to http; certificates are
/// checked; proxies are taken from the usual environment variables.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// A whole body of at most `limit` bytes. Errors as fetch().
  Result<std::string> get(const std::string& url, size_t limit);

  /// The body from byte `offset` on; a server without ranges sends it from 0, and `at` says so.
  /// Errors: kNotFound (404), kUnsupported (401, 403, other refusals), kBadFile (416: no such
  /// range), kTooLarge (more than `limit` bytes in the whole file), kCancelled (the sink said so);
  /// kIo: try again (broken connection, silence of 60 s, 429, 5xx).
  Status fetch(const std::string& url, uint64_t offset, uint64_t limit, const BodySink& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace seqgpt
