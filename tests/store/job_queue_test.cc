// SPDX-License-Identifier: Apache-2.0
// One body of tests over both job queues: SQLite and a real Redis server.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include "store/job_queue.h"
#include "store/redis_server.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

enum class Kind { kSqlite, kRedis };

constexpr std::chrono::seconds kKeep{3};

NewJob job_of(std::vector<std::string> items, const std::string& owner = "") {
  NewJob job;
  job.kind = "extract";
  job.owner = owner;
  job.options = "{\"labels\": [\"姓名\"]}";
  job.items = std::move(items);
  return job;
}

class Queues : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kRedis) server_ = std::make_unique<RedisServer>();
    options_.clock = [this] { return system_unix_ms() + ahead_; };
    options_.lease = std::chrono::milliseconds(300);
    open();
  }

  /// As after a kill -9: what this process claimed is left behind.
  void open() {
    queue_.reset();
    Result<std::unique_ptr<JobQueue>> opened =
        open_job_queue(server_ ? server_->url() : directory_.file("jobs"), Vault(key_), options_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    queue_ = std::move(*opened);
  }
  void let_lease_end() const {
    if (server_) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  /// Redis keeps its own time.
  void let_expire() {
    if (server_) std::this_thread::sleep_for(kKeep + std::chrono::milliseconds(200));
    ahead_ += 4000;
  }

  std::string create(const NewJob& job) {
    const Result<CreatedJob> created = queue_->create(job);
    EXPECT_TRUE(created.ok()) << created.error().message;
    return created.ok() ? created->id : "";
  }
  std::vector<WorkItem> claim(size_t max) {
    Result<std::vector<WorkItem>> items = queue_->claim(max);
    EXPECT_TRUE(items.ok()) << items.error().message;
    return items.ok() ? std::move(*items) : std::vector<WorkItem>{};
  }
  bool complete(const WorkItem& item, const std::string& payload,
                ItemOutcome outcome = ItemOutcome::kDone) {
    const Result<bool> done = queue_->complete(item, outcome, payload);
    EXPECT_TRUE(done.ok()) << done.error().message;
    return done.ok() && *done;
  }

  const SecretKey key_ = SecretKey::random();
  TemporaryDirectory directory_;
  std::unique_ptr<RedisServer> server_;
  QueueOptions options_;
  UnixMs ahead_ = 0;
  std::unique_ptr<JobQueue> queue_;
};

TEST_P(Queues, AJobGoesFromQueuedToDone) {
  const std::string id = create(job_of({"甲", "乙"}));
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(queue_->get(id, "")->state, JobState::kQueued);
  const std::vector<WorkItem> items = claim(9);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].payload, "甲");
  EXPECT_EQ(items[1].payload, "乙");
  EXPECT_EQ(items[1].index, 1U);
  EXPECT_EQ(items[0].options, "{\"labels\": [\"姓名\"]}");
  EXPECT_EQ(items[0].kind, "extract");
  EXPECT_EQ(queue_->get(id, "")->state, JobState::kRunning);
  EXPECT_TRUE(complete(items[1], "结果乙", ItemOutcome::kFailed));
  EXPECT_TRUE(queue_->results(id, "", 0, 9)->results.empty());  // no gaps
  EXPECT_TRUE(complete(items[0], "结果甲"));
  const Result<JobView> view = queue_->get(id, "");
  EXPECT_EQ(view->state, JobState::kDone);
  EXPECT_EQ(view->finished_items, 2U);
  EXPECT_EQ(view->failed_items, 1U);
  EXPECT_GT(view->expires, view->finished);
  const Result<ResultPage> page = queue_->results(id, "", 0, 9);
  ASSERT_EQ(page->results.size(), 2U);
  EXPECT_EQ(page->results[0].payload, "结果甲");
  EXPECT_EQ(page->results[1].payload, "结果乙");
  EXPECT_EQ(page->results[1].outcome, ItemOutcome::kFailed);
  EXPECT_FALSE(page->more);
}

