// SPDX-License-Identifier: Apache-2.0
// The service over a fake model: bounded, shared, called off, in time; and brown-out by a clock.
#include "server/service.h"

#include <gtest/gtest.h>

#include "server/brown_out.h"
#include "server/fake_model.h"

namespace seqgpt {
namespace {

using namespace std::chrono_literals;

class ServiceTest : public testing::Test {
 protected:
  void start(ServiceOptions options = {}) {
    service_ = std::make_unique<Service>(options, [this]() -> Result<std::unique_ptr<ServedModel>> {
      return std::unique_ptr<ServedModel>(std::make_unique<FakeModel>(control_));
    });
    ASSERT_TRUE(service_->wait_until_loaded().ok());
  }

  Order order(const std::string& text) {
    Order order;
    Task task;
    task.text = text;
    task.labels = {{"姓名", "姓名", "person"}};
    order.work = task;
    order.done = [this, text](const Finished& finished) {
      const std::lock_guard lock(mutex_);
      finished_.emplace_back(text, finished);
    };
    return order;
  }
  OrderId submit(Order order) {
    const Result<OrderId> id = service_->submit(std::move(order));
    EXPECT_TRUE(id.ok()) << id.error().message;
    return id.ok() ? *id : 0;
  }
  size_t finished_count() {
    const std::lock_guard lock(mutex_);
    return finished_.size();
  }
  bool wait_finished(size_t count) {
    return eventually([&] { return finished_count() >= count; });
  }
  bool wait_running(size_t count) {
    return eventually([&] { return service_->stats().running == count; });
  }

