// SPDX-License-Identifier: Apache-2.0
// The SQLite queue under kill -9, full disks, damage, and a search of its files for texts.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>

#include "store/job_store.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

std::unique_ptr<JobStore> open_store(const std::string& directory, const SecretKey& key,
                                     const QueueOptions& options = {}) {
  Result<std::unique_ptr<JobStore>> opened = JobStore::open(directory, Vault(key), options);
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  return opened.ok() ? std::move(*opened) : nullptr;
}

NewJob job_of(std::vector<std::string> items) {
  NewJob job;
  job.kind = "extract";
  job.options = "plantedoptions";
  job.items = std::move(items);
  return job;
}

std::string all_files(const std::string& directory) {
  std::string bytes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) bytes += read_file(entry.path());
  return bytes;
}

TEST(JobStore, EachItemHasOneOutcomeHoweverOftenTheProcessIsKilled) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  constexpr int kItems = 60;
  std::vector<std::string> texts;
  for (int i = 0; i < kItems; ++i) texts.push_back("text" + std::to_string(i));
  QueueOptions options;
  options.max_attempts = 1000;  // nothing here is the items' fault
  const std::string id = open_store(directory.file("jobs"), key)->create(job_of(texts))->id;
  std::mt19937 random(7);
  int kills = 0;
  for (bool done = false; !done;) {
    const pid_t worker = fork();
    if (worker == 0) {
      const auto store = open_store(directory.file("jobs"), key, options);
      while (true) {
        const auto items = store->claim(3);
        if (!items.ok() || items->empty()) _exit(items.ok() ? 0 : 1);
        for (const WorkItem& item : *items) {
          usleep(1000);
          if (!store->complete(item, ItemOutcome::kDone, "R" + item.payload).ok()) _exit(1);
        }
      }
    }
    usleep(20'000 + random() % 60'000);
    kill(worker, SIGKILL);
    int status = 0;
    waitpid(worker, &status, 0);
    if (WIFSIGNALED(status)) ++kills;
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      done = true;
    }
    ASSERT_LT(kills, 2000);
  }
  const auto store = open_store(directory.file("jobs"), key);
  const Result<ResultPage> page = store->results(id, "", 0, kItems);
  ASSERT_EQ(page->results.size(), static_cast<size_t>(kItems));
  for (int i = 0; i < kItems; ++i)
    EXPECT_EQ(page->results[static_cast<size_t>(i)].payload, "Rtext" + std::to_string(i));
  EXPECT_EQ(store->get(id, "")->state, JobState::kDone);
  EXPECT_GT(kills, 0);
}

TEST(JobStore, NoTextIsOnTheDiskInTheClear) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  auto store = open_store(directory.file("jobs"), key);
  NewJob job = job_of({"plantedtext一", "plantedtext二"});
  job.idempotency_key = "plantedkey";
  job.request = "plantedrequest";
  store->create(job).value();
  const auto items = store->claim(1);
  ASSERT_TRUE(store->complete(items->at(0), ItemOutcome::kDone, "plantedresult").ok());
  const std::string bytes = all_files(directory.file("jobs"));
  EXPECT_EQ(bytes.find("planted"), std::string::npos);
  EXPECT_NE(bytes.find("extract"), std::string::npos);  // the search can find
}

