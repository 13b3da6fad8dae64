// SPDX-License-Identifier: Apache-2.0
// The HTTP server under clients that split, pipeline, stall, lie and leave.
#include "server/http_server.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "server/fake_model.h"
#include "server/raw_client.h"

namespace seqgpt {
namespace {

using namespace std::chrono_literals;

/// In the shape that all errors have.
void expect_error(const RawResponse& response, int status, const std::string& type) {
  ASSERT_EQ(response.status, status);
  const auto error = nlohmann::json::parse(response.body)["error"];
  EXPECT_EQ(error["code"], status);
  EXPECT_EQ(error["type"], type);
  EXPECT_FALSE(error["message"].get<std::string>().empty());
  EXPECT_EQ(error["trace_id"].get<std::string>().size(), 32U);
  EXPECT_EQ(error["trace_id"], response.header("X-Request-ID"));
}

/// Answers with method, path and body; /hold keeps its reply until released; /drop forgets it.
class HttpServerTest : public testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    options.port = 0;
    auto server = HttpServer::listen(options, [this](HttpRequest request, auto reply) {
      handle(std::move(request), std::move(reply));
    });
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
    server_->start();
    port_ = server_->port();
  }
  void TearDown() override {
    held_.clear();
    server_.reset();
  }

  void handle(HttpRequest request, std::shared_ptr<Reply> reply) {
    ++requests_;
    if (request.problem) {
      reply->send({request.problem->status, "text/plain", request.problem->message, {}});
    } else if (request.path == "/hold") {
      reply->on_gone([this] {
        const std::lock_guard lock(mutex_);
        ++gone_;
        changed_.notify_all();
      });
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(reply));
      changed_.notify_all();
    } else if (request.path == "/events") {
      reply->start({200, "text/event-stream", "", {}});
      reply->write("one\n");
      reply->write("two\n");
      reply->finish();
    } else if (request.path != "/drop") {
      reply->send(
          {200, "text/plain", request.method + " " + request.path + " " + request.body, {}});
    }
  }

  template <typename Condition>
  bool wait_for(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs), condition);
  }
  void wait_held(size_t count) {
    ASSERT_TRUE(wait_for([&] { return held_.size() >= count; }));
  }
  std::unique_ptr<HttpServer> server_;
  uint16_t port_ = 0;
  std::atomic<int> requests_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Reply>> held_;
  int gone_ = 0;
};

TEST_F(HttpServerTest, KeepsAConnectionForManyRequests) {
  start();
  RawClient client(port_);
  for (int i = 0; i < 3; ++i) {
    client.send(post_request("/a", std::to_string(i)));
    const RawResponse response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /a " + std::to_string(i));
  }
  EXPECT_EQ(server_->counters().accepted, 1U);
}

TEST_F(HttpServerTest, TakesARequestByteByByte) {
  start();
  RawClient client(port_);
  for (const char c : post_request("/a%20b?x=1", "hello")) ASSERT_TRUE(client.send({&c, 1}));
  EXPECT_EQ(client.read().body, "POST /a b hello");
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  RawClient client(port_);
  client.send(get_request("/1") + post_request("/2", "two") + get_request("/3"));
  EXPECT_EQ(client.read().body, "GET /1 ");
  EXPECT_EQ(client.read().body, "POST /2 two");
  EXPECT_EQ(client.read().body, "GET /3 ");
}

TEST_F(HttpServerTest, HoldsPipelinedRequestsUntilTheFirstIsAnswered) {
  start();
  RawClient client(port_);
  client.send(get_request("/hold") + get_request("/after"));
  wait_held(1);
  EXPECT_EQ(requests_, 1);
  held_.front()->send({200, "text/plain", "first", {}});
  EXPECT_EQ(client.read().body, "first");
  EXPECT_EQ(client.read().body, "GET /after ");
}