  FakeControl control_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, Finished>> finished_;
  std::unique_ptr<Service> service_;  // last: its thread uses the others
};

TEST_F(ServiceTest, AnswersWhatIsReadyWhateverCameBefore) {
  start();
  control_.hold("slow");
  submit(order("slow"));
  submit(order("quick"));
  ASSERT_TRUE(wait_finished(1));
  EXPECT_EQ(finished_[0].first, "quick");
  control_.release("slow");
  ASSERT_TRUE(wait_finished(2));
  EXPECT_TRUE(finished_[1].second.answer.ok());
}

TEST_F(ServiceTest, RefusesBeyondTheQueue) {
  ServiceOptions options;
  options.max_running = 1;
  options.max_queued = 2;
  start(options);
  control_.hold("a");
  submit(order("a1"));
  ASSERT_TRUE(wait_running(1));
  submit(order("a2"));
  submit(order("a3"));
  const Result<OrderId> refused = service_->submit(order("a4"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(service_->stats().rejected, 1U);
  EXPECT_GE(service_->stats().retry_after_s, 1);
  control_.release("a");
  EXPECT_TRUE(wait_finished(3));
}

TEST_F(ServiceTest, ComputesEqualOrdersOnceAndNeverRefusesThem) {
  ServiceOptions options;
  options.max_running = 1;
  options.max_queued = 1;
  start(options);
  control_.hold("same");
  const size_t before = control_.submitted_texts().size();  // the warm-up
  for (int i = 0; i < 10; ++i) {
    Order one = order("same");
    one.flight = "key";
    submit(std::move(one));
    if (i == 0) {
      ASSERT_TRUE(wait_running(1));
    }
  }
  control_.release("same");
  ASSERT_TRUE(wait_finished(10));
  EXPECT_EQ(control_.submitted_texts().size(), before + 1);
  EXPECT_EQ(service_->stats().shared, 9U);
  for (const auto& [text, finished] : finished_)
    EXPECT_EQ(finished.answer.value(), finished_[0].second.answer.value());
  Order later = order("same");
  later.flight = "key";
  submit(std::move(later));
  ASSERT_TRUE(wait_finished(11));
  EXPECT_EQ(control_.submitted_texts().size(), before + 2);
}

TEST_F(ServiceTest, CallsOffWhatNobodyWaitsFor) {
  start();
  control_.hold("x");
  Order first = order("x");
  first.flight = "key";
  Order second = order("x");
  second.flight = "key";
  const OrderId one = submit(std::move(first));
  const OrderId two = submit(std::move(second));
  ASSERT_TRUE(wait_running(1));
  service_->cancel(one);
  EXPECT_EQ(service_->stats().running, 1U);  // the other still waits
  service_->cancel(two);
  ASSERT_TRUE(eventually([&] { return control_.cancelled_texts().size() == 1; }));
  EXPECT_EQ(service_->stats().running, 0U);
  EXPECT_EQ(finished_count(), 0U);
}

TEST_F(ServiceTest, TellsWhenTheDeadlineHasPassed) {
  ServiceOptions options;
  options.max_running = 1;
  start(options);
  control_.hold("x");
  for (const char* text : {"x running", "x queued"}) {
    Order late = order(text);
    late.deadline = std::chrono::steady_clock::now() + 50ms;
    submit(std::move(late));
  }
  ASSERT_TRUE(wait_finished(2));
  EXPECT_TRUE(finished_[0].second.timed_out);
  EXPECT_TRUE(finished_[1].second.timed_out);
  EXPECT_TRUE(eventually([&] { return !control_.cancelled_texts().empty(); }));
  EXPECT_EQ(service_->stats().queued, 0U);
}

TEST_F(ServiceTest, PeopleComeBeforeTheBackground) {
  ServiceOptions options;
  options.max_running = 4;
  start(options);
  control_.hold("batch");
  for (int i = 0; i < 4; ++i) {
    Order item = order("batch");
    item.background = true;
    submit(std::move(item));
  }
  ASSERT_TRUE(wait_running(2));  // half of the places
  submit(order("person"));
  ASSERT_TRUE(wait_finished(1));
  EXPECT_EQ(finished_[0].first, "person");
  control_.release("batch");
  EXPECT_TRUE(wait_finished(5));
}

TEST_F(ServiceTest, DropsOptionalWorkOfThoseThatAllowIt) {
  ServiceOptions options;
  options.brown_out = {0ms, 0ms, 0ms, 1h};  // pressure from the first request on
  start(options);
  Order allowed = order("a");
  allowed.may_degrade = true;
  std::get<Task>(allowed.work).options.beams = 4;
  submit(std::move(allowed));
  ASSERT_TRUE(wait_finished(1));
  EXPECT_EQ(finished_[0].second.dropped, (std::vector<std::string>{"verify", "beams"}));
  EXPECT_FALSE(control_.last_verify);
  EXPECT_EQ(control_.last_beams, 1);
  submit(order("b"));
  ASSERT_TRUE(wait_finished(2));
  EXPECT_TRUE(finished_[1].second.dropped.empty());
  EXPECT_TRUE(control_.last_verify);
  EXPECT_EQ(service_->stats().degraded, 1U);
  Order windows = order("long");  // of several windows: there was a vote to leave out
  windows.may_degrade = true;
  submit(std::move(windows));
  ASSERT_TRUE(wait_finished(3));
  EXPECT_EQ(finished_[2].second.dropped, (std::vector<std::string>{"verify", "window_voting"}));
  Order classes = order("long classes");
  std::get<Task>(classes.work).kind = TaskKind::kClassify;
  classes.may_degrade = true;
  submit(std::move(classes));
  ASSERT_TRUE(wait_finished(4));
  EXPECT_EQ(finished_[3].second.dropped, std::vector<std::string>{"window_voting"});
  Order brief = order("a class");  // nothing was taken from it
  std::get<Task>(brief.work).kind = TaskKind::kClassify;
  brief.may_degrade = true;
  submit(std::move(brief));
  ASSERT_TRUE(wait_finished(5));
  EXPECT_TRUE(finished_[4].second.dropped.empty());
  EXPECT_EQ(service_->stats().degraded, 3U);
}

/// Whoever joins late gets the text from its start.
TEST_F(ServiceTest, TellsWhatIsWritten) {
  start();
  control_.hold("poem");
  std::vector<std::string> texts(2);
  const auto prompt = [&](size_t who) {
    Order order = this->order("poem");
    FreePrompt written;
    written.text = "poem of many words";
    order.work = written;
    order.flight = "poem";
    order.written = [this, &texts, who](const std::shared_ptr<const std::string>& text) {
      const std::lock_guard lock(mutex_);
      texts[who] = *text;
    };
    return order;
  };
  const auto told = [&](size_t who) {
    const std::lock_guard lock(mutex_);
    return texts[who];
  };
  submit(prompt(0));
  ASSERT_TRUE(eventually([&] { return !told(0).empty(); }));
  EXPECT_EQ(told(0), "re: poem of");
  submit(prompt(1));
  control_.release("poem");
  ASSERT_TRUE(wait_finished(2));
  EXPECT_EQ(std::get<FreeAnswer>(**finished_[1].second.answer).text, "re: poem of many words");
  EXPECT_EQ(finished_[0].second.times.normalize, 3);
}

TEST_F(ServiceTest, TellsHowFarItIs) {
  start();
  control_.windows = 3;
  control_.hold("long");
  std::vector<size_t> told;
  Order long_one = order("long");
  long_one.progress = [&](const TaskProgress& progress, double ms) {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(progress.windows, 3U);
    EXPECT_GE(ms, 0);
    told.push_back(progress.windows_done);
  };
  submit(std::move(long_one));
  const auto told_count = [&] {
    const std::lock_guard lock(mutex_);
    return told.size();
  };
  ASSERT_TRUE(eventually([&] { return told_count() == 1; }));
  control_.windows_done = 1;
  ASSERT_TRUE(eventually([&] { return told_count() == 2; }));
  control_.windows_done = 2;
  ASSERT_TRUE(eventually([&] { return told_count() == 3; }));
  control_.release("long");
  ASSERT_TRUE(wait_finished(1));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(told, (std::vector<size_t>{0, 1, 2}));  // each once, however many steps it takes
}

TEST_F(ServiceTest, PassesErrorsOn) {
  start();
  submit(order("fail"));
  ASSERT_TRUE(wait_finished(1));
  EXPECT_EQ(finished_[0].second.answer.error().message, "told to fail");
}

TEST(Service, TellsWhyTheModelDidNotLoad) {
  Service service({}, []() -> Result<std::unique_ptr<ServedModel>> {
    return Error{ErrorCode::kNotFound, "no model here"};
  });
  EXPECT_EQ(service.wait_until_loaded().error().message, "no model here");
  EXPECT_EQ(service.state(), ServiceState::kFailed);
}

class BrownOutTest : public testing::Test {
 protected:
  void wait(std::chrono::milliseconds waited, std::chrono::milliseconds step = 100ms) {
    now_ += step;
    brown_out_.observe(waited, now_);
  }
  bool active() { return brown_out_.active(now_); }

  BrownOut brown_out_{{500ms, 1000ms, 100ms, 5000ms}};
  BrownOut::Time now_{};
};

TEST_F(BrownOutTest, StartsAfterPressureHasLasted) {
  for (int i = 0; i < 10; ++i) wait(600ms);
  EXPECT_FALSE(active());  // 0.9 s
  wait(600ms);
  EXPECT_TRUE(active());
  EXPECT_EQ(brown_out_.starts(), 1U);
}

TEST_F(BrownOutTest, OneQuickRequestBeginsTheWaitAnew) {
  for (int i = 0; i < 9; ++i) wait(600ms);
  wait(50ms);
  for (int i = 0; i < 10; ++i) wait(600ms);
  EXPECT_FALSE(active());
  wait(600ms);
  EXPECT_TRUE(active());
}

TEST_F(BrownOutTest, MiddlingWaitsNeitherStartNorEndIt) {
  for (int i = 0; i < 100; ++i) wait(300ms);
  EXPECT_FALSE(active());
  wait(600ms);
  EXPECT_TRUE(active());
  for (int i = 0; i < 100; ++i) wait(300ms);
  EXPECT_TRUE(active());
}

TEST_F(BrownOutTest, EndsAfterQuietHasLasted) {
  for (int i = 0; i < 11; ++i) wait(600ms);
  ASSERT_TRUE(active());
  for (int i = 0; i < 49; ++i) wait(10ms);
  EXPECT_TRUE(active());  // 4.9 s
  wait(10ms);
  EXPECT_FALSE(active());
}

TEST_F(BrownOutTest, EndsWithoutAnyRequest) {
  for (int i = 0; i < 11; ++i) wait(600ms);
  ASSERT_TRUE(active());
  now_ += 5s;
  EXPECT_FALSE(active());
}

TEST_F(BrownOutTest, TurnsAtMostOnceInSixSecondsUnderAnyLoad) {
  // The worst load for it: just long enough over, then just long enough under, again and again.
  int seconds = 0;
  uint64_t starts_before = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 11; ++i) wait(600ms);
    for (int i = 0; i < 51; ++i) wait(10ms);
    seconds += 6;
    EXPECT_LE(brown_out_.starts() - starts_before, 1U);
    starts_before = brown_out_.starts();
  }
  EXPECT_EQ(brown_out_.starts(), 20U);
  EXPECT_EQ(seconds, 120);
  // And it does not flutter between the two thresholds.
  for (int i = 0; i < 200; ++i) wait(i % 2 == 0 ? 600ms : 50ms);
  EXPECT_EQ(brown_out_.starts(), 20U);
}

}  // namespace
}  // namespace seqgpt
