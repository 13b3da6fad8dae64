// SPDX-License-Identifier: Apache-2.0
// Connection: one client's socket, its requests read and answered one after another. Internal to
// the HTTP server.
#pragma once

#include <utility>
// Boost.Asio 1.74 uses std::exchange without this.
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "server/http_server.h"

namespace seqgpt {

class Connection;

/// What all connections share.
struct HttpShared {
  HttpServerOptions options;
  HttpServer::Handler handler;
  std::optional<boost::asio::ssl::context> tls;
  std::atomic<bool> draining{false};
  std::atomic<size_t> open{0};
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> refused{0};

  /// False when the address has its fill; else one leave() is owed.
  bool enter(const boost::asio::ip::address& address);
  void leave(const boost::asio::ip::address& address);

 private:
  bool counts(const boost::asio::ip::address& address) const;

  std::mutex mutex_;
  std::map<boost::asio::ip::address, size_t> by_address_;
};

/// The connections of one worker; touched by its thread alone.
using ConnectionSet = std::unordered_set<Connection*>;

/// What handlers have put down for one request, until the connection writes it.
class Exchange final : public Reply {
 public:
  explicit Exchange(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}

  void send(HttpResponse response) override;
  void start(HttpResponse head) override;
  void write(std::string piece) override;
  void finish() override;
  void on_gone(std::function<void()> gone) override;
  void run(std::function<void()> work) override;

  // For the connection, on its thread.
  struct Output {
    std::optional<HttpResponse> head;  // once
    std::string pieces;
    bool streams = false;
    bool ended = false;
  };
  bool has_output() const;
  Output take_output();
  void client_gone();

 private:
  void wake();

  std::weak_ptr<Connection> connection_;
  mutable std::mutex mutex_;
  Output output_;
  bool started_ = false;
  bool ended_ = false;
  bool closed_ = false;  // ended, or the client has gone
  std::vector<std::function<void()>> gone_;
};

/// Thread contract: lives on its worker's thread.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, boost::asio::ip::address address,
             HttpShared& shared, ConnectionSet& set);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Starts the coroutine that reads and answers.
  void serve();
  /// Ends it if it waits for a request.
  void close_if_idle();
  void close();
  /// From any thread.
  void post(std::function<void()> work);
  void wake() { wake_.cancel(); }

 private:
  struct Incoming;
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  Task<void> run();
  Task<bool> handshake();
  Task<bool> wait_for_bytes();
  Task<void> read_request(Incoming& incoming);
  Task<void> feed(Incoming& incoming, bool head);
  Task<bool> read_more(size_t most);
  Task<bool> answer(Incoming& incoming);
  Task<bool> wait_for_output(Exchange& exchange, const std::shared_ptr<Exchange>& owner);
  Task<bool> write_output(Incoming& incoming, Exchange::Output output);
  Task<bool> write(const std::string& bytes);
  Task<bool> check_peer();
  Task<void> linger();
  /// Lets the deadline cancel whatever waits on the socket; expired_ then tells.
  void arm(std::chrono::milliseconds time);
  void disarm();

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  boost::asio::ip::address address_;
  HttpShared& shared_;
  ConnectionSet& set_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer wake_;
  std::string pending_;  // read and not parsed yet
  bool expired_ = false;
  bool idle_ = false;
  bool streaming_ = false;  // the head of an answer in pieces has been written
  bool probed_ = false;     // a half-closed client was asked whether it is still there
  uint64_t armed_ = 0;
};

}  // namespace seqgpt
