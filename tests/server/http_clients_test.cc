// SPDX-License-Identifier: Apache-2.0
// The HTTP server under clients that stall, leave, crowd in, and while it drains.
#include "server/http_fixture.h"

namespace seqgpt {
namespace {

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
  RawClient trailer(port_);
  trailer.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n");
  EXPECT_EQ(trailer.read().status, 408);
  RawClient idle(port_);
  EXPECT_TRUE(idle.closed_by_peer());
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

}  // namespace
}  // namespace seqgpt
