// SPDX-License-Identifier: Apache-2.0
// Reading headers that others may forge.
#include "server/trace.h"

#include <algorithm>

#include "api/http_body.h"
#include "store/crypto.h"

namespace seqgpt {
namespace {

constexpr size_t kTraceDigits = 32;
constexpr size_t kMaxRequestId = 128;
constexpr size_t kMaxAddress = 45;

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower_hex(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f');
}
bool is_id_character(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '_' || c == '-';
}
bool is_address_character(char c) {
  return is_lower_hex(c) || (c >= 'A' && c <= 'F') || c == '.' || c == ':';
}

/// "00-<32 hex>-<16 hex>-<2 hex>", neither id all zeros.
std::string_view trace_of_parent(std::string_view parent) {
  constexpr size_t kLength = 55;
  if (parent.size() != kLength || !parent.starts_with("00-")) return {};
  const std::string_view trace = parent.substr(3, kTraceDigits);
  const std::string_view span = parent.substr(36, 16);
  const bool formed = parent[35] == '-' && parent[52] == '-' &&
                      std::ranges::all_of(trace, is_lower_hex) &&
                      std::ranges::all_of(span, is_lower_hex) &&
                      std::ranges::all_of(parent.substr(53), is_lower_hex);
  const auto zero = [](char c) { return c == '0'; };
  if (!formed || std::ranges::all_of(trace, zero) || std::ranges::all_of(span, zero)) return {};
  return trace;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string trace_id_of(const HttpRequest& request) {
  if (const auto parent = request.header("traceparent")) {
    const std::string_view trace = trace_of_parent(without_blanks(*parent));
    if (!trace.empty()) return std::string(trace);
  }
  if (const auto id = request.header("x-request-id")) {
    if (!id->empty() && id->size() <= kMaxRequestId && std::ranges::all_of(*id, is_id_character))
      return std::string(*id);
  }
  return to_hex(random_bytes(kTraceDigits / 2));
}

HttpResponse unread_error(int status, std::string_view type, const Error& error) {
  const std::string trace_id = trace_id_of({});
  return {status,
          "application/json",
          http_error_body(status, type, error, trace_id),
          {{"X-Request-ID", trace_id},
           {"X-Content-Type-Options", "nosniff"},
           {"Cache-Control", "no-store"}}};
}

std::string client_address(const HttpRequest& request,
                           const std::vector<std::string>& trusted_proxies) {
  const auto trusted = [&](std::string_view address) {
    return std::ranges::find(trusted_proxies, address) != trusted_proxies.end();
  };
  if (!trusted(request.peer)) return request.peer;
  std::string_view chain = request.header("x-forwarded-for").value_or("");
  while (!chain.empty()) {
    const size_t comma = chain.rfind(',');
    const std::string_view last =
        without_blanks(comma == std::string_view::npos ? chain : chain.substr(comma + 1));
    const bool formed = !last.empty() && last.size() <= kMaxAddress &&
                        std::ranges::all_of(last, is_address_character);
    if (!formed) break;
    if (!trusted(last)) return std::string(last);
    chain = comma == std::string_view::npos ? std::string_view{} : chain.substr(0, comma);
  }
  return request.peer;
}

}  // namespace seqgpt