TEST_P(Queues, AnOutcomeIsRecordedOnce) {
  const std::string id = create(job_of({"a", "b"}));
  const std::vector<WorkItem> items = claim(1);
  EXPECT_TRUE(complete(items.at(0), "first"));
  EXPECT_FALSE(complete(items.at(0), "second"));
  EXPECT_FALSE(complete(items.at(0), "third", ItemOutcome::kFailed));
  EXPECT_EQ(queue_->results(id, "", 0, 9)->results.at(0).payload, "first");
  EXPECT_EQ(queue_->get(id, "")->finished_items, 1U);
  EXPECT_EQ(queue_->get(id, "")->failed_items, 0U);
}

TEST_P(Queues, AllFailedIsFailed) {
  const std::string id = create(job_of({"a"}));
  EXPECT_TRUE(complete(claim(1).at(0), "{error}", ItemOutcome::kFailed));
  EXPECT_EQ(queue_->get(id, "")->state, JobState::kFailed);
}

TEST_P(Queues, JobsAreServedInTurnInOrderOfSubmission) {
  const std::string big = create(job_of({"b0", "b1", "b2", "b3", "b4", "b5"}));
  std::string served;
  for (const WorkItem& item : claim(2)) served += item.payload + " ";
  create(job_of({"c0", "c1"}));
  create(job_of({"d0"}));
  for (int i = 0; i < 7; ++i) {
    for (const WorkItem& item : claim(1)) served += item.payload + " ";
  }
  // A job of many items delays a later one by at most one item of each job before it.
  EXPECT_EQ(served, "b0 b1 b2 c0 d0 b3 c1 b4 b5 ") << big;
  EXPECT_TRUE(claim(5).empty());
}

TEST_P(Queues, AnIdempotencyKeyGivesTheSameJob) {
  NewJob job = job_of({"甲"}, "alice");
  job.idempotency_key = "order-7";
  const Result<CreatedJob> first = queue_->create(job);
  const Result<CreatedJob> again = queue_->create(job);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_FALSE(first->existing);
  EXPECT_TRUE(again->existing);
  EXPECT_EQ(first->id, again->id);
  NewJob other = job;
  other.items = {"乙"};
  const Result<CreatedJob> conflict = queue_->create(other);
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(conflict.error().param, "Idempotency-Key");
  other.owner = "bob";  // another's key of the same name is another key
  EXPECT_NE(create(other), first->id);
  EXPECT_EQ(queue_->depth()->queued_items, 2U);
}

TEST_P(Queues, TheRequestDecidesWhenGiven) {
  NewJob job = job_of({"甲"});
  job.idempotency_key = "k";
  job.request = "the body";
  const std::string id = create(job);
  job.options = "made from another clock";
  EXPECT_EQ(create(job), id);
  job.request = "another body";
  EXPECT_FALSE(queue_->create(job).ok());
}