TEST_F(HttpServerTest, PutsChunksTogether) {
  start();
  RawClient client(port_);
  client.send("POST /c HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("4;ext=1\r\nde\r\n\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.read().body, "POST /c abcde\r\n");
  client.send(get_request("/next"));
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST_F(HttpServerTest, StreamsInChunks) {
  start();
  RawClient client(port_);
  client.send(get_request("/events"));
  const RawResponse response = client.read();
  EXPECT_EQ(response.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(response.body, "one\ntwo\n");
  client.send("GET /events HTTP/1.0\r\n\r\n");
  const std::string all = client.read_all();
  EXPECT_NE(all.find("one\ntwo\n"), std::string::npos);
  EXPECT_EQ(all.find("chunked"), std::string::npos);
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  start();
  RawClient client(port_);
  client.send("HEAD /h HTTP/1.1\r\nHost: t\r\n\r\n" + get_request("/next"));
  const RawResponse head = client.read(false);
  EXPECT_EQ(head.header("Content-Length"), "8");
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST_F(HttpServerTest, SaysContinueToWhoAsks) {
  start();
  RawClient client(port_);
  client.send("POST /e HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(client.read_more());
  client.send("ok");
  EXPECT_EQ(client.read().body, "POST /e ok");
}

struct Refusal {
  const char* name;
  const char* bytes;
  int status;
};

class HttpRefusals : public HttpServerTest, public testing::WithParamInterface<Refusal> {};

TEST_P(HttpRefusals, AreAnsweredAndEndTheConnection) {
  start();
  RawClient client(port_);
  client.send(GetParam().bytes);
  const RawResponse response = client.read();
  EXPECT_EQ(response.status, GetParam().status) << response.body;
  EXPECT_EQ(response.header("Connection"), "close");
  client.finish_sending();
  EXPECT_TRUE(client.closed_by_peer());
}

const Refusal kRefusals[] = {
    {"LengthAndChunks",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nTransfer-Encoding: "
     "chunked\r\n\r\n0\r\n\r\n",
     400},
    {"ChunksAndLength",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nContent-Length: "
     "3\r\n\r\n0\r\n\r\n",
     400},
    {"TwoLengths",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
    {"TwoEqualLengths",
     "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
    {"NegativeLength", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", 400},
    {"OtherEncoding",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
    {"HiddenEncoding", "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
     501},
    {"BadChunkSize",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", 400},
    {"BadChunkEnd",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcXX0\r\n\r\n", 400},
    {"HugeChunk", "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
     413},
    {"HugeLength", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 104857600\r\n\r\n", 413},
    {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"NoHttp", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n", 400},
    {"SpaceBeforeColon", "GET / HTTP/1.1\r\nHost : t\r\n\r\n", 400},
    {"TabBeforeColon", "GET / HTTP/1.1\r\nHost\t: t\r\n\r\n", 400},
    {"SpaceBeforeColonOfEncoding",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
    {"FoldedLine", "GET / HTTP/1.1\r\nHost: t\r\nX: a\r\n b\r\n\r\n", 400},
    {"FoldedWithTab", "GET / HTTP/1.1\r\nHost: t\r\nX: a\r\n\tb\r\n\r\n", 400},
    {"FoldedFirstLine", "GET / HTTP/1.1\r\n Host: t\r\n\r\n", 400},
    {"FoldedEncoding",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400},
    {"LengthList", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5, 5\r\n\r\nabcde", 400},
    {"LengthListOfTwo", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5,6\r\n\r\nabcde", 400},
    {"LengthWithSign", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: +5\r\n\r\nabcde", 400},
    {"HexLength", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 0x5\r\n\r\nabcde", 400},
    {"NoLength", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length:\r\n\r\n", 400},
    {"ChunksInHttp10", "POST / HTTP/1.0\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400},
    {"LineFeedsAlone", "GET / HTTP/1.1\nHost: t\n\n", 400},
    {"LineFeedInHeaders", "GET / HTTP/1.1\r\nHost: t\nX: a\r\n\r\n", 400},
    {"LineFeedAtTheEnd", "GET / HTTP/1.1\r\nHost: t\r\n\n", 400},
    {"CarriageReturnAlone", "GET / HTTP/1.1\r\nHost: t\r\nX: a\rY: b\r\n\r\n", 400},
    {"TwoCarriageReturns", "GET / HTTP/1.1\r\r\nHost: t\r\n\r\n", 400},
    {"EscapeInHeader", "GET / HTTP/1.1\r\nHost: t\r\nX: \x1b[0m\r\n\r\n", 400},
    {"NoColon", "GET / HTTP/1.1\r\nHost: t\r\nX\r\n\r\n", 400},
    {"EmptyFirstLine", "\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n", 400},
    {"NoName", "GET / HTTP/1.1\r\nHost: t\r\n: x\r\n\r\n", 400},
    {"NameOfAnotherScript", "GET / HTTP/1.1\r\nHost: t\r\nX\xc3\xa9: x\r\n\r\n", 400},
    {"LineFeedInChunkExtension",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "1;a\nb\r\nx\r\n0\r\n\r\n",
     400},
    {"LineFeedAfterChunkSize",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n", 400},
    {"SignedChunkSize",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n\r\n", 400},
    {"HexPrefixedChunkSize",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n0\r\n\r\n", 400},
    {"NulInPath", "GET /a%00b HTTP/1.1\r\nHost: t\r\n\r\n", 400},
    {"BrokenEscape", "GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n", 400},
};
INSTANTIATE_TEST_SUITE_P(All, HttpRefusals, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return info.param.name; });

/// Byte by byte, so that no piece holds both halves of what is refused.
TEST_P(HttpRefusals, DoNotDependOnHowTheBytesCome) {
  start();
  RawClient client(port_);
  for (const char* c = GetParam().bytes; *c != 0; ++c) {
    if (!client.send({c, 1})) break;
  }
  EXPECT_EQ(client.read().status, GetParam().status);
}

TEST_F(HttpServerTest, RefusesANulInTheHead) {
  start();
  for (const char* where : {"GET /a", "GET / HTTP/1.1\r\nHost: t", "GET / HTTP/1.1\r\nHo"}) {
    RawClient client(port_);
    client.send(std::string(where) + '\0' + " HTTP/1.1\r\nHost: t\r\n\r\n");
    const RawResponse response = client.read();
    EXPECT_EQ(response.status, 400) << where;
    EXPECT_EQ(response.header("Connection"), "close") << where;
  }
  EXPECT_EQ(requests_, 3);  // the refusals themselves
}

/// Nothing after a refused head is read as a request.
TEST_F(HttpServerTest, ServesNothingBehindARefusedHead) {
  start();
  RawClient client(port_);
  client.send("POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: 0, 0\r\n\r\n" +
              get_request("/smuggled"));
  client.finish_sending();
  const std::string all = client.read_all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << all;
  EXPECT_EQ(all.find("smuggled"), std::string::npos);
  EXPECT_EQ(requests_, 1);
}

TEST_F(HttpServerTest, TakesWhatOthersSendToo) {
  start();
  RawClient client(port_);
  client.send(
      "GET /a HTTP/1.1\r\nHost: t\r\nX-Empty:\r\nX-Tab:\ta\tb \r\nX-Latin: caf\xe9\r\n\r\n");
  EXPECT_EQ(client.read().body, "GET /a ");
}

TEST_F(HttpServerTest, RefusesALargeHead) {
  start();
  RawClient client(port_);
  client.send("GET / HTTP/1.1\r\nHost: t\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read().status, 431);
}

TEST_F(HttpServerTest, RefusesAnEndlessChunkLine) {
  start();
  RawClient client(port_);
  client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
              std::string(40'000, 'x'));
  EXPECT_EQ(client.read().status, 400);
}

TEST_F(HttpServerTest, AnswersWhoStillSendsALargeBody) {
  start();
  RawClient client(port_);
  std::thread sender([&] {
    client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 20971520\r\n\r\n");
    const std::string part(1 << 20, 'x');
    for (int i = 0; i < 20 && client.send(part); ++i) continue;
  });
  EXPECT_EQ(client.read().status, 413);
  sender.join();
}

TEST_F(HttpServerTest, EndsSlowSenders) {
  HttpServerOptions options;
  options.limits.head_time = 100ms;
  options.limits.body_time = 100ms;
  options.limits.idle_time = 100ms;
  start(options);
  RawClient head(port_);
  head.send("GET / HT");
  EXPECT_EQ(head.read().status, 408);
  RawClient body(port_);
  body.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(body.read().status, 408);
  RawClient idle(port_);
  EXPECT_TRUE(idle.closed_by_peer());
}

TEST_F(HttpServerTest, IgnoresUpgrades) {
  start();
  RawClient client(port_);
  client.send(get_request("/u",
                          "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                          "HTTP2-Settings: AAMAAABkAAQAAP__\r\n"));
  EXPECT_EQ(client.read().body, "GET /u ");
}

TEST_F(HttpServerTest, ServesHalfClosedClients) {
  start();
  RawClient client(port_);
  client.send(get_request("/hold"));
  client.finish_sending();
  wait_held(1);
  std::this_thread::sleep_for(100ms);  // long enough to be taken for gone, wrongly
  held_.front()->send({200, "text/plain", "still here", {}});
  EXPECT_EQ(client.read().body, "still here");
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpServerTest, TellsWhenTheClientHasGone) {
  start();
  {
    RawClient client(port_);
    client.send(get_request("/hold") + get_request("/more"));  // unread bytes hide nothing
    wait_held(1);
  }
  EXPECT_TRUE(wait_for([&] { return gone_ == 1; }));
  held_.front()->send({200, "text/plain", "too late", {}});
  EXPECT_EQ(ask(port_, get_request("/a")).status, 200);
}

TEST_F(HttpServerTest, WritesNothingBetweenThePiecesOfAnAnswer) {
  start();
  RawClient client(port_);
  client.send(get_request("/hold"));
  wait_held(1);
  held_.front()->start({200, "text/event-stream", "", {}});
  held_.front()->write("one\n");
  while (client.buffered().find("one") == std::string::npos) ASSERT_TRUE(client.read_more());
  client.finish_sending();
  EXPECT_TRUE(wait_for([&] { return gone_ == 1; }));  // a stream's reader has no reason to
  EXPECT_EQ(client.read_all().find("100 Continue"), std::string::npos);
}

TEST_F(HttpServerTest, AnswersForAHandlerThatForgot) {
  start();
  expect_error(ask(port_, get_request("/drop")), 500, "internal");
}

TEST_F(HttpServerTest, LimitsConnectionsByAddress) {
  HttpServerOptions options;
  options.limits.connections_per_address = 3;
  options.limits.limit_loopback = true;
  start(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(port_);
    clients.back().send(get_request("/a"));
    EXPECT_EQ(clients.back().read().status, 200);
  }
  EXPECT_EQ(RawClient(port_).read().status, 503);
  EXPECT_EQ(server_->counters().refused, 1U);
  clients.pop_back();
  ASSERT_TRUE(eventually([&] { return server_->counters().open == 2; }));
  EXPECT_EQ(ask(port_, get_request("/a")).status, 200);
}

TEST_F(HttpServerTest, LimitsConnectionsInAll) {
  HttpServerOptions options;
  options.limits.connections = 2;
  start(options);
  RawClient one(port_);
  RawClient two(port_);
  ASSERT_TRUE(eventually([&] { return server_->counters().open == 2; }));
  expect_error(RawClient(port_).read(), 503, "overloaded");
  const RawResponse other = RawClient(port_).read();
  EXPECT_EQ(other.header("Retry-After"), "5");
}

TEST_F(HttpServerTest, ServesBesideManyIdleConnections) {
  const size_t most = std::min<size_t>(1000, raise_open_files(2 * 1000 + 100) / 2 - 50);
  start();
  std::vector<RawClient> idle;
  for (size_t i = 0; i < most; ++i) idle.emplace_back(port_);
  ASSERT_TRUE(eventually([&] { return server_->counters().open == most; }));
  EXPECT_EQ(ask(port_, get_request("/a")).status, 200);
  idle.clear();
  EXPECT_TRUE(eventually([&] { return server_->counters().open == 0; }));
}

TEST_F(HttpServerTest, DrainsWhatIsUnderWay) {
  start();
  RawClient idle(port_);
  RawClient busy(port_);
  busy.send(get_request("/hold"));
  wait_held(1);
  std::thread drain([&] { server_->drain(30s); });
  EXPECT_TRUE(idle.closed_by_peer());
  held_.front()->send({200, "text/plain", "last", {}});
  const RawResponse response = busy.read();
  EXPECT_EQ(response.body, "last");
  EXPECT_EQ(response.header("Connection"), "close");
  busy.close();
  drain.join();
  EXPECT_FALSE(RawClient(port_).connected());
}

TEST_F(HttpServerTest, SaysThatThePortIsTaken) {
  start();
  HttpServerOptions options;
  options.port = port_;
  const auto second = HttpServer::listen(options, [](HttpRequest, auto) {});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("is taken"), std::string::npos);
}

}  // namespace
}  // namespace seqgpt
