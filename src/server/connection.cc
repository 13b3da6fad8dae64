// SPDX-License-Identifier: Apache-2.0
// Reading requests with Beast's parser, answering them in order.
#include "server/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <tuple>

#include "server/request_head.h"
#include "server/response_head.h"
#include "server/trace.h"

namespace seqgpt {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Parser = HttpParser;
using Code = boost::system::error_code;
using std::chrono::milliseconds;

constexpr size_t kHeadRead = 4096;  // bytes asked of the socket at once
constexpr size_t kBodyRead = size_t{64} << 10;
constexpr milliseconds kPeerPoll{20};      // how often a waiting client is looked at
constexpr milliseconds kLingerTime{2000};  // what a refused client may still send
constexpr size_t kLingerBytes = size_t{64} << 20;
constexpr const char* kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

enum class Peer { kThere, kHalfClosed, kGone };

/// What the kernel knows of the other side, whether or not it has sent anything since.
Peer look_at_peer(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return Peer::kGone;
  if (info.tcpi_state == TCP_CLOSE_WAIT) return Peer::kHalfClosed;
  return info.tcpi_state == TCP_ESTABLISHED ? Peer::kThere : Peer::kGone;
}

std::string chunk_of(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

}  // namespace

/// One request on its way in, and what its answer's framing needs of it.
struct Connection::Incoming {
  explicit Incoming(const HttpLimits& limits) {
    parser.header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    parser.body_limit(limits.body_bytes);
    parser.eager(false);
    parser.on_chunk_header(check_chunk);
  }

  void take_head(const std::string& peer) {
    const auto& head = parser.get();
    request.method = std::string(head.method_string());
    request.peer = peer;
    for (const auto& field : head) request.headers.emplace_back(field.name_string(), field.value());
    http11 = head.version() == 11;
    is_head = head.method() == http::verb::head;
  }
  void refuse(HttpProblem problem) {
    if (!request.problem) request.problem = std::move(problem);
    keep_alive = false;
  }

