// SPDX-License-Identifier: Apache-2.0
// hiredis behind redis_client.h.
#include "store/redis_client.h"

#include <hiredis/hiredis.h>

#include <charconv>
#include <optional>

namespace seqgpt {
namespace {

constexpr timeval kConnectTime{2, 0};  // seconds, microseconds
constexpr timeval kAnswerTime{10, 0};
constexpr int kMaxDepth = 8;  // of nested arrays: streams nest four

std::optional<int> parse_number(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value >= low && value <= high ? std::optional(value) : std::nullopt;
}

Error bad_address() {
  return {ErrorCode::kInvalidArgument,
          "the queue's address must be redis://[user:password@]host[:port][/db] or "
          "unix:///path/of/socket[?db=N]",
          "queue"};
}

Result<RedisAddress> parse_unix(std::string_view rest) {
  RedisAddress address;
  const size_t query = rest.find("?db=");
  address.socket = rest.substr(0, query);
  if (query != std::string_view::npos) {
    const std::optional<int> database = parse_number(rest.substr(query + 4), 0, 1 << 20);
    if (!database) return bad_address();
    address.database = *database;
  }
  if (address.socket.empty() || address.socket.front() != '/') return bad_address();
  return address;
}

Result<RedisAddress> parse_tcp(std::string_view rest) {
  RedisAddress address;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = rest.substr(0, at);
    const size_t colon = login.find(':');
    address.user = colon == std::string_view::npos ? "" : login.substr(0, colon);
    address.password = colon == std::string_view::npos ? login : login.substr(colon + 1);
    rest.remove_prefix(at + 1);
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view number = rest.substr(slash + 1);
    const std::optional<int> database = number.empty() ? 0 : parse_number(number, 0, 1 << 20);
    if (!database) return bad_address();
    address.database = *database;
    rest = rest.substr(0, slash);
  }
  const size_t colon = rest.rfind(':');
  const bool has_port = colon != std::string_view::npos && rest.back() != ']';
  if (has_port) {
    const std::optional<int> port = parse_number(rest.substr(colon + 1), 1, 65535);
    if (!port) return bad_address();
    address.port = *port;
    rest = rest.substr(0, colon);
  }
  if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']')
    rest = rest.substr(1, rest.size() - 2);
  address.host = rest;
  if (address.host.empty()) return bad_address();
  return address;
}

RedisReply copy_reply(const redisReply& raw, int depth) {
  RedisReply reply;
  if (raw.type == REDIS_REPLY_INTEGER) {
    reply.kind = RedisReply::Kind::kInteger;
    reply.integer = raw.integer;
  } else if (raw.type == REDIS_REPLY_STRING || raw.type == REDIS_REPLY_STATUS) {
    reply.kind = RedisReply::Kind::kText;
    reply.text.assign(raw.str, static_cast<size_t>(raw.len));
  } else if (raw.type == REDIS_REPLY_ARRAY && depth < kMaxDepth) {
    reply.kind = RedisReply::Kind::kArray;
    for (size_t i = 0; i < raw.elements; ++i)
      reply.array.push_back(copy_reply(*raw.element[i], depth + 1));
  }
  return reply;
}

}  // namespace

std::string RedisAddress::shown() const {
  const std::string place = host.empty() ? socket : host + ":" + std::to_string(port);
  return place + "/" + std::to_string(database);
}

Result<RedisAddress> parse_redis_address(std::string_view url) {
  constexpr std::string_view kTcp = "redis://";
  constexpr std::string_view kUnix = "unix://";
  if (url.starts_with(kTcp)) return parse_tcp(url.substr(kTcp.size()));
  if (url.starts_with(kUnix)) return parse_unix(url.substr(kUnix.size()));
  return bad_address();
}

int64_t RedisReply::number() const {
  if (kind == Kind::kInteger) return integer;
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

RedisClient::~RedisClient() {
  disconnect();
}

void RedisClient::disconnect() {
  if (context_) redisFree(context_);
  context_ = nullptr;
}

Status RedisClient::connect() {
  context_ = address_.host.empty()
                 ? redisConnectUnixWithTimeout(address_.socket.c_str(), kConnectTime)
                 : redisConnectWithTimeout(address_.host.c_str(), address_.port, kConnectTime);
  if (!context_ || context_->err != 0) {
    const std::string reason = context_ ? context_->errstr : "out of memory";
    disconnect();
    return Error{ErrorCode::kIo, "cannot reach the Redis server at " + address_.shown() + ": " +
                                     reason + "; is it running, and is the address right?"};
  }
  redisSetTimeout(context_, kAnswerTime);
  const Status greeted = greet();
  if (!greeted.ok()) disconnect();
  return greeted;
}

Status RedisClient::greet() {
  bool broken = false;
  if (!address_.password.empty()) {
    std::vector<std::string> words = {"AUTH"};
    if (!address_.user.empty()) words.push_back(address_.user);
    words.push_back(address_.password);
    SEQGPT_TRY([&]() -> Status {
      SEQGPT_ASSIGN(const RedisReply reply, send(words, broken));
      (void)reply;
      return {};
    }());
  }
  if (address_.database == 0) return {};
  SEQGPT_ASSIGN(const RedisReply reply,
                send({"SELECT", std::to_string(address_.database)}, broken));
  (void)reply;
  return {};
}

Result<RedisReply> RedisClient::send(const std::vector<std::string>& words, bool& broken) {
  std::vector<const char*> pointers;
  std::vector<size_t> lengths;
  for (const std::string& word : words) {
    pointers.push_back(word.data());
    lengths.push_back(word.size());
  }
  auto* raw = static_cast<redisReply*>(
      redisCommandArgv(context_, static_cast<int>(words.size()), pointers.data(), lengths.data()));
  if (!raw) {
    broken = true;
    return Error{ErrorCode::kIo, "the Redis server at " + address_.shown() +
                                     " does not answer: " + context_->errstr};
  }
  const std::unique_ptr<redisReply, void (*)(void*)> owner(raw, freeReplyObject);
  if (raw->type != REDIS_REPLY_ERROR) return copy_reply(*raw, 0);
  const std::string reason(raw->str, static_cast<size_t>(raw->len));
  // OOM: maxmemory is reached; LOADING and READONLY pass by themselves.
  const bool passing = reason.starts_with("OOM") || reason.starts_with("LOADING") ||
                       reason.starts_with("READONLY") || reason.starts_with("MISCONF");
  return Error{passing ? ErrorCode::kIo : ErrorCode::kInternal,
               "the Redis server at " + address_.shown() + " refused: " + reason};
}

Result<RedisReply> RedisClient::command(const std::vector<std::string>& words) {
  for (int round = 0;; ++round) {
    const bool fresh = context_ == nullptr;
    if (fresh) SEQGPT_TRY(connect());
    bool broken = false;
    Result<RedisReply> reply = send(words, broken);
    if (!broken) return reply;
    disconnect();
    if (fresh || round > 0) return reply;
  }
}

}  // namespace seqgpt
