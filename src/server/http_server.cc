// SPDX-License-Identifier: Apache-2.0
// Listening, spreading connections over the workers, and ending.
#include "server/http_server.h"

#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>
#include <tuple>

#include "server/connection.h"
#include "server/trace.h"

namespace seqgpt {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds kAcceptPause{100};  // when the system has no more descriptors
constexpr milliseconds kDrainLook{10};
constexpr size_t kOtherFiles = 128;  // descriptors that are no connections

struct Worker {
  ConnectionSet connections;  // outlives the context, whose end ends the last of them
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
  std::thread thread;
};

std::string address_text(const HttpServerOptions& options) {
  return options.host + ":" + std::to_string(options.port);
}

Error cannot_listen(const HttpServerOptions& options, const Code& code) {
  if (code == asio::error::address_in_use) {
    return {ErrorCode::kIo,
            address_text(options) +
                " is taken: another program listens there, perhaps another seqgpt; end it or take "
                "another --port",
            "port"};
  }
  if (code == asio::error::access_denied) {
    return {ErrorCode::kIo,
            "no right to listen on " + address_text(options) +
                ": ports below 1024 need it; take another --port",
            "port"};
  }
  return {ErrorCode::kIo, "cannot listen on " + address_text(options) + ": " + code.message(),
          "host"};
}

Status load_tls(const HttpServerOptions& options, std::optional<asio::ssl::context>& tls) {
  if (options.tls_cert.empty() && options.tls_key.empty()) return {};
  if (options.tls_cert.empty() || options.tls_key.empty()) {
    return Error{ErrorCode::kInvalidArgument, "--tls-cert and --tls-key go together",
                 options.tls_cert.empty() ? "tls_cert" : "tls_key"};
  }
  asio::ssl::context context(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  Code code;
  std::ignore = context.use_certificate_chain_file(options.tls_cert, code);
  if (code) {
    return Error{ErrorCode::kBadFile,
                 "--tls-cert " + options.tls_cert + " is no PEM certificate: " + code.message(),
                 "tls_cert"};
  }
  std::ignore = context.use_private_key_file(options.tls_key, asio::ssl::context::pem, code);
  if (code) {
    return Error{ErrorCode::kBadFile,
                 "--tls-key " + options.tls_key +
                     " is no PEM key, or not that certificate's: " + code.message(),
                 "tls_key"};
  }
  tls.emplace(std::move(context));
  return {};
}

}  // namespace

struct HttpServer::Impl {
  Impl(const HttpServerOptions& options, Handler handler) {
    shared.options = options;
    shared.handler = std::move(handler);
    for (int i = 0; i < std::max(1, options.workers); ++i)
      workers.push_back(std::make_unique<Worker>());
    acceptor.emplace(workers.front()->context);
  }
  ~Impl() { stop(); }
  void stop() {
    for (const auto& worker : workers) worker->context.stop();
    for (const auto& worker : workers) {
      if (worker->thread.joinable()) worker->thread.join();
    }
  }

  Status listen();
  asio::awaitable<void> accept();
  void take(Tcp::socket socket, Worker& worker);
  void refuse(Tcp::socket socket);
  template <typename Work>
  void each_connection(const Work& work);