  Parser parser;
  // While the parser is given bytes: where among them those behind the last chunk's line begin.
  const char* trailers = nullptr;
  std::function<void(std::uint64_t, boost::string_view, Code&)> check_chunk =
      [this](std::uint64_t size, boost::string_view extensions, Code& code) {
        check_chunk_line(size, extensions, code);
        if (size == 0) trailers = extensions.data() + extensions.size() + 2;
      };
  HeadScanner scanner;
  size_t scanned = 0;  // of what is pending, while the head comes
  HttpRequest request;
  bool usable = true;  // false: the client left in the middle; no answer
  bool keep_alive = true;
  bool http11 = true;
  bool is_head = false;
};

Connection::Connection(asio::ip::tcp::socket socket, asio::ip::address address, HttpShared& shared,
                       ConnectionSet& set)
    : socket_(std::move(socket)),
      address_(std::move(address)),
      shared_(shared),
      set_(set),
      deadline_(socket_.get_executor()),
      wake_(socket_.get_executor()) {
  set_.insert(this);
}

Connection::~Connection() {
  set_.erase(this);
  shared_.leave(address_);
}

void Connection::serve() {
  Code ignored;
  std::ignore = socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  auto self = shared_from_this();
  asio::co_spawn(
      socket_.get_executor(), [self]() -> Task<void> { co_await self->run(); }, asio::detached);
}

void Connection::close_if_idle() {
  if (idle_) close();
}

void Connection::close() {
  Code ignored;
  std::ignore = socket_.close(ignored);
  deadline_.cancel();
  wake_.cancel();
}

void Connection::post(std::function<void()> work) {
  asio::post(socket_.get_executor(),
             [self = shared_from_this(), work = std::move(work)] { work(); });
}

void Connection::arm(milliseconds time) {
  expired_ = false;
  const uint64_t armed = ++armed_;
  deadline_.expires_after(time);
  deadline_.async_wait([self = weak_from_this(), armed](const Code& code) {
    const auto connection = self.lock();
    if (code || !connection || connection->armed_ != armed) return;
    connection->expired_ = true;
    Code ignored;
    std::ignore = connection->socket_.cancel(ignored);
  });
}

void Connection::disarm() {
  ++armed_;
  deadline_.cancel();
}

Connection::Task<void> Connection::run() {
  if (shared_.tls) {
    const bool shaken = co_await handshake();
    if (!shaken) co_return;
  }
  bool more = true;
  while (more && !shared_.draining) {
    more = co_await wait_for_bytes();
    if (!more) break;
    Incoming incoming(shared_.options.limits);
    co_await read_request(incoming);
    if (!incoming.usable) break;
    more = co_await answer(incoming);
    if (pending_.empty()) pending_.shrink_to_fit();
  }
  disarm();
  close();
}

Connection::Task<bool> Connection::handshake() {
  tls_ = std::make_unique<asio::ssl::stream<asio::ip::tcp::socket&>>(socket_, *shared_.tls);
  Code code;
  arm(shared_.options.limits.head_time);
  co_await tls_->async_handshake(asio::ssl::stream_base::server,
                                 asio::redirect_error(asio::use_awaitable, code));
  disarm();
  co_return !code;
}

/// An idle client costs a timer and a coroutine, no buffer.
Connection::Task<bool> Connection::wait_for_bytes() {
  if (!pending_.empty()) co_return true;
  idle_ = true;
  arm(shared_.options.limits.idle_time);
  bool more = true;
  if (!tls_) {
    Code code;
    co_await socket_.async_wait(asio::ip::tcp::socket::wait_read,
                                asio::redirect_error(asio::use_awaitable, code));
    more = !code;
  }
  if (more) more = co_await read_more(kHeadRead);
  disarm();
  idle_ = false;
  co_return more;
}

Connection::Task<bool> Connection::read_more(size_t most) {
  const size_t before = pending_.size();
  pending_.resize(before + most);
  Code code;
  size_t read = 0;
  const auto space = asio::buffer(pending_.data() + before, most);
  if (tls_) {
    read = co_await tls_->async_read_some(space, asio::redirect_error(asio::use_awaitable, code));
  } else {
    read = co_await socket_.async_read_some(space, asio::redirect_error(asio::use_awaitable, code));
  }
  pending_.resize(before + read);
  co_return !code && read > 0;
}

Connection::Task<void> Connection::read_request(Incoming& incoming) {
  arm(shared_.options.limits.head_time);
  co_await feed(incoming, true);
  incoming.take_head(address_.to_string());
  if (!incoming.usable || incoming.request.problem) co_return;
  const auto& head = incoming.parser.get();
  if (auto problem = check_head(head)) {
    incoming.refuse(*std::move(problem));
    co_return;
  }
  const auto target = head.target();
  if (auto problem = split_target({target.data(), target.size()}, incoming.request)) {
    incoming.refuse(*std::move(problem));
    co_return;
  }
  incoming.keep_alive = incoming.parser.keep_alive();
  const bool asks = boost::beast::iequals(head[http::field::expect], "100-continue");
  if (asks && incoming.http11 && !incoming.parser.is_done() && pending_.empty()) {
    const std::string go_on = kContinue;
    const bool written = co_await write(go_on);
    incoming.usable = written;
    if (!written) co_return;
  }
  incoming.parser.eager(true);
  arm(shared_.options.limits.body_time);
  co_await feed(incoming, false);
  disarm();
  incoming.request.body = std::move(incoming.parser.get().body());
}

/// Gives the parser what has come until the head, or all of it, is whole.
Connection::Task<void> Connection::feed(Incoming& incoming, bool head) {
  Parser& parser = incoming.parser;
  const auto whole = [&] { return head ? parser.is_header_done() : parser.is_done(); };
  while (!whole()) {
    size_t taken = 0;
    if (head) {
      HeadScanner& scanner = incoming.scanner;
      incoming.scanned += scanner.take(std::string_view(pending_).substr(incoming.scanned));
      if (scanner.problem()) {
        incoming.refuse(*scanner.problem());
        co_return;
      }
    }
    if (!pending_.empty()) {
      Code code;
      taken = parser.put(asio::const_buffer(pending_.data(), pending_.size()), code);
      if (!code && incoming.trailers) {
        const std::string_view trailers(incoming.trailers, pending_.data() + taken);
        auto problem = check_trailers(trailers, shared_.options.limits.head_bytes);
        if (problem) incoming.refuse(*std::move(problem));
      }
      pending_.erase(0, taken);
      incoming.scanned -= std::min(incoming.scanned, taken);
      if (code && code != http::error::need_more) {
        incoming.refuse(problem_of(code));
        co_return;
      }
    }
    if (whole() || (taken > 0 && !pending_.empty())) continue;
    // The head, and the line before a chunk, must be in one piece to be parsed.
    if (pending_.size() > shared_.options.limits.head_bytes) {
      incoming.refuse({head ? 431 : 400, "a line or head is longer than this server takes"});
      co_return;
    }
    const bool more = co_await read_more(head ? kHeadRead : kBodyRead);
    if (more) continue;
    incoming.usable = expired_;
    if (expired_)
      incoming.refuse({408, head ? "the request's head did not come in time"
                                 : "the request's body did not come in time"});
    co_return;
  }
}

Connection::Task<bool> Connection::answer(Incoming& incoming) {
  const auto exchange = std::make_shared<Exchange>(weak_from_this());
  shared_.handler(std::move(incoming.request), exchange);
  streaming_ = false;
  for (bool ended = false; !ended;) {
    const bool there = co_await wait_for_output(*exchange, exchange);
    if (!there) co_return false;
    Exchange::Output output = exchange->take_output();
    ended = output.ended;
    streaming_ = output.streams;
    const bool written = co_await write_output(incoming, std::move(output));
    if (!written) {
      exchange->client_gone();
      co_return false;
    }
  }
  if (incoming.keep_alive) co_return true;
  co_await linger();
  co_return false;
}

/// Until the handler has something, or the client has gone. A handler that let go of its reply
/// without a word becomes a 500: nobody waits for ever.
Connection::Task<bool> Connection::wait_for_output(Exchange& exchange,
                                                   const std::shared_ptr<Exchange>& owner) {
  while (!exchange.has_output()) {
    if (owner.use_count() == 1) {
      exchange.send(unread_error(500, "internal",
                                 {ErrorCode::kInternal, "the request was lost inside the server"}));
      break;
    }
    Code code;
    wake_.expires_after(kPeerPoll);
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, code));
    if (exchange.has_output()) break;
    const bool there = co_await check_peer();
    if (there) continue;
    exchange.client_gone();
    co_return false;
  }
  co_return true;
}