TEST(JobStore, WhatExpiredLeavesNoBytes) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  UnixMs now = 1'000'000;
  QueueOptions options;
  options.clock = [&] { return now; };
  const auto store = open_store(directory.file("jobs"), key, options);
  NewJob job = job_of({std::string(20'000, 'x')});
  job.keep = std::chrono::seconds(1);
  const std::string id = store->create(job)->id;
  const std::string file = directory.file("jobs/jobs.sqlite3");
  ASSERT_NE((read_file(file) + read_file(file + "-wal")).find(id), std::string::npos);
  ASSERT_TRUE(
      store->complete(store->claim(1)->at(0), ItemOutcome::kDone, std::string(9'000, 'r')).ok());
  now += 1001;
  ASSERT_EQ(*store->sweep(), 1U);
  EXPECT_EQ(read_file(file + "-wal").size(), 0U);
  const std::string bytes = read_file(file);
  EXPECT_EQ(bytes.find(id), std::string::npos);
  // Ciphertext is random: pages that held 29,000 bytes of it are zero or gone.
  EXPECT_LT(bytes.size() - static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\0')),
            9'000U);
}

TEST(JobStore, FilesAreTheOperatorsAlone) {
  const TemporaryDirectory directory;
  const auto store = open_store(directory.file("jobs"), SecretKey::random());
  store->create(job_of({"a"})).value();
  for (const char* name : {"jobs/jobs.sqlite3", "jobs/jobs.sqlite3-wal"}) {
    struct stat facts{};
    ASSERT_EQ(stat(directory.file(name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 0777U, 0600U) << name;
  }
}

TEST(JobStore, ASecondProcessIsTurnedAway) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  const auto store = open_store(directory.file("jobs"), key);
  const auto second = JobStore::open(directory.file("jobs"), Vault(key), {});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
}

TEST(JobStore, AFullStoreRefusesAndGoesOn) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  QueueOptions options;
  options.max_store_bytes = 256 << 10;
  const auto store = open_store(directory.file("jobs"), key, options);
  const std::string id = store->create(job_of({"small"}))->id;
  const Result<CreatedJob> refused = store->create(job_of({std::string(1 << 20, 'x')}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.error().message.find("cannot grow"), std::string::npos);
  EXPECT_EQ(store->depth()->open_jobs, 1U);  // nothing half made
  ASSERT_TRUE(store->complete(store->claim(1)->at(0), ItemOutcome::kDone, "r").ok());
  EXPECT_EQ(store->get(id, "")->state, JobState::kDone);
}

TEST(JobStore, ADamagedFileIsNamed) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  open_store(directory.file("jobs"), key)->create(job_of({"a"})).value();
  std::string bytes = read_file(directory.file("jobs/jobs.sqlite3"));
  std::string broken = bytes;
  for (size_t i = 4096 + 8; i < broken.size(); i += 3) broken[i] = '\x5a';
  directory.write("jobs/jobs.sqlite3", broken);
  auto opened = JobStore::open(directory.file("jobs"), Vault(key), {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kBadFile);
  EXPECT_NE(opened.error().message.find("damaged"), std::string::npos);
  directory.write("jobs/jobs.sqlite3", "this is no database at all, but a text of some length");
  opened = JobStore::open(directory.file("jobs"), Vault(key), {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kBadFile);
}

void expect_damage_told(const std::string& directory, const SecretKey& key) {
  const auto opened = JobStore::open(directory, Vault(key), {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kBadFile);
  const std::string& message = opened.error().message;
  EXPECT_NE(message.find(directory + "/jobs.sqlite3 is damaged ("), std::string::npos) << message;
  EXPECT_TRUE(
      message.ends_with("): move it and its -wal file away and start again; its jobs are "
                        "lost"))
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(JobStore, ADamagedFileSaysWhatToDo) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  const std::string jobs = directory.file("jobs");
  open_store(jobs, key)->create(job_of({"a", std::string(9'000, 'b')})).value();
  const std::string whole = read_file(jobs + "/jobs.sqlite3");
  const auto with = [&](size_t at, const std::string& bytes) {
    std::string broken = whole;
    broken.replace(at, bytes.size(), bytes);
    return broken;
  };
  const std::string damages[] = {
      with(0, "no database"),            // its name
      with(44, std::string(4, '\x7f')),  // the format of its schema
      with(36, std::string(4, '\x01')),  // the count of free pages: quick_check finds it
      with(4096, std::string(4096, '\0')),
      with(8192, std::string(4096, 'x')),
      whole.substr(0, whole.size() / 2),
      whole.substr(0, 700),
  };
  for (const std::string& damage : damages) {
    SCOPED_TRACE(&damage - damages);
    directory.write("jobs/jobs.sqlite3", damage);
    expect_damage_told(jobs, key);
  }
  std::filesystem::remove(jobs + "/jobs.sqlite3");
  ASSERT_TRUE((*Database::open(jobs + "/jobs.sqlite3"))->run("PRAGMA user_version = 1").ok());
  expect_damage_told(jobs, key);  // a database, but not ours
}

TEST(JobStore, ABlobThatDoesNotOpenEndsItsItemAlone) {
  const TemporaryDirectory directory;
  const SecretKey key = SecretKey::random();
  const std::string id = open_store(directory.file("jobs"), key)->create(job_of({"a", "b"}))->id;
  {
    auto database = Database::open(directory.file("jobs/jobs.sqlite3"));
    ASSERT_TRUE((*database)
                    ->run("UPDATE items SET text = ? WHERE idx = 0", Blob{std::string(80, 'z')})
                    .ok());
  }
  const auto store = open_store(directory.file("jobs"), key);
  const auto items = store->claim(5);
  ASSERT_EQ(items->size(), 1U);
  EXPECT_EQ(items->at(0).payload, "b");
  ASSERT_TRUE(store->complete(items->at(0), ItemOutcome::kDone, "r").ok());
  EXPECT_EQ(store->get(id, "")->state, JobState::kDone);
  EXPECT_EQ(store->results(id, "", 0, 5)->results.at(0).outcome, ItemOutcome::kCrashed);
}

}  // namespace
}  // namespace seqgpt
