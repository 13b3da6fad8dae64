// SPDX-License-Identifier: Apache-2.0
// libcurl behind http.h.
#include "tools/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/version.h"

namespace seqgpt {
namespace {

constexpr long kMaxRedirects = 5;
constexpr long kConnectSeconds = 15;
constexpr long kSilenceSeconds = 60;
constexpr long kSilenceBytes = 1;  // a second: fewer for kSilenceSeconds is a dead connection

/// What one transfer knows while it runs.
struct Transfer {
  CURL* handle = nullptr;
  uint64_t offset = 0;  // asked for
  uint64_t limit = 0;
  const BodySink* sink = nullptr;
  uint64_t at = 0;      // place of the next byte
  uint64_t ranged = 0;  // first byte as Content-Range says
  bool begun = false;
  bool wrong_range = false;
  bool too_large = false;
  bool stopped = false;
};

long status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

size_t take_header(char* data, size_t, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  std::string line(data, size);
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kRange = "content-range: bytes ";
  if (line.starts_with(kRange))
    std::from_chars(line.data() + kRange.size(), line.data() + line.size(), transfer.ranged);
  return size;
}

size_t take_body(char* data, size_t, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const long status = status_of(transfer.handle);
  if (status >= 300) return size;  // the page of a refusal, not the file
  if (!transfer.begun) {
    transfer.begun = true;
    transfer.at = status == 206 ? transfer.ranged : 0;
    transfer.wrong_range = status == 206 && transfer.ranged != transfer.offset;
  }
  if (transfer.wrong_range) return 0;
  if (size > transfer.limit - std::min(transfer.at, transfer.limit)) {
    transfer.too_large = true;
    return 0;
  }
  if (!(*transfer.sink)(transfer.at, {data, size})) {
    transfer.stopped = true;
    return 0;
  }
  transfer.at += size;
  return size;
}

Status judge(const Transfer& transfer, const std::string& url, CURLcode code, const char* reason) {
  const auto error = [&](ErrorCode what, const std::string& why) {
    return Error{what, url + ": " + why};
  };
  if (transfer.too_large)
    return error(ErrorCode::kTooLarge, "more than " + std::to_string(transfer.limit) +
                                           " bytes, which it should not have");
  if (transfer.stopped) return error(ErrorCode::kCancelled, "stopped");
  if (transfer.wrong_range) return error(ErrorCode::kBadFile, "the server sent another range");
  if (code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNSUPPORTED_PROTOCOL)
    return error(ErrorCode::kUnsupported, "redirected too often, or to where we do not follow");
  if (code == CURLE_PEER_FAILED_VERIFICATION)
    return error(ErrorCode::kUnsupported, std::string("its certificate is not trusted: ") + reason);
  if (code != CURLE_OK) return error(ErrorCode::kIo, reason);
  const long status = status_of(transfer.handle);
  const std::string told = "the server answers " + std::to_string(status);
  if (status == 404) return error(ErrorCode::kNotFound, told);
  if (status == 416) return error(ErrorCode::kBadFile, told);
  if (status == 429 || status >= 500) return error(ErrorCode::kIo, told);
  if (status == 401 || status == 403)
    return error(ErrorCode::kUnsupported, told + ": the model is private or gated, or not there");
  if (status != 200 && status != 206) return error(ErrorCode::kUnsupported, told);
  return {};
}

}  // namespace

struct HttpClient::State {
  CURL* handle = nullptr;
};

HttpClient::HttpClient() : state_(std::make_unique<State>()) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)ready;
  state_->handle = curl_easy_init();
}

HttpClient::~HttpClient() {
  curl_easy_cleanup(state_->handle);
}

Status HttpClient::fetch(const std::string& url, uint64_t offset, uint64_t limit,
                         const BodySink& sink) {
  CURL* handle = state_->handle;
  if (!handle) return Error{ErrorCode::kInternal, "libcurl does not start"};
  curl_easy_reset(handle);  // keeps the connection
  Transfer transfer{handle, offset, limit, &sink};
  char reason[CURL_ERROR_SIZE] = "";
  const bool secure = url.starts_with("https://");
  const std::string agent = "seqgpt/" + std::string(kVersion);
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kSilenceBytes);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, agent.c_str());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  const std::string range = std::to_string(offset) + "-";
  if (offset > 0) curl_easy_setopt(handle, CURLOPT_RANGE, range.c_str());
  const CURLcode code = curl_easy_perform(handle);
  return judge(transfer, url, code, *reason ? reason : curl_easy_strerror(code));
}

Result<std::string> HttpClient::get(const std::string& url, size_t limit) {
  std::string body;
  SEQGPT_TRY(fetch(url, 0, limit, [&](uint64_t, std::string_view bytes) {
    body += bytes;
    return true;
  }));
  return body;
}

}  // namespace seqgpt