TEST_P(Queues, AKeySeesItsOwnJobsOnly) {
  const std::string id = create(job_of({"a"}, "alice"));
  EXPECT_EQ(queue_->get(id, "bob").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue_->get(id, "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue_->results(id, "bob", 0, 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue_->cancel(id, "bob").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue_->wipe(id, "bob").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(queue_->list("bob", "", 9)->jobs.empty());
  EXPECT_EQ(queue_->list("", "", 9).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue_->get(id, "alice")->state, JobState::kQueued);
  for (const char* strange : {"", "' OR 1=1 --", "../../etc/passwd", "ABCDEF", "\xff\xfe"})
    EXPECT_EQ(queue_->get(strange, "alice").error().code, ErrorCode::kNotFound);
}

TEST_P(Queues, ListsPageNewestFirst) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(create(job_of({"a"}, "alice")));
  create(job_of({"a"}, "bob"));
  std::vector<std::string> seen;
  std::string cursor;
  int pages = 0;
  do {
    const Result<JobPage> page = queue_->list("alice", cursor, 2);
    ASSERT_TRUE(page.ok());
    for (const JobView& job : page->jobs) seen.push_back(job.id);
    cursor = page->next;
  } while (!cursor.empty() && ++pages < 9);
  EXPECT_EQ(seen, std::vector<std::string>(ids.rbegin(), ids.rend()));
  EXPECT_EQ(queue_->list("alice", "nonsense", 2).error().param, "cursor");
}

TEST_P(Queues, ResultsPageWithACursor) {
  std::vector<std::string> texts;
  for (int i = 0; i < 150; ++i) texts.push_back("text " + std::to_string(i));
  const std::string id = create(job_of(texts));
  for (const WorkItem& item : claim(200)) EXPECT_TRUE(complete(item, "R" + item.payload));
  size_t cursor = 0;
  std::vector<std::string> seen;
  for (bool more = true; more;) {
    const Result<ResultPage> page = queue_->results(id, "", cursor, 70);
    ASSERT_TRUE(page.ok());
    for (const ItemResult& result : page->results) seen.push_back(result.payload);
    cursor = page->next;
    more = page->more;
    ASSERT_LE(seen.size(), 150U);
  }
  ASSERT_EQ(seen.size(), 150U);
  EXPECT_EQ(seen[149], "Rtext 149");
  EXPECT_TRUE(queue_->results(id, "", size_t{1} << 40, 9)->results.empty());
}

TEST_P(Queues, CancelEndsAJobAndKeepsWhatWasDone) {
  const std::string id = create(job_of({"a", "b", "c"}));
  const std::vector<WorkItem> items = claim(2);
  complete(items.at(0), "done");
  const Result<JobView> view = queue_->cancel(id, "");
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->state, JobState::kCancelled);
  EXPECT_FALSE(complete(items.at(1), "too late"));
  EXPECT_TRUE(claim(5).empty());
  const Result<ResultPage> page = queue_->results(id, "", 0, 9);
  ASSERT_EQ(page->results.size(), 3U);
  EXPECT_EQ(page->results[0].payload, "done");
  EXPECT_EQ(page->results[1].outcome, ItemOutcome::kCancelled);
  EXPECT_EQ(page->results[2].outcome, ItemOutcome::kCancelled);
  EXPECT_EQ(queue_->cancel(id, "")->state, JobState::kCancelled);
  EXPECT_EQ(queue_->depth()->queued_items, 0U);
  const std::string done = create(job_of({"a"}));
  complete(claim(1).at(0), "r");
  EXPECT_EQ(queue_->cancel(done, "")->state, JobState::kDone);
}

TEST_P(Queues, ResultsExpire) {
  NewJob job = job_of({"a"}, "alice");
  job.idempotency_key = "k";
  job.keep = kKeep;
  const std::string id = create(job);
  const std::string open = create(job_of({"b"}, "alice"));
  complete(claim(1).at(0), "r");
  EXPECT_TRUE(queue_->sweep().ok());
  EXPECT_EQ(queue_->get(id, "alice")->state, JobState::kDone);
  let_expire();
  EXPECT_EQ(queue_->get(id, "alice").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*queue_->sweep(), 1U);
  EXPECT_EQ(queue_->list("alice", "", 9)->jobs.size(), 1U);
  EXPECT_EQ(queue_->get(open, "alice")->state, JobState::kQueued);  // unfinished ones stay
  EXPECT_NE(create(job), id);
}

