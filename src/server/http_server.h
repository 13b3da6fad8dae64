// SPDX-License-Identifier: Apache-2.0
// HttpServer: connections in, whole requests to a handler, answers out. Knows nothing of models.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/http.h"

namespace seqgpt {

/// What a stranger may take up. Every limit has an option of the same name (docs/server.md).
struct HttpLimits {
  size_t head_bytes = size_t{16} << 10;         // request line and headers
  size_t body_bytes = size_t{8} << 20;          // after chunks are put together
  std::chrono::milliseconds head_time{10000};   // from the first byte to the end of the head
  std::chrono::milliseconds body_time{60000};   // from the head's end to the body's
  std::chrono::milliseconds idle_time{75000};   // between requests, and before the first
  std::chrono::milliseconds write_time{30000};  // a client that does not read its answer
  size_t connections = 20000;
  size_t connections_per_address = 1000;
  bool limit_loopback = false;  // count this machine's own connections by address, too
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0: one that is free
  int workers = 2;       // threads that read and write
  HttpLimits limits;
  std::string tls_cert;  // PEM files; both or none
  std::string tls_key;
  std::vector<std::string> trusted_proxies;  // addresses not counted by address
};

struct HttpCounters {
  uint64_t accepted = 0;
  uint64_t refused = 0;  // over a limit of connections
  size_t open = 0;
};

/// Thread contract: made, drained and ended by one thread; the handler is called on the workers'
/// threads, many at a time, and must not block.
class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest request, std::shared_ptr<Reply> reply)>;

  /// Binds and listens; nothing is accepted before start(). Errors say in plain words that the
  /// port is taken, needs rights, or that a TLS file cannot be read.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpServerOptions& options,
                                                    Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void start();
  uint16_t port() const;
  HttpCounters counters() const;
  /// Takes no new connections or requests, lets answers under way end for at most `patience`, then
  /// closes all.
  void drain(std::chrono::milliseconds patience);
  /// Ends the workers' threads: no handler runs after this returns, and no answer is written.
  void stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Raises the limit of open files to what `connections` need, as far as the system lets; returns
/// how many connections then fit.
size_t raise_open_files(size_t connections);

}  // namespace seqgpt
