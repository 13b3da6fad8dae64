// SPDX-License-Identifier: Apache-2.0
// A client that sends exactly the bytes it is told, and reads what comes back.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace seqgpt {

inline constexpr int kPatienceMs = 60'000;  // loaded machines are slow; no test waits for this

struct RawResponse {
  int status = 0;
  std::string head;
  std::string body;

  std::string header(std::string_view name) const {
    const size_t at = head.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class RawClient {
 public:
  explicit RawClient(uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(other.socket_), connected_(other.connected_), buffer_(std::move(other.buffer_)) {
    other.socket_ = -1;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void finish_sending() { ::shutdown(socket_, SHUT_WR); }

  /// False when the other side has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  /// Reads more into the buffer; false at the end, on a reset, and after the patience.
  bool read_more(int patience_ms = kPatienceMs) {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, patience_ms) <= 0) return false;
    char bytes[65536];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(got));
    return true;
  }

  /// One response with Content-Length or chunks; status 0 when none came. Interim ones are skipped.
  RawResponse read(bool body = true) {
    RawResponse response = read_head();
    while (response.status >= 100 && response.status < 200) response = read_head();
    if (response.status == 0 || !body) return response;
    if (response.header("Transfer-Encoding") == "chunked") {
      read_chunks(response.body);
    } else if (const std::string length = response.header("Content-Length"); !length.empty()) {
      response.body = take(std::stoul(length));
    }
    return response;
  }

  /// Everything until the other side closes.
  std::string read_all() {
    while (read_more()) continue;
    return std::move(buffer_);
  }
  bool closed_by_peer() { return !read_more(); }

 private:
  RawResponse read_head() {
    RawResponse response;
    size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return response;
    }
    response.head = take(end + 4);
    response.status = std::stoi(response.head.substr(9, 3));
    return response;
  }
  std::string take(size_t size) {
    while (buffer_.size() < size && read_more()) continue;
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }
  void read_chunks(std::string& body) {
    for (;;) {
      size_t end = 0;
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!read_more()) return;
      }
      const size_t size = std::stoul(take(end + 2), nullptr, 16);
      body += take(size);
      take(2);
      if (size == 0) return;
    }
  }

  int socket_ = -1;
  bool connected_ = false;
  std::string buffer_;
};

inline std::string post_request(std::string_view path, std::string_view body,
                                std::string_view more_headers = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n" + std::string(more_headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

inline std::string get_request(std::string_view path, std::string_view more_headers = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(more_headers) +
         "\r\n";
}

inline RawResponse ask(uint16_t port, std::string_view request) {
  RawClient client(port);
  client.send(request);
  return client.read();
}

}  // namespace seqgpt
