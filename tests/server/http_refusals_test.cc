// SPDX-License-Identifier: Apache-2.0
// What the HTTP server takes and refuses of heads, chunks and trailers, however their bytes come.
#include "server/http_fixture.h"

namespace seqgpt {
namespace {

TEST_F(HttpServerTest, PutsChunksTogether) {
  start();
  RawClient client(port_);
  client.send("POST /c HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("4;ext=1\r\nde\r\n\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.read().body, "POST /c abcde\r\n");
  client.send(get_request("/next"));
  EXPECT_EQ(client.read().body, "GET /next ");
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
    {"FoldedTrailer",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "1\r\nx\r\n0\r\nX: a\r\n b\r\n\r\n",
     400},
    {"LineFeedInTrailers",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\nX: a\nY: b\r\n\r\n",
     400},
    {"SpaceBeforeColonOfTrailer",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX : a\r\n\r\n", 400},
    {"RequestForTrailer",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n",
     400},
    {"LengthBehindChunks",
     "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\nContent-Length: 5\r\n\r\n",
     400},
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

constexpr const char* kChunked =
    "POST /c HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n";

std::string trailers(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += "X-" + std::to_string(i) + ": \tv\xe9\r\n";
  return lines + "\r\n";
}

/// They end where they say, whichever way they come; what stands in them changes nothing.
TEST_F(HttpServerTest, ReadsTrailersAndLetsThemGo) {
  start();
  RawClient whole(port_);
  whole.send(kChunked + trailers(200) + get_request("/next"));
  EXPECT_EQ(whole.read().body, "POST /c x");
  EXPECT_EQ(whole.read().body, "GET /next ");
  RawClient bytes(port_);
  for (const char c : kChunked + trailers(2)) ASSERT_TRUE(bytes.send({&c, 1}));
  EXPECT_EQ(bytes.read().body, "POST /c x");
  bytes.send(kChunked + std::string("Host: other\r\nConnection: close\r\n\r\n"));
  EXPECT_NE(bytes.read().header("Connection"), "close");
}

TEST_F(HttpServerTest, RefusesMoreTrailersThanAHeadMayHave) {
  start();
  RawClient whole(port_);
  whole.send(kChunked + trailers(4000));
  EXPECT_EQ(whole.read().status, 400);
  RawClient endless(port_);
  endless.send(kChunked);
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  for (int i = 0; i < 40 && endless.send(line); ++i) continue;
  EXPECT_EQ(endless.read().status, 400);
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

}  // namespace
}  // namespace seqgpt