/// A closed connection and one closed for sending look alike until something is sent: then the
/// first answers with a reset. An interim response may be sent at any time (RFC 9110, 15.2).
Connection::Task<bool> Connection::check_peer() {
  if (!socket_.is_open()) co_return false;
  const Peer peer = look_at_peer(socket_.native_handle());
  if (peer == Peer::kThere) co_return true;
  if (peer == Peer::kGone || tls_ || streaming_) co_return false;  // no place for such a response
  if (probed_) co_return true;
  probed_ = true;
  const std::string probe = kContinue;
  const bool written = co_await write(probe);
  co_return written;
}

Connection::Task<bool> Connection::write_output(Incoming& incoming, Exchange::Output output) {
  std::string bytes;
  if (output.head) {
    if (shared_.draining || output.head->close || (output.streams && !incoming.http11))
      incoming.keep_alive = false;
    bytes = response_head(*output.head, {incoming.http11, incoming.keep_alive, output.streams});
    if (!output.streams && !incoming.is_head) bytes += output.head->body;
  }
  const bool chunked = output.streams && incoming.http11;
  if (!output.pieces.empty() && !incoming.is_head)
    bytes += chunked ? chunk_of(output.pieces) : output.pieces;
  if (output.ended && chunked && !incoming.is_head) bytes += "0\r\n\r\n";
  if (bytes.empty()) co_return true;
  const bool written = co_await write(bytes);
  co_return written;
}

Connection::Task<bool> Connection::write(const std::string& bytes) {
  Code code;
  arm(shared_.options.limits.write_time);
  const auto all = asio::buffer(bytes);
  if (tls_) {
    co_await asio::async_write(*tls_, all, asio::redirect_error(asio::use_awaitable, code));
  } else {
    co_await asio::async_write(socket_, all, asio::redirect_error(asio::use_awaitable, code));
  }
  disarm();
  co_return !code;
}

/// Reads on for a moment before closing: else what the client is still sending would make the
/// kernel reset the connection, and the answer with it.
Connection::Task<void> Connection::linger() {
  Code code;
  if (tls_) {
    arm(kLingerTime);
    co_await tls_->async_shutdown(asio::redirect_error(asio::use_awaitable, code));
  }
  std::ignore = socket_.shutdown(asio::ip::tcp::socket::shutdown_send, code);
  arm(kLingerTime);
  size_t total = 0;
  std::string waste(kBodyRead, '\0');
  while (!code && total < kLingerBytes) {
    const size_t read = co_await socket_.async_read_some(
        asio::buffer(waste), asio::redirect_error(asio::use_awaitable, code));
    total += read;
  }
}

}  // namespace seqgpt
