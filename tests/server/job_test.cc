// SPDX-License-Identifier: Apache-2.0
// Jobs over HTTP, with a fake model and a real store.
#include <atomic>

#include "server/app_fixture.h"
#include "store/redis_server.h"

namespace seqgpt {
namespace {

TEST_F(AppTest, RunsJobsToTheirEnd) {
  start();
  start_jobs();
  Json items = Json::array();
  for (int i = 0; i < 30; ++i) items.push_back({{"id", i}, {"text", "t" + std::to_string(i)}});
  items[3] = {{"text", "fail"}};
  items[4] = "no object";
  const Json request = {{"items", items}, {"labels", {"姓名"}}};
  const RawResponse created = post("/extract/async", request, "Idempotency-Key: k1\r\n");
  ASSERT_EQ(created.status, 202) << created.body;
  const std::string id = Json::parse(created.body)["job_id"];
  EXPECT_EQ(Json::parse(created.body)["status_url"], "/jobs/" + id);
  EXPECT_EQ(Json::parse(post("/extract/async", request, "Idempotency-Key: k1\r\n").body)["job_id"],
            id);
  EXPECT_EQ(
      post("/extract/async", {{"text", "b"}, {"labels", {"a"}}}, "Idempotency-Key: k1\r\n").status,
      400);
  const auto status = [&] { return Json::parse(get("/jobs/" + id).body); };
  ASSERT_TRUE(eventually([&] { return status()["status"] == "done"; })) << status();
  EXPECT_EQ(status()["progress"], 1.0);
  EXPECT_EQ(status()["failed_items"], 2);
  const RawResponse page = get("/jobs/" + id + "/results?limit=20");
  EXPECT_EQ(page.header("Content-Type"), "application/x-ndjson");
  EXPECT_EQ(page.header("X-Next-Cursor"), "20");
  const RawResponse rest = get("/jobs/" + id + "/results?cursor=20");
  EXPECT_EQ(rest.header("X-Next-Cursor"), "");
  const std::string all = page.body + rest.body;
  EXPECT_EQ(std::ranges::count(all, '\n'), 30);
  const Json first = Json::parse(all.substr(0, all.find('\n')));
  EXPECT_EQ(first["index"], 0);
  EXPECT_EQ(first["id"], 0);
  EXPECT_EQ(first["success"], true);
  EXPECT_EQ(get("/jobs").status, 400);  // without keys nothing is listed
  EXPECT_EQ(get("/jobs/0123456789abcdef0123456789abcdef").status, 404);
}

TEST_F(AppTest, GivesTheResultOfAJobOfOne) {
  start();
  start_jobs();
  const auto run = [&](const Json& request) {
    const std::string id = Json::parse(post("/classify/async", request).body)["job_id"];
    Json status;
    eventually([&] {
      status = Json::parse(get("/jobs/" + id).body);
      return status["status"] == "done" || status["status"] == "failed";
    });
    return status;
  };
  EXPECT_EQ(run({{"text", "a"}, {"labels", {"甲", "乙"}}})["result"]["result"], "甲");
  EXPECT_EQ(run({{"text", "fail"}, {"labels", {"甲"}}})["error"]["code"], 500);
}

/// A queue that is away while the test says so.
class AwayQueue final : public JobQueue {
 public:
  AwayQueue(std::unique_ptr<JobQueue> queue, const std::atomic<bool>& away)
      : queue_(std::move(queue)), away_(away) {}
  Result<CreatedJob> create(const NewJob& job) override { return queue_->create(job); }
  Result<JobView> get(const std::string& id, const std::string& owner) override {
    return queue_->get(id, owner);
  }
  Result<JobPage> list(const std::string& owner, const std::string& cursor, size_t limit) override {
    return queue_->list(owner, cursor, limit);
  }
  Result<ResultPage> results(const std::string& id, const std::string& owner, size_t cursor,
                             size_t limit) override {
    return queue_->results(id, owner, cursor, limit);
  }
  Result<JobView> cancel(const std::string& id, const std::string& owner) override {
    return queue_->cancel(id, owner);
  }
  Status wipe(const std::string& id, const std::string& owner) override {
    return queue_->wipe(id, owner);
  }
  Result<std::vector<WorkItem>> claim(size_t max) override {
    if (fails()) return gone();
    return queue_->claim(max);
  }
  Result<bool> complete(const WorkItem& item, ItemOutcome outcome,
                        std::string_view payload) override {
    if (fails()) return gone();
    return queue_->complete(item, outcome, payload);
  }
  Status release(const WorkItem& item) override { return queue_->release(item); }
  Status keep_alive() override { return queue_->keep_alive(); }
  Result<size_t> sweep() override { return queue_->sweep(); }
  Result<QueueDepth> depth() override { return queue_->depth(); }
  std::atomic<int> failures{0};

