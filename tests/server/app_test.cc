// SPDX-License-Identifier: Apache-2.0
// Routes, answers, events, bad requests and keys of the server, over a fake model.
#include "server/app_fixture.h"

namespace seqgpt {
namespace {

const Json kExtract = {{"text", "王伟任CTO"}, {"labels", {"姓名", "职位"}}};

TEST_F(AppTest, ExtractsInTheContractsShape) {
  start();
  const RawResponse response = post("/extract", kExtract, "X-Request-ID: abc-1\r\n");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.header("X-Request-ID"), "abc-1");
  const Json body = Json::parse(response.body);
  EXPECT_EQ(body["success"], true);
  EXPECT_EQ(body["trace_id"], "abc-1");
  EXPECT_EQ(body["model"], "fake");
  EXPECT_EQ(body["degraded"], false);
  EXPECT_TRUE(body["result"].contains("职位"));
  EXPECT_TRUE(body["latency_ms"].is_number());
  EXPECT_EQ(post("/v1/extract", kExtract).status, 200);
}

TEST_F(AppTest, ClassifiesUnderEveryName) {
  start();
  const Json request = {{"text", "央行降准"}, {"labels", {"财经", "体育"}}};
  for (const char* path : {"/classify", "/v1/classify", "/seqgpt/classify"}) {
    const RawResponse response = post(path, request);
    ASSERT_EQ(response.status, 200) << path << response.body;
    EXPECT_EQ(Json::parse(response.body)["result"], "财经");
  }
}

TEST_F(AppTest, WritesFreely) {
  start();
  const Json body = Json::parse(post("/generate", {{"text", "你好"}}).body);
  EXPECT_EQ(body["text"], "re: 你好");
  EXPECT_EQ(body["finish_reason"], "stop");
  EXPECT_EQ(body["usage"]["prompt_tokens"], 3);
}

TEST_F(AppTest, CompletesInOpenAisShape) {
  start();
  const Json request = {{"model", "any"},
                        {"prompt", {"a", "b"}},
                        {"temperature", 0.7},
                        {"max_tokens", 5},
                        {"user", "x"}};
  const Json body = Json::parse(post("/v1/completions", request).body);
  EXPECT_EQ(body["object"], "text_completion");
  EXPECT_EQ(body["choices"][1]["text"], "re: b");
  EXPECT_EQ(body["choices"][1]["index"], 1);
  EXPECT_EQ(body["usage"]["total_tokens"], 10);
}

/// The text as it is written: the fake model tells half of it while it is held.
TEST_F(AppTest, StreamsCompletionsAsOpenAiDoes) {
  start();
  control_.hold("一二");
  RawClient client(http_->port());
  client.send(post_request("/v1/completions", R"({"prompt":["一二三四","b"],"stream":true,)"
                                              R"("stream_options":{"include_usage":true}})"));
  ASSERT_TRUE(eventually([&] {
    return client.buffered().find("re: 一") != std::string::npos || !client.read_more(10'000);
  }));
  EXPECT_EQ(client.buffered().find("DONE"), std::string::npos);
  control_.release("一二");
  const RawResponse stream = client.read();
  EXPECT_EQ(stream.header("Content-Type"), "text/event-stream");
  std::map<int, std::string> texts;
  std::map<int, std::string> reasons;
  Json last;
  for (size_t at = 0; (at = stream.body.find("data: {", at)) != std::string::npos; ++at) {
    last = Json::parse(stream.body.substr(at + 6, stream.body.find('\n', at) - at - 6));
    EXPECT_TRUE(last.contains("usage"));
    for (const Json& choice : last["choices"]) {
      EXPECT_TRUE(last["usage"].is_null());
      texts[choice["index"]] += choice["text"];
      if (!choice["finish_reason"].is_null()) reasons[choice["index"]] = choice["finish_reason"];
    }
  }
  EXPECT_EQ(texts, (std::map<int, std::string>{{0, "re: 一二三四"}, {1, "re: b"}}));
  EXPECT_EQ(reasons, (std::map<int, std::string>{{0, "stop"}, {1, "stop"}}));
  EXPECT_TRUE(last["choices"].empty());
  EXPECT_EQ(last["usage"]["total_tokens"], 10);
  EXPECT_TRUE(stream.body.ends_with("data: [DONE]\n\n"));
  const RawResponse plain = post("/v1/completions", {{"prompt", "a"}, {"stream", true}});
  EXPECT_EQ(plain.body.find("usage"), std::string::npos);
  EXPECT_TRUE(plain.body.ends_with("data: [DONE]\n\n"));
  // What fails before its first piece has a status of its own.
  EXPECT_EQ(post("/v1/completions", {{"prompt", "a"}, {"stream", true}, {"n", 2}}).status, 400);
}

TEST_F(AppTest, StreamsFreePromptsAsTheyAreWritten) {
  start();
  control_.hold("你好");
  RawClient client(http_->port());
  client.send(
      post_request("/generate", R"({"text":"你好，世界"})", "Accept: text/event-stream\r\n"));
  const std::string half = "event: text\ndata: {\"text\":\"re: 你\"}";
  ASSERT_TRUE(eventually([&] {
    return client.buffered().find(half) != std::string::npos || !client.read_more(10'000);
  }));
  control_.release("你好");
  const RawResponse response = client.read();
  size_t at = 0;
  for (const char* event :
       {"event: stage\ndata: {\"name\":\"queue\"", half.c_str(),
        "event: text\ndata: {\"text\":\"好，世界\"}", "event: stage\ndata: {\"name\":\"decide\"",
        "event: stage\ndata: {\"name\":\"normalize\"", "event: result\ndata: {\"success\":true"}) {
    at = response.body.find(event, at);
    ASSERT_NE(at, std::string::npos) << event << " in " << response.body;
  }
}

TEST_F(AppTest, TellsOfOneModelByItsName) {
  start();
  EXPECT_EQ(Json::parse(get("/v1/models/fake").body)["id"], "fake");
  EXPECT_EQ(Json::parse(get("/v1/models/fake").body)["object"], "model");
  const RawResponse other = get("/v1/models/gpt-4");
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(error_of(other)["param"], "model");
}

TEST_F(AppTest, EndsConnectionsWhileItDrains) {
  start();
  RawClient client(http_->port());
  client.send(post_request("/extract", kExtract.dump()));
  EXPECT_EQ(client.read().header("Connection"), "");
  app_->set_draining();
  client.send(post_request("/extract", kExtract.dump()));
  const RawResponse refused = client.read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Connection"), "close");
  EXPECT_NE(refused.header("Retry-After"), "");
  client.finish_sending();
  EXPECT_TRUE(client.closed_by_peer());
  const RawResponse job = post("/extract/async", kExtract);
  EXPECT_EQ(job.header("Connection"), "close");
}

TEST_F(AppTest, SendsEventsToWhoAsksForThem) {
  start();
  const RawResponse response = post("/extract", kExtract, "Accept: text/event-stream\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "text/event-stream");
  size_t at = 0;
  for (const char* event :
       {"event: stage\ndata: {\"name\":\"queue\"",
        "event: field\ndata: "
        "{\"label\":\"姓名\",\"values\":[]}",
        "event: stage\ndata: {\"name\":\"decide\",\"ms\":2",
        "event: stage\ndata: {\"name\":\"normalize\",\"ms\":3", "event: result\ndata: {"}) {
    at = response.body.find(event, at);
    ASSERT_NE(at, std::string::npos) << event << " in " << response.body;
  }
  const std::string read = "event: stage\ndata: {\"name\":\"read\",\"ms\":1";
  const size_t told = response.body.find(read);
  ASSERT_NE(told, std::string::npos);
  EXPECT_EQ(response.body.find(read, told + 1), std::string::npos) << "once";
  const RawResponse failed =
      post("/extract", {{"text", "fail"}, {"labels", {"姓名"}}}, "Accept: text/event-stream\r\n");
  EXPECT_NE(failed.body.find("event: error\ndata: {\"error\":{\"code\":500"), std::string::npos);
}

struct BadRequest {
  const char* name;
  const char* path;
  const char* body;
  int status;
  const char* param;
};

class BadRequests : public AppTest, public testing::WithParamInterface<BadRequest> {};

TEST_P(BadRequests, NameTheField) {
  start();
  const RawResponse response = post_text(GetParam().path, GetParam().body);
  EXPECT_EQ(response.status, GetParam().status) << response.body;
  const Json error = error_of(response);
  EXPECT_EQ(error["code"], GetParam().status);
  EXPECT_TRUE(error["message"].is_string());
  EXPECT_EQ(error["trace_id"], response.header("X-Request-ID"));
  EXPECT_EQ(error.value("param", ""), GetParam().param);
}

const BadRequest kBadRequests[] = {
    {"NoBody", "/extract", "", 400, "body"},
    {"NotJson", "/extract", "{", 400, ""},
    {"NoObject", "/extract", "[]", 400, "body"},
    {"NoText", "/extract", R"({"labels":["a"]})", 400, "text"},
    {"TextNoString", "/extract", R"({"text":1,"labels":["a"]})", 400, "text"},
    {"EmptyText", "/extract", R"({"text":" ","labels":["a"]})", 400, "text"},
    {"UnknownField", "/extract", R"({"text":"a","labels":["a"],"lables":1})", 400, "lables"},
    {"FieldOfOthers", "/extract", R"({"text":"a","labels":["a"],"multi":true})", 400, "multi"},
    {"Twice", "/extract", R"({"text":"a","labels":["a"],"text":"b"})", 400, "text"},
    {"LabelNoName", "/extract", R"({"text":"a","labels":["a",7]})", 400, "labels[1]"},
    {"LabelTwice", "/extract", R"({"text":"a","labels":["a","A"]})", 400, "labels[1]"},
    {"LabelField", "/extract", R"({"text":"a","labels":[{"name":"a","nme":1}]})", 400,
     "labels[0].nme"},
    {"Pattern", "/extract", R"({"text":"a","labels":[{"name":"a","pattern":"("}]})", 422,
     "labels[0].pattern"},
    {"Range", "/extract", R"({"text":"a","labels":["a"],"min_confidence":2})", 400,
     "min_confidence"},
    {"Degrade", "/extract", R"({"text":"a","labels":["a"],"degrade":"no"})", 400, "degrade"},
    {"Timeout", "/extract", R"({"text":"a","labels":["a"],"timeout_ms":0})", 400, "timeout_ms"},
    {"TimeoutFraction", "/extract", R"({"text":"a","labels":["a"],"timeout_ms":1.5})", 400,
     "timeout_ms"},
    {"Tokens", "/generate", R"({"text":"a","max_new_tokens":0})", 400, "max_new_tokens"},
    {"Prompt", "/v1/completions", R"({"prompt":[1,2]})", 400, "prompt"},
    {"Choices", "/v1/completions", R"({"prompt":"a","n":2})", 400, "n"},
    {"BestOf", "/v1/completions", R"({"prompt":"a","best_of":3})", 400, "best_of"},
    {"StreamOptions", "/v1/completions",
     R"({"prompt":"a","stream_options":{"include_usage":true}})", 400, "stream_options"},
    {"IncludeUsage", "/v1/completions",
     R"({"prompt":"a","stream":true,"stream_options":{"include_usage":1}})", 400,
     "stream_options.include_usage"},
    {"NoItems", "/extract/batch", R"({"labels":["a"]})", 400, "items"},
    {"EmptyItems", "/extract/batch", R"({"items":[],"labels":["a"]})", 400, "items"},
    {"TextBesideItems", "/extract/batch", R"({"items":[{"text":"a"}],"text":"b"})", 400, "text"},
    {"BadUtf8", "/extract", "{\"text\":\"\xff\",\"labels\":[\"a\"]}", 400, ""},
};
INSTANTIATE_TEST_SUITE_P(All, BadRequests, testing::ValuesIn(kBadRequests),
                         [](const auto& info) { return info.param.name; });

TEST_F(AppTest, RefusesDeepAndWideJson) {
  start();
  EXPECT_EQ(post_text("/extract", std::string(100'000, '[')).status, 400);
  std::string wide = "{";
  for (int i = 0; i < 200'000; ++i) wide += "\"k" + std::to_string(i) + "\":1,";
  wide += "\"text\":\"a\"}";
  EXPECT_EQ(post_text("/extract", wide).status, 400);
}

TEST_F(AppTest, KnowsItsPathsAndMethods) {
  start();
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(error_of(get("/nothing"))["type"], "not_found");
  const RawResponse wrong = get("/extract");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "POST, OPTIONS");
  EXPECT_EQ(ask(http_->port(), "PUT /health HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")
                .header("Allow"),
            "GET, HEAD, OPTIONS");
  const RawResponse options = ask(http_->port(), "OPTIONS /jobs/abc HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, DELETE, OPTIONS");
  RawClient client(http_->port());
  client.send("HEAD /health HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.read(false).status, 200);
}

TEST_F(AppTest, TakesPathsWithAndWithoutTheRoot) {
  AppOptions options;
  options.root_path = "/ai";
  start(options);
  EXPECT_EQ(get("/ai/health").status, 200);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/aihealth").status, 404);
  EXPECT_EQ(get("/ai/").status, 200);
  EXPECT_EQ(get("/ai").status, 308) << "the page's links are relative";
  EXPECT_EQ(get("/ai").header("Location"), "/ai/");
}

TEST_F(AppTest, AsksForAKeyWhenThereAreKeys) {
  const std::string key = add_key(path("keys"), "firm", std::nullopt).value();
  const std::string slow = add_key(path("keys"), "slow", 1).value();
  AppSecrets secrets;
  secrets.keys = std::make_shared<const KeyRing>(KeyRing::load(path("keys")).value());
  start({}, {}, secrets);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/ready").status, 200);
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get("/metrics").status, 401);
  const RawResponse refused = post("/extract", kExtract);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(post("/extract", kExtract, "Authorization: Bearer wrong\r\n").status, 401);
  EXPECT_EQ(post("/extract", kExtract, "Authorization: Bearer " + key + "\r\n").status, 200);
  EXPECT_EQ(post("/extract", kExtract, "Authorization: Bearer " + slow + "\r\n").status, 200);
  const RawResponse limited = post("/extract", kExtract, "Authorization: Bearer " + slow + "\r\n");
  EXPECT_EQ(limited.status, 429);
  EXPECT_GE(std::stoi(limited.header("Retry-After")), 1);
  EXPECT_EQ(post("/extract", kExtract, "Authorization: bearer  " + key + "\r\n").status, 200);
  EXPECT_EQ(post("/extract", kExtract, "Authorization: Bearer" + key + "\r\n").status, 401);
  app_->set_secrets({});
  EXPECT_EQ(get("/metrics").status, 200);
}

TEST_F(AppTest, AKeyFileWithoutKeysLetsNobodyIn) {
  AppSecrets secrets;
  secrets.keys = std::make_shared<const KeyRing>();
  start({}, {}, secrets);
  EXPECT_EQ(get("/metrics").status, 401);
  EXPECT_EQ(get("/health").status, 200);
}

TEST_F(AppTest, PageFilesHaveTheirMethods) {
  start();
  const RawResponse wrong =
      ask(http_->port(), "PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask(http_->port(), "OPTIONS / HTTP/1.1\r\nHost: t\r\n\r\n").status, 204);
}

}  // namespace
}  // namespace seqgpt
