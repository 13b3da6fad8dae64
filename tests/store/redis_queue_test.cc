// SPDX-License-Identifier: Apache-2.0
// The shared queue with two worker processes, one killed in mid-run, and a server that goes away.
#include <gtest/gtest.h>

#include "store/redis_queue.h"
#include "store/redis_server.h"

namespace seqgpt {
namespace {

std::unique_ptr<RedisQueue> open_queue(const RedisServer& server, const SecretKey& key,
                                       std::chrono::milliseconds lease) {
  QueueOptions options;
  options.lease = lease;
  options.max_attempts = 10;
  auto opened = RedisQueue::open(*parse_redis_address(server.url()), Vault(key), options);
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  return opened.ok() ? std::move(*opened) : nullptr;
}

NewJob job_of(int items, const std::string& name) {
  NewJob job;
  job.kind = "extract";
  for (int i = 0; i < items; ++i) job.items.push_back("planted" + name + std::to_string(i));
  return job;
}

/// Works until there has been nothing to do for a second; its answers say who gave them.
void work(const RedisServer& server, const SecretKey& key, const std::string& name) {
  const auto queue = open_queue(server, key, std::chrono::milliseconds(500));
  for (int idle = 0; idle < 100;) {
    const auto items = queue->claim(4);
    if (!items.ok()) _exit(1);
    idle = items->empty() ? idle + 1 : 0;
    if (items->empty()) usleep(20'000);
    for (const WorkItem& item : *items) {
      usleep(3000);
      if (!queue->keep_alive().ok()) _exit(1);
      if (!queue->complete(item, ItemOutcome::kDone, item.payload + " by " + name).ok()) _exit(1);
    }
  }
  _exit(0);
}

pid_t start_worker(const RedisServer& server, const SecretKey& key, const std::string& name) {
  const pid_t pid = fork();
  if (pid == 0) work(server, key, name);
  return pid;
}

TEST(RedisQueue, TwoWorkersOneKilledNothingLostOrDoneTwice) {
  const RedisServer server;
  const SecretKey key = SecretKey::random();
  const auto queue = open_queue(server, key, std::chrono::milliseconds(500));
  constexpr int kItems = 120;
  const std::string first = queue->create(job_of(kItems, "a"))->id;
  const std::string second = queue->create(job_of(kItems, "b"))->id;
  const pid_t doomed = start_worker(server, key, "doomed");
  const pid_t other = start_worker(server, key, "other");
  while (queue->get(first, "")->finished_items < 30) usleep(1000);
  kill(doomed, SIGKILL);
  waitpid(doomed, nullptr, 0);
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  int by_doomed = 0;
  for (const auto& [id, name] : {std::pair(first, "a"), std::pair(second, "b")}) {
    const Result<JobView> view = queue->get(id, "");
    EXPECT_EQ(view->state, JobState::kDone);
    EXPECT_EQ(view->finished_items, static_cast<size_t>(kItems));
    const Result<ResultPage> page = queue->results(id, "", 0, 1000);
    ASSERT_EQ(page->results.size(), static_cast<size_t>(kItems));
    for (int i = 0; i < kItems; ++i) {
      const std::string& payload = page->results[static_cast<size_t>(i)].payload;
      EXPECT_TRUE(payload.starts_with(std::string("planted") + name + std::to_string(i) + " by "));
      if (payload.ends_with("doomed")) ++by_doomed;
    }
  }
  EXPECT_GT(by_doomed, 0);
  EXPECT_LT(by_doomed, 2 * kItems);
  EXPECT_EQ(queue->depth()->running_items, 0U);
}

TEST(RedisQueue, KeepAliveHoldsAnItemBeyondItsLease) {
  const RedisServer server;
  const SecretKey key = SecretKey::random();
  const auto slow = open_queue(server, key, std::chrono::milliseconds(300));
  const auto eager = open_queue(server, key, std::chrono::milliseconds(300));
  slow->create(job_of(1, "a")).value();
  const auto items = slow->claim(1);
  ASSERT_EQ(items->size(), 1U);
  for (int i = 0; i < 8; ++i) {
    usleep(100'000);
    ASSERT_TRUE(slow->keep_alive().ok());
    EXPECT_TRUE(eager->claim(1)->empty());
  }
  usleep(400'000);
  const auto taken = eager->claim(1);
  ASSERT_EQ(taken->size(), 1U);
  ASSERT_TRUE(slow->keep_alive().ok());  // too late: it does not take the item back
  EXPECT_TRUE(*slow->complete(items->at(0), ItemOutcome::kDone, "slow"));
  EXPECT_FALSE(*eager->complete(taken->at(0), ItemOutcome::kDone, "eager"));
}

TEST(RedisQueue, NothingIsInTheClearOnTheServersDisk) {
  const RedisServer server;
  const SecretKey key = SecretKey::random();
  const auto queue = open_queue(server, key, std::chrono::seconds(60));
  NewJob job = job_of(3, "a");
  job.options = "plantedoptions";
  job.idempotency_key = "plantedkey";
  queue->create(job).value();
  ASSERT_TRUE(queue->complete(queue->claim(1)->at(0), ItemOutcome::kDone, "plantedresult").ok());
  RedisClient client(*parse_redis_address(server.url()));
  ASSERT_TRUE(client.command({"SAVE"}).ok());
  ASSERT_TRUE(client.command({"CONFIG", "SET", "appendfsync", "always"}).ok());
  std::string bytes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.file("")))
    if (entry.is_regular_file()) bytes += read_file(entry.path());
  EXPECT_EQ(bytes.find("planted"), std::string::npos);
  EXPECT_NE(bytes.find("extract"), std::string::npos);
}

TEST(RedisQueue, AServerThatGoesAwayIsAnErrorAndComesBack) {
  RedisServer server;
  const SecretKey key = SecretKey::random();
  const auto queue = open_queue(server, key, std::chrono::seconds(60));
  const std::string id = queue->create(job_of(2, "a"))->id;
  server.stop();
  const auto away = queue->get(id, "");
  ASSERT_FALSE(away.ok());
  EXPECT_EQ(away.error().code, ErrorCode::kIo);
  EXPECT_NE(away.error().message.find("is it running"), std::string::npos);
  server.start();
  EXPECT_EQ(queue->get(id, "")->state, JobState::kQueued);
  EXPECT_EQ(queue->claim(5)->size(), 2U);
}

TEST(RedisQueue, AnEmptiedServerStartsAfresh) {
  const RedisServer server;
  const SecretKey key = SecretKey::random();
  const auto queue = open_queue(server, key, std::chrono::seconds(60));
  const std::string lost = queue->create(job_of(2, "a"))->id;
  RedisClient client(*parse_redis_address(server.url()));
  ASSERT_TRUE(client.command({"FLUSHALL"}).ok());
  EXPECT_EQ(queue->get(lost, "").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(queue->claim(1)->empty());
  queue->create(job_of(1, "b")).value();
  EXPECT_EQ(queue->claim(1)->size(), 1U);
}

TEST(RedisAddress, IsParsedStrictly) {
  const auto address = parse_redis_address("redis://u:p%40@[::1]:7000/3");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 7000);
  EXPECT_EQ(address->database, 3);
  EXPECT_EQ(address->user, "u");
  EXPECT_EQ(address->shown().find('p'), std::string::npos);
  EXPECT_EQ(parse_redis_address("redis://h")->port, 6379);
  EXPECT_EQ(parse_redis_address("unix:///run/r.sock?db=2")->database, 2);
  for (const char* bad : {"redis://", "redis://h:0", "redis://h:99999", "redis://h/x", "http://h",
                          "unix://relative", "unix:///a?db=-1", "redis://secret@:1/"}) {
    const auto refused = parse_redis_address(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace seqgpt
