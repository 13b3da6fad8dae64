// SPDX-License-Identifier: Apache-2.0
// A batch without a model: an answerer that finds every digit run, and files in a directory of the
// test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "batch/items.h"
#include "batch/run.h"
#include "batch/writer.h"

namespace seqgpt {

/// Finds runs of digits as values of the first label; a text with "fail" in it fails. Answers are
/// ready `delay` calls of work() after they were submitted.
class FakeAnswerer final : public Answerer {
 public:
  explicit FakeAnswerer(int delay = 0) : delay_(delay) {}

  Ticket submit(const Task& task) override {
    waiting_.emplace(++last_, Waiting{task, 0});
    most_waiting = std::max(most_waiting, waiting_.size());
    return last_;
  }
  bool ready(Ticket ticket) const override { return waiting_.at(ticket).worked >= delay_; }
  void work() override {
    for (auto& [ticket, one] : waiting_) ++one.worked;
  }
  Result<Answer> take(Ticket ticket) override {
    const Task task = std::move(waiting_.at(ticket).task);
    waiting_.erase(ticket);
    if (task.text.find("fail") != std::string::npos)
      return Error{ErrorCode::kInvalidArgument, "told to fail, \"quoted\"", "text"};
    return answer(task);
  }

  size_t most_waiting = 0;

 private:
  struct Waiting {
    Task task;
    int worked;
  };

  static Result<Answer> answer(const Task& task) {
    SEQGPT_ASSIGN(std::vector<Label> labels, check_labels(task.labels));
    Answer answer;
    answer.kind = task.kind;
    answer.labels = std::move(labels);
    answer.reference_time = task.options.reference_time;
    for (size_t at = 0; at < task.text.size();) {
      size_t end = at;
      while (end < task.text.size() && std::isdigit(static_cast<unsigned char>(task.text[end])))
        ++end;
      if (end > at) answer.entities.push_back({0, {at, end}, {}, {}, 0.5});
      at = end + (end == at);
    }
    if (task.kind == TaskKind::kClassify)
      for (size_t i = 0; i < answer.labels.size(); ++i)
        answer.classes.push_back({i, 1.0 / static_cast<double>(answer.labels.size())});
    return answer;
  }

  int delay_;
  std::map<Ticket, Waiting> waiting_;
  Ticket last_ = 0;
};

class BatchFiles : public testing::Test {
 protected:
  void SetUp() override {
    // In memory where there is such a place: a sync to a disk is the slow part of these tests.
    const bool memory = std::filesystem::is_directory("/dev/shm");
    std::string pattern =
        (memory ? std::string("/dev/shm/") : testing::TempDir()) + "seqgpt-batch-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    defaults_.labels = check_labels({{"号码", "", ""}, {"姓名", "", ""}}).value();
    defaults_.context = {"fake", "0123", std::nullopt, std::nullopt};
    defaults_.options.reference_time = "2026-11-30T09:00:00+08:00";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  BatchDefaults defaults_;

 private:
  std::string directory_;
};

}  // namespace seqgpt
