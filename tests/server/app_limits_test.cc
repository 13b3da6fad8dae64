// SPDX-License-Identifier: Apache-2.0
// Limits, batches, loading, counts, notes and traces of the server, over a fake model.
#include <algorithm>

#include "server/app_fixture.h"
#include "server/trace.h"

namespace seqgpt {
namespace {

const Json kExtract = {{"text", "王伟任CTO"}, {"labels", {"姓名", "职位"}}};

TEST_F(AppTest, RefusesWithRetryAfterWhenTheQueueIsFull) {
  ServiceOptions service;
  service.max_running = 1;
  service.max_queued = 1;
  start({}, service);
  control_.hold("held");
  RawClient running(http_->port());
  running.send(post_request("/extract", R"({"text":"held 1","labels":["a"]})"));
  ASSERT_TRUE(eventually([&] { return service_->stats().running == 1; }));
  RawClient waiting(http_->port());
  waiting.send(post_request("/extract", R"({"text":"held 2","labels":["a"]})"));
  ASSERT_TRUE(eventually([&] { return service_->stats().queued == 1; }));
  const RawResponse refused = post("/extract", {{"text", "held 3"}, {"labels", {"a"}}});
  EXPECT_EQ(refused.status, 429);
  EXPECT_GE(std::stoi(refused.header("Retry-After")), 1);
  // One that is under way already is never refused.
  RawClient same(http_->port());
  same.send(post_request("/extract", R"({"text":"held 1","labels":["a"]})"));
  ASSERT_TRUE(eventually([&] { return service_->stats().shared == 1; }));
  control_.release("held");
  for (RawClient* client : {&running, &waiting, &same}) EXPECT_EQ(client->read().status, 200);
}

/// A second key that asks what a first one's client has in flight waits as long as if it had not.
TEST_F(AppTest, OnlyRequestsOfOneKeyShareAComputation) {
  const auto key = [&](const std::string& id) {
    return "Authorization: Bearer " + add_key(path("keys"), id, {}).value() + "\r\n";
  };
  const std::string one = key("one");
  const std::string two = key("two");
  AppSecrets secrets;
  secrets.keys = std::make_shared<const KeyRing>(KeyRing::load(path("keys")).value());
  start({}, {}, secrets);
  control_.hold("held");
  std::vector<std::unique_ptr<RawClient>> clients;
  const auto send = [&](const std::string& where, const std::string& body, const std::string& who) {
    clients.push_back(std::make_unique<RawClient>(http_->port()));
    clients.back()->send(post_request(where, body, who));
  };
  size_t computations = 0;
  size_t shared = 0;
  for (const auto& [where, body] :
       {std::pair("/extract", R"({"text":"held","labels":["a"]})"),
        std::pair("/classify", R"({"text":"held","labels":["a","b"]})"),
        std::pair("/generate", R"({"text":"held"})"),
        std::pair("/v1/completions", R"({"model":"m","prompt":"held completion"})"),
        std::pair("/extract/batch", R"({"items":[{"text":"held item"}],"labels":["a"]})")}) {
    SCOPED_TRACE(where);
    send(where, body, one);
    send(where, body, two);
    computations += 2;
    ASSERT_TRUE(eventually([&] { return service_->stats().running == computations; }));
    send(where, body, one);
    ASSERT_TRUE(eventually([&] { return service_->stats().shared == shared + 1; }));
    ++shared;
    EXPECT_EQ(service_->stats().running, computations);
  }
  std::vector<std::string> owners = control_.submitted_owners();
  EXPECT_EQ(std::ranges::count(owners, "one"), 5);
  EXPECT_EQ(std::ranges::count(owners, "two"), 5);
  control_.release("held");
  for (const auto& client : clients) EXPECT_EQ(client->read().status, 200);
}

TEST_F(AppTest, TellsWhenTheDeadlineHasPassed) {
  start();
  control_.hold("held");
  const RawResponse late =
      post("/extract", {{"text", "held"}, {"labels", {"a"}}, {"timeout_ms", 30}});
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(error_of(late)["type"], "timeout");
  EXPECT_TRUE(eventually([&] { return control_.cancelled_texts().size() == 1; }));
}

TEST_F(AppTest, CallsOffTheWorkOfAClientThatLeft) {
  start();
  control_.hold("held");
  {
    RawClient client(http_->port());
    client.send(post_request("/extract", R"({"text":"held","labels":["a"]})"));
    ASSERT_TRUE(eventually([&] { return service_->stats().running == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return control_.cancelled_texts().size() == 1; }));
  {
    RawClient client(http_->port());
    client.send(post_request("/extract/batch",
                             R"({"items":[{"text":"held 1"},{"text":"held 2"}],"labels":["a"]})"));
    ASSERT_TRUE(eventually([&] { return service_->stats().running == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return control_.cancelled_texts().size() == 3; }));
}

TEST_F(AppTest, KeepsTheOrderOfABatchAndItsErrors) {
  start();
  Json items = Json::array();
  for (int i = 0; i < 40; ++i) items.push_back({{"id", i}, {"text", "t" + std::to_string(i)}});
  items[7] = {{"id", "bad"}, {"txt", "x"}};
  items[9] = {{"text", "fail"}};
  const RawResponse response = post("/extract/batch", {{"items", items}, {"labels", {"姓名"}}});
  ASSERT_EQ(response.status, 200) << response.body;
  const Json results = Json::parse(response.body)["results"];
  ASSERT_EQ(results.size(), 40U);
  EXPECT_EQ(results[39]["id"], 39);
  EXPECT_EQ(results[39]["success"], true);
  EXPECT_EQ(results[7]["id"], "bad");
  EXPECT_EQ(results[7]["error"]["param"], "items[7].txt");
  EXPECT_EQ(results[9]["error"]["code"], 500);
}

TEST_F(AppTest, GivesEachItemOfABatchItsOwnTime) {
  start();
  control_.hold("held");
  const Json body = {{"items", {{{"text", "held"}, {"timeout_ms", 30}}, {{"text", "b"}}}},
                     {"labels", {"a"}},
                     {"timeout_ms", 60'000}};
  const Json results = Json::parse(post("/extract/batch", body).body)["results"];
  EXPECT_EQ(results[0]["error"]["code"], 504);
  EXPECT_EQ(results[1]["success"], true);
}

TEST_F(AppTest, SaysThatTheModelIsBeingLoaded) {
  wait_for_model_ = false;
  control_.hold("load");
  start();
  EXPECT_EQ(get("/ready").status, 503);
  EXPECT_EQ(Json::parse(get("/health").body)["status"], "loading");
  const RawResponse refused = post("/extract", kExtract);
  EXPECT_EQ(refused.status, 503);
  EXPECT_FALSE(refused.header("Retry-After").empty());
  control_.release("load");
  ASSERT_TRUE(service_->wait_until_loaded().ok());
  EXPECT_EQ(get("/ready").status, 200);
  app_->set_draining();
  EXPECT_EQ(get("/ready").status, 503);
  EXPECT_EQ(Json::parse(get("/healthz").body)["status"], "draining");
  EXPECT_EQ(post("/extract", kExtract).status, 503);
}

TEST_F(AppTest, CountsWhatHappens) {
  start();
  post("/extract", kExtract);
  post_text("/extract", "{");
  const std::string metrics = get("/metrics").body;
  EXPECT_NE(metrics.find("seqgpt_requests_total{route=\"extract\",status=\"200\"} 1\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_requests_total{route=\"extract\",status=\"400\"} 1\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_request_duration_seconds_count{route=\"extract\"} 2\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("seqgpt_empty_results_total 1\n"), std::string::npos);
  const Json health = Json::parse(get("/health").body);
  EXPECT_EQ(health["status"], "ready");
  EXPECT_EQ(health["model"], "fake");
  EXPECT_EQ(health["latency_ms"]["overall"]["count"], 1);
  EXPECT_GT(health["memory"]["rss_bytes"], 0);
  EXPECT_TRUE(health["memory"].contains("kv_bytes_used"));
  EXPECT_EQ(Json::parse(get("/info").body)["kv"], "bf16");
  EXPECT_NE(metrics.find("seqgpt_kv_bytes 0\n"), std::string::npos);
}

TEST_F(AppTest, OpensToOtherPagesOnlyWhereTold) {
  AppOptions options;
  options.cors_origins = {"https://a.example"};
  start(options);
  EXPECT_EQ(get("/health", "Origin: https://a.example\r\n").header("Access-Control-Allow-Origin"),
            "https://a.example");
  EXPECT_EQ(get("/health", "Origin: https://b.example\r\n").header("Access-Control-Allow-Origin"),
            "");
}

TEST_F(AppTest, ServesThePageWithItsHeaders) {
  start();
  const RawResponse page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  const RawResponse again = get("/", "If-None-Match: " + page.header("ETag") + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(get("/", "Accept-Encoding: gzip\r\n").header("Content-Encoding"), "gzip");
}

/// In the form of a batch's body, with labels of its own and of an item.
Json three_texts() {
  return {{"items",
           {{{"text", "一二三"}},
            {{"text", "ab"}, {"labels", {"公司", "姓名"}}},
            {{"text", "c"}},
            {{"txt", "bad"}}}},
          {"labels", {"姓名", "职位"}}};
}

TEST_F(AppTest, AuditsAllTextsOfABatch) {
  start();
  ASSERT_EQ(post("/extract/batch", three_texts()).status, 200);
  Json swapped = three_texts();
  std::swap(swapped["items"][0], swapped["items"][2]);
  ASSERT_EQ(post("/extract/batch", swapped).status, 200);
  Json joined = three_texts();  // the same characters, cut elsewhere
  joined["items"][1]["text"] = "abc";
  joined["items"].erase(2);
  ASSERT_EQ(post("/extract/batch", joined).status, 200);
  ASSERT_EQ(post("/classify/batch", three_texts()).status, 200);
  const std::vector<AuditRecord> records = audited();
  ASSERT_EQ(records.size(), 4U);
  for (const size_t i : {0U, 3U}) {
    EXPECT_EQ(records[i].labels, (std::vector<std::string>{"姓名", "职位", "公司"}));
    EXPECT_EQ(records[i].text_characters, 6U);
    EXPECT_EQ(records[i].items, 4U);
  }
  EXPECT_EQ(records[0].text_hash.size(), 64U);
  EXPECT_EQ(records[0].text_hash, records[3].text_hash);
  EXPECT_NE(records[0].text_hash, records[1].text_hash);
  EXPECT_NE(records[0].text_hash, records[2].text_hash);
  EXPECT_NE(records[0].text_hash, vault_->text_hash("一二三"));
}

TEST_F(AppTest, AuditsAJobLikeItsTexts) {
  start();
  start_jobs();
  ASSERT_EQ(post("/extract/async", three_texts()).status, 202);
  ASSERT_EQ(post("/extract/batch", three_texts()).status, 200);
  ASSERT_EQ(post("/classify/async", {{"text", "甲乙"}, {"labels", {"a", "b"}}}).status, 202);
  const auto ended = [&] {
    return read("log").find("job_ended") != read("log").rfind("job_ended");
  };
  ASSERT_TRUE(eventually(ended));  // both
  std::vector<AuditRecord> records = audited();
  std::vector<AuditRecord> ends;
  std::erase_if(records, [&](const AuditRecord& record) {
    if (record.route == "job_ended") ends.push_back(record);
    return record.route == "job_ended";
  });
  ASSERT_EQ(ends.size(), 2U);
  if (ends[0].items == 1) std::swap(ends[0], ends[1]);
  EXPECT_EQ(ends[0].trace_id, records[0].trace_id) << "who put it down can be found";
  EXPECT_EQ(ends[0].items, 4U);
  EXPECT_EQ(ends[0].status, 200);
  EXPECT_GE(ends[0].latency_ms, 0);
  EXPECT_EQ(ends[1].trace_id, records[2].trace_id);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].route, "extract_async");
  EXPECT_EQ(records[0].labels, records[1].labels);
  EXPECT_EQ(records[0].labels.size(), 3U);
  EXPECT_EQ(records[0].text_characters, 6U);
  EXPECT_EQ(records[0].items, 4U);
  EXPECT_GT(records[0].request_bytes, 0U);
  EXPECT_EQ(records[0].text_hash, records[1].text_hash);
  EXPECT_EQ(records[2].labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(records[2].items, 1U);
  EXPECT_EQ(records[2].text_characters, 2U);
  EXPECT_EQ(records[2].text_hash, vault_->text_hash("甲乙"));
}

TEST_F(AppTest, NotesNoTextAnywhere) {
  start();
  const Json planted = {{"text", "暗号白杨树 planted-word"}, {"labels", {"姓名"}}};
  post("/extract", planted);
  post("/extract/batch", {{"items", {planted}}});
  post("/generate", {{"text", "planted-word 暗号"}});
  post_text("/extract", "{\"planted-word\": 1, \"text\": \"planted-word\"}");
  get("/planted-word?planted-word");
  post("/extract", planted, "X-Request-ID: planted word\r\n");
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  post("/extract", planted, "traceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\n");
  stop();
  const std::string log = read("log");
  EXPECT_NE(log.find("\"request\""), std::string::npos);
  EXPECT_NE(log.find(trace), std::string::npos);
  EXPECT_EQ(log.find("planted"), std::string::npos) << log;
  EXPECT_EQ(log.find("暗号"), std::string::npos);
  const std::vector<AuditRecord> records = audited();
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.back().trace_id, trace);
  EXPECT_EQ(records.back().labels, std::vector<std::string>{"姓名"});
  EXPECT_EQ(records.back().text_characters, 18U);
  EXPECT_EQ(records.back().text_hash, vault_->text_hash("暗号白杨树 planted-word"));
  for (const auto& file : std::filesystem::recursive_directory_iterator(path("audit"))) {
    if (!file.is_regular_file()) continue;
    const std::string bytes = read(std::filesystem::relative(file, path("")).string());
    EXPECT_EQ(bytes.find(trace), std::string::npos) << "the audit log is not encrypted";
  }
}

TEST(Trace, TakesOnlyWellFormedIds) {
  const auto traced = [](const char* name, const char* value) {
    HttpRequest request;
    request.headers = {{name, value}};
    return trace_id_of(request);
  };
  const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(traced("TraceParent", good.c_str()), "4bf92f3577b34da6a3ce929d0e0e4736");
  for (const char* bad : {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                          "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "x"})
    EXPECT_NE(traced("traceparent", bad), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(traced("X-Request-Id", "a.B_c-9"), "a.B_c-9");
  for (const char* bad : {"", "a b", "a\"b", "王"}) {
    EXPECT_NE(traced("X-Request-ID", bad), bad);
    EXPECT_EQ(traced("X-Request-ID", bad).size(), 32U);
  }
}

TEST(Trace, BelievesTrustedProxiesAlone) {
  HttpRequest request;
  request.peer = "10.0.0.1";
  request.headers = {{"X-Forwarded-For", "1.2.3.4, 5.6.7.8, 10.0.0.2"}};
  EXPECT_EQ(client_address(request, {}), "10.0.0.1");
  EXPECT_EQ(client_address(request, {"10.0.0.1"}), "10.0.0.2");
  EXPECT_EQ(client_address(request, {"10.0.0.1", "10.0.0.2"}), "5.6.7.8");
  request.headers = {{"X-Forwarded-For", "<script>"}};
  EXPECT_EQ(client_address(request, {"10.0.0.1"}), "10.0.0.1");
}

}  // namespace
}  // namespace seqgpt
