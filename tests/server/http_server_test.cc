// SPDX-License-Identifier: Apache-2.0
// The HTTP server: requests in pieces, in a row and in pipelines; answers whole and in chunks.
#include "server/http_fixture.h"

namespace seqgpt {
namespace {

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

TEST_F(HttpServerTest, TakesWhatOthersSendToo) {
  start();
  RawClient client(port_);
  client.send(
      "GET /a HTTP/1.1\r\nHost: t\r\nX-Empty:\r\nX-Tab:\ta\tb \r\nX-Latin: caf\xe9\r\n\r\n");
  EXPECT_EQ(client.read().body, "GET /a ");
}

TEST_F(HttpServerTest, IgnoresUpgrades) {
  start();
  RawClient client(port_);
  client.send(get_request("/u",
                          "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                          "HTTP2-Settings: AAMAAABkAAQAAP__\r\n"));
  EXPECT_EQ(client.read().body, "GET /u ");
}

TEST_F(HttpServerTest, AnswersForAHandlerThatForgot) {
  start();
  expect_error(ask(port_, get_request("/drop")), 500, "internal");
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