 private:
  static Error gone() { return {ErrorCode::kIo, "away"}; }
  bool fails() {
    failures += away_ ? 1 : 0;
    return away_;
  }
  std::unique_ptr<JobQueue> queue_;
  const std::atomic<bool>& away_;
};

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// However often a look fails, the log says so once, and once that it is over; a result that could
/// not be put down waits.
TEST_F(AppTest, SaysOnceThatTheJobQueueIsAway) {
  std::atomic<bool> away{false};
  start();
  auto store = open_job_queue(path("jobs"), *vault_, {});
  auto made = std::make_unique<AwayQueue>(std::move(*store), away);
  AwayQueue& queue = *made;
  start_jobs(std::move(made));
  control_.hold("held");
  const std::string id =
      Json::parse(post("/extract/async", {{"text", "held"}, {"labels", {"姓名"}}}).body)["job_id"];
  ASSERT_TRUE(eventually([&] { return service_->stats().running == 1; }));
  away = true;
  control_.release("held");
  ASSERT_TRUE(eventually([&] { return queue.failures >= 4; }));
  EXPECT_EQ(Json::parse(get("/jobs/" + id).body)["status"], "running");
  away = false;
  ASSERT_TRUE(eventually([&] { return Json::parse(get("/jobs/" + id).body)["status"] == "done"; }));
  ASSERT_TRUE(eventually([&] { return count_of(read("log"), "job_queue_back") == 1; }));
  EXPECT_EQ(count_of(read("log"), "job_queue_failed"), 1U);
  EXPECT_EQ(control_.submitted_texts().size(), 2U) << "with the warm-up: computed once";
  away = true;
  ASSERT_TRUE(eventually([&] { return count_of(read("log"), "job_queue_failed") == 2; }));
  stop();
}

TEST_F(AppTest, CancelsAndWipesJobs) {
  start();
  start_jobs();
  control_.hold("held");
  const std::string id = Json::parse(
      post("/extract/async", {{"items", {{{"text", "held"}}, {{"text", "b"}}}}, {"labels", {"a"}}})
          .body)["job_id"];
  ASSERT_TRUE(eventually([&] { return service_->stats().running == 1; }));
  const std::string erase = "DELETE /jobs/" + id + " HTTP/1.1\r\nHost: t\r\n\r\n";
  EXPECT_EQ(Json::parse(ask(http_->port(), erase).body)["status"], "cancelled");
  control_.release("held");
  EXPECT_EQ(Json::parse(get("/jobs/" + id).body)["status"], "cancelled");
  EXPECT_EQ(ask(http_->port(), erase).status, 200);
  EXPECT_EQ(get("/jobs/" + id).status, 404);
}

TEST_F(AppTest, ShowsAKeyItsOwnJobsOnly) {
  const std::string one =
      "Authorization: Bearer " + add_key(path("keys"), "one", {}).value() + "\r\n";
  const std::string two =
      "Authorization: Bearer " + add_key(path("keys"), "two", {}).value() + "\r\n";
  AppSecrets secrets;
  secrets.keys = std::make_shared<const KeyRing>(KeyRing::load(path("keys")).value());
  start({}, {}, secrets);
  start_jobs();
  const std::string id =
      Json::parse(post("/extract/async", {{"text", "a"}, {"labels", {"a"}}}, one).body)["job_id"];
  EXPECT_EQ(get("/jobs/" + id, one).status, 200);
  ASSERT_TRUE(eventually([&] { return control_.submitted_owners().back() == "one"; }));
  EXPECT_EQ(get("/jobs/" + id, two).status, 404);
  EXPECT_EQ(get("/jobs/" + id).status, 401);
  EXPECT_EQ(Json::parse(get("/jobs", one).body)["jobs"].size(), 1U);
  EXPECT_EQ(Json::parse(get("/jobs", two).body)["jobs"].size(), 0U);
}

/// 503 in the one shape, without the place that is in trouble.
void expect_unavailable(const RawResponse& response, const std::string& place) {
  EXPECT_EQ(response.status, 503) << response.body;
  EXPECT_FALSE(response.header("Retry-After").empty());
  const Json error = Json::parse(response.body)["error"];
  EXPECT_EQ(error["type"], "queue_unavailable");
  EXPECT_EQ(error["code"], 503);
  EXPECT_EQ(error["message"], "the job store cannot take this now");
  EXPECT_EQ(error["trace_id"], response.header("X-Request-ID"));
  EXPECT_EQ(response.body.find(place), std::string::npos) << response.body;
}

TEST_F(AppTest, SaysThatItsJobStoreIsFull) {
  start();
  QueueOptions queue;
  queue.max_store_bytes = 256 << 10;
  start_jobs(queue);
  const Json large = {{"text", std::string(400'000, 'x')}, {"labels", {"a"}}};
  expect_unavailable(post("/extract/async", large), path(""));
  EXPECT_EQ(post("/extract/async", {{"text", "b"}, {"labels", {"a"}}}).status, 202);
  stop();
  EXPECT_NE(read("log").find(R"("job_queue_failed")"), std::string::npos);
  EXPECT_EQ(read("log").find("jobs.sqlite3"), std::string::npos);
}

TEST_F(AppTest, SaysThatItsRedisIsAway) {
  RedisServer redis;
  start();
  start_jobs(redis.url(), {});
  const Json task = {{"text", "a"}, {"labels", {"a"}}};
  const RawResponse created = post("/extract/async", task);
  ASSERT_EQ(created.status, 202) << created.body;
  const std::string url = Json::parse(created.body)["status_url"];
  redis.stop();
  const std::string place = redis.file("");
  expect_unavailable(post("/extract/async", task), place);
  expect_unavailable(get(url), place);
  expect_unavailable(get(url + "/results"), place);
  expect_unavailable(ask(http_->port(), "DELETE " + url + " HTTP/1.1\r\nHost: t\r\n\r\n"), place);
  redis.start();
  EXPECT_EQ(post("/extract/async", task).status, 202);
}

}  // namespace
}  // namespace seqgpt
