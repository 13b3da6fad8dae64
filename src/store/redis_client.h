// SPDX-License-Identifier: Apache-2.0
// One connection to a Redis server: commands in, replies out. redis_client.cc alone includes
// hiredis.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct redisContext;

namespace seqgpt {

/// Where a Redis server is.
struct RedisAddress {
  std::string host;    // empty: `socket` is used
  std::string socket;  // path of a unix socket
  std::string user;
  std::string password;
  int port = 6379;
  int database = 0;

  /// "host:port/0" or "socket/0": for messages, without the password.
  std::string shown() const;
};

/// redis://[[user]:password@]host[:port][/db] or unix:///path[?db=N].
/// Errors: kInvalidArgument, which does not repeat the password.
Result<RedisAddress> parse_redis_address(std::string_view url);

struct RedisReply {
  enum class Kind { kNil, kInteger, kText, kArray };
  Kind kind = Kind::kNil;
  int64_t integer = 0;
  std::string text;
  std::vector<RedisReply> array;

  bool is_nil() const { return kind == Kind::kNil; }
  /// An integer, or a text that is one; 0 otherwise.
  int64_t number() const;
};

/// One thread at a time. Connects when first used and again after a break.
class RedisClient {
 public:
  explicit RedisClient(RedisAddress address) : address_(std::move(address)) {}
  ~RedisClient();
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;

  /// Sends once more on a new connection when the old one broke, so each command must bear being
  /// done twice. Errors: kIo (no server, no answer in time, full memory), kInternal with the
  /// server's own words.
  Result<RedisReply> command(const std::vector<std::string>& words);

 private:
  Status connect();
  Status greet();
  Result<RedisReply> send(const std::vector<std::string>& words, bool& broken);
  void disconnect();

  RedisAddress address_;
  redisContext* context_ = nullptr;
};

}  // namespace seqgpt