  HttpShared shared;  // outlives the workers' coroutines
  std::vector<std::unique_ptr<Worker>> workers;
  std::optional<Tcp::acceptor> acceptor;
  size_t next = 0;
};

Status HttpServer::Impl::listen() {
  SEQGPT_TRY(load_tls(shared.options, shared.tls));
  Code code;
  Tcp::resolver resolver(workers.front()->context);
  const auto found = resolver.resolve(shared.options.host, std::to_string(shared.options.port),
                                      Tcp::resolver::passive, code);
  if (code || found.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--host " + shared.options.host + " is no address of this machine", "host"};
  }
  const Tcp::endpoint endpoint = found.begin()->endpoint();
  std::ignore = acceptor->open(endpoint.protocol(), code);
  if (!code) std::ignore = acceptor->set_option(Tcp::acceptor::reuse_address(true), code);
  if (!code) std::ignore = acceptor->bind(endpoint, code);
  if (!code) std::ignore = acceptor->listen(asio::socket_base::max_listen_connections, code);
  if (code) return cannot_listen(shared.options, code);
  return {};
}

asio::awaitable<void> HttpServer::Impl::accept() {
  while (acceptor->is_open()) {
    Worker& worker = *workers[next++ % workers.size()];
    Code code;
    Tcp::socket socket(worker.context);
    co_await acceptor->async_accept(socket, asio::redirect_error(asio::use_awaitable, code));
    if (code == asio::error::operation_aborted) co_return;
    if (code) {
      asio::steady_timer pause(workers.front()->context, kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, code));
      continue;
    }
    take(std::move(socket), worker);
  }
}

void HttpServer::Impl::take(Tcp::socket socket, Worker& worker) {
  ++shared.accepted;
  Code code;
  const Tcp::endpoint remote = socket.remote_endpoint(code);
  if (code) return;
  if (!shared.enter(remote.address())) return refuse(std::move(socket));
  auto moved = std::make_shared<Tcp::socket>(std::move(socket));
  asio::post(worker.context, [this, moved, &worker, address = remote.address()] {
    std::make_shared<Connection>(std::move(*moved), address, shared, worker.connections)->serve();
  });
}

/// Says why and closes, without waiting for anything.
void HttpServer::Impl::refuse(Tcp::socket socket) {
  ++shared.refused;
  const HttpResponse full = unread_error(
      503, "overloaded", {ErrorCode::kOverloaded, "too many connections; try again later"});
  std::string bytes =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: "
      "5\r\nConnection: close\r\nContent-Length: " +
      std::to_string(full.body.size());
  for (const auto& [name, value] : full.headers) bytes += "\r\n" + name + ": " + value;
  bytes += "\r\n\r\n" + full.body;
  Code ignored;
  std::ignore = socket.non_blocking(true, ignored);
  if (!shared.tls) socket.write_some(asio::buffer(bytes), ignored);
  std::ignore = socket.shutdown(Tcp::socket::shutdown_send, ignored);
}

template <typename Work>
void HttpServer::Impl::each_connection(const Work& work) {
  for (const auto& worker : workers) {
    asio::post(worker->context, [&connections = worker->connections, work] {
      const ConnectionSet copy = connections;  // the work may end some
      for (Connection* connection : copy) work(*connection);
    });
  }
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpServerOptions& options,
                                                       Handler handler) {
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  SEQGPT_TRY(impl->listen());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::start() {
  asio::co_spawn(
      impl_->workers.front()->context,
      [impl = impl_.get()]() -> asio::awaitable<void> { co_await impl->accept(); }, asio::detached);
  for (const auto& worker : impl_->workers)
    worker->thread = std::thread([&context = worker->context] { context.run(); });
}

uint16_t HttpServer::port() const {
  Code ignored;
  return impl_->acceptor->local_endpoint(ignored).port();
}

HttpCounters HttpServer::counters() const {
  return {impl_->shared.accepted, impl_->shared.refused, impl_->shared.open};
}

void HttpServer::drain(milliseconds patience) {
  impl_->shared.draining = true;
  asio::post(impl_->workers.front()->context, [this] {
    Code ignored;
    std::ignore = impl_->acceptor->close(ignored);
  });
  impl_->each_connection([](Connection& connection) { connection.close_if_idle(); });
  const auto end = std::chrono::steady_clock::now() + patience;
  while (impl_->shared.open > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kDrainLook);
  impl_->each_connection([](Connection& connection) { connection.close(); });
}

void HttpServer::stop() {
  impl_->stop();
}

size_t raise_open_files(size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t wanted = connections + kOtherFiles;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= wanted) return connections;
  return limit.rlim_cur > kOtherFiles ? limit.rlim_cur - kOtherFiles : 1;
}

}  // namespace seqgpt