TEST_P(Queues, WipeForgetsAtOnce) {
  const std::string id = create(job_of({"a", "b"}, "alice"));
  const std::vector<WorkItem> items = claim(1);
  EXPECT_TRUE(queue_->wipe(id, "alice").ok());
  EXPECT_EQ(queue_->get(id, "alice").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(complete(items.at(0), "r"));
  EXPECT_TRUE(claim(5).empty());
}

TEST_P(Queues, WhatAKilledProcessHadIsDoneByTheNext) {
  const std::string id = create(job_of({"a", "b", "c"}));
  complete(claim(1).at(0), "ra");
  claim(1);
  open();
  let_lease_end();
  std::vector<WorkItem> items = claim(9);
  ASSERT_EQ(items.size(), 1U);  // the one that was running comes alone
  EXPECT_EQ(items[0].payload, "b");
  EXPECT_EQ(items[0].attempt, 2);
  EXPECT_TRUE(claim(9).empty());
  complete(items[0], "rb");
  items = claim(9);
  ASSERT_EQ(items.size(), 1U);
  complete(items[0], "rc");
  EXPECT_EQ(queue_->get(id, "")->state, JobState::kDone);
  EXPECT_EQ(queue_->results(id, "", 0, 9)->results.at(1).payload, "rb");
}

TEST_P(Queues, AnItemThatKillsItsProcessIsReportedAndTakesNoOtherWithIt) {
  const std::string poison = create(job_of({"poison"}));
  const std::string innocent = create(job_of({"one", "two", "three"}));
  for (int process = 0; process < 20; ++process) {
    bool died = false;
    for (int round = 0; round < 9 && !died; ++round) {
      const std::vector<WorkItem> items = claim(3);
      for (const WorkItem& item : items) died = died || item.payload == "poison";
      if (died) break;  // before any of its fellows is done
      for (const WorkItem& item : items) EXPECT_TRUE(complete(item, "R" + item.payload));
      let_lease_end();
    }
    if (!died) break;
    open();
    let_lease_end();
    ASSERT_LT(process, 3);
  }
  EXPECT_EQ(queue_->get(poison, "")->state, JobState::kFailed);
  EXPECT_EQ(queue_->results(poison, "", 0, 9)->results.at(0).outcome, ItemOutcome::kCrashed);
  EXPECT_EQ(queue_->get(innocent, "")->state, JobState::kDone);
  EXPECT_EQ(queue_->get(innocent, "")->failed_items, 0U);
}

TEST_P(Queues, ReleasedItemsWaitAgainUntried) {
  const std::string id = create(job_of({"a", "b"}));
  const std::vector<WorkItem> items = claim(2);
  for (const WorkItem& item : items) EXPECT_TRUE(queue_->release(item).ok());
  EXPECT_EQ(queue_->depth()->queued_items, 2U);
  EXPECT_EQ(queue_->depth()->running_items, 0U);
  open();
  std::set<std::string> seen;
  for (const WorkItem& item : claim(2)) {
    EXPECT_EQ(item.attempt, 1);
    seen.insert(item.payload);
    complete(item, "r");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(queue_->get(id, "")->state, JobState::kDone);
  EXPECT_EQ(queue_->depth()->queued_items, 0U);
}

TEST_P(Queues, DepthCounts) {
  create(job_of({"a", "b", "c"}));
  create(job_of({"d"}));
  claim(2);
  const Result<QueueDepth> depth = queue_->depth();
  EXPECT_EQ(depth->queued_items, 2U);
  EXPECT_EQ(depth->running_items, 2U);
  EXPECT_EQ(depth->open_jobs, 2U);
}

TEST_P(Queues, LimitsAreNamed) {
  options_.max_items = 2;
  options_.max_item_bytes = 10;
  options_.max_job_bytes = 40;
  options_.max_open_jobs = 1;
  open();
  EXPECT_EQ(queue_->create(job_of({})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue_->create(job_of({"a", "b", "c"})).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(queue_->create(job_of({"12345678901"})).error().code, ErrorCode::kTooLarge);
  NewJob job = job_of({"1234567890"});
  job.options = std::string(50, 'o');
  EXPECT_EQ(queue_->create(job).error().code, ErrorCode::kTooLarge);
  create(job_of({"a"}));
  EXPECT_EQ(queue_->create(job_of({"a"})).error().code, ErrorCode::kOverloaded);
}

TEST_P(Queues, AnotherKeyFileIsRefused) {
  queue_.reset();
  const Result<std::unique_ptr<JobQueue>> opened = open_job_queue(
      server_ ? server_->url() : directory_.file("jobs"), Vault(SecretKey::random()), options_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("key file is not the one"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Both, Queues, testing::Values(Kind::kSqlite, Kind::kRedis),
                         [](const auto& info) {
                           return info.param == Kind::kSqlite ? "Sqlite" : "Redis";
                         });

}  // namespace
}  // namespace seqgpt
