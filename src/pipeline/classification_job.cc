// SPDX-License-Identifier: Apache-2.0
// Classification by the language model: labels scored over prompts in two orders, averaged over the
// windows of the text.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/utf8.h"
#include "constrain/classification.h"
#include "pipeline/job.h"
#include "pipeline/window_reader.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

/// What the only label of a multiple choice is asked against.
constexpr const char* kOther = "其他";
constexpr const char* kNeither = "以上都不是";  // for the label 其他 itself

/// Several classes of a text share the probability of being named first. A label with so much of it
/// is as likely one of them as not (docs/classification.md has the measurement).
constexpr double kEvenShare = 0.2;

/// From the shares of one choice to whether each label belongs. Of few labels, the share that each
/// has where nothing is known is even.
void make_independent(std::vector<double>& shares) {
  const double even = std::max(kEvenShare, 1.0 / static_cast<double>(shares.size()));
  for (double& share : shares) share /= share + even;
}

/// Labels by the bytes of their names: the caller's order never reaches the model.
std::vector<size_t> canonical_order(const std::vector<std::string>& names) {
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return names[i]; });
  return order;
}

/// One window scored: probabilities[label] of one choice among all labels.
class ClassificationWindow final : public WindowWork {
 public:
  static Result<std::unique_ptr<ClassificationWindow>> make(const Pipeline& pipeline,
                                                            const Task& task, ByteSpan window) {
    std::unique_ptr<ClassificationWindow> work(new ClassificationWindow(pipeline, task, window));
    SEQGPT_TRY(work->ask());
    return work;
  }

  Status submit(Engine& engine) override {
    for (size_t i = 0; i < asked_.size(); ++i) {
      Result<RequestId> submitted = engine.submit(std::move(asked_[i].request));
      if (!submitted.ok()) {
        withdraw_from(engine, 0, i);
        return std::move(submitted).error();
      }
      asked_[i].id = *submitted;
    }
    return {};
  }

  bool ready(const Engine& engine) const override {
    return std::ranges::all_of(asked_, [&](const Asked& asked) { return engine.done(asked.id); });
  }

  Status collect(Engine& engine) override {
    for (size_t i = 0; i < asked_.size(); ++i) {
      Result<Scores> scores = engine.take_scores(asked_[i].id);
      if (!scores.ok()) {
        withdraw_from(engine, i + 1, asked_.size());
        return std::move(scores).error();
      }
      add(asked_[i], *scores);
    }
    return {};
  }

  void withdraw(Engine& engine) override { withdraw_from(engine, 0, asked_.size()); }

  const std::vector<double>& probabilities() const { return probabilities_; }

 private:
  struct Asked {
    ScoreRequest request;
    std::vector<size_t> labels;  // of each continuation
    RequestId id = 0;
  };

  ClassificationWindow(const Pipeline& pipeline, const Task& task, ByteSpan window)
      : pipeline_(pipeline),
        text_(std::string_view(task.text).substr(window.begin, window.end - window.begin)),
        probabilities_(task.labels.size()) {
    for (const Label& label : task.labels) names_.push_back(prompt_name(label));
    if (task.options.multi && names_.size() == 1)
      names_.emplace_back(names_.front() == kOther ? kNeither : kOther);
  }

  std::vector<int32_t> prompt_of(const std::vector<std::string>& names) const {
    return pipeline_.encode_prompt(render_prompt(TaskKind::kClassify, text_, names));
  }

  /// A place in the list favours a label; so the list is read in canonical order and backwards.
  Status ask() {
    std::vector<size_t> order = canonical_order(names_);
    for (int direction = 0; direction < (names_.size() > 1 ? 2 : 1); ++direction) {
      std::vector<std::string> names;
      for (const size_t label : order) names.push_back(names_[label]);
      Asked asked;
      asked.labels = order;
      asked.request.prompt = prompt_of(names);
      SEQGPT_ASSIGN(asked.request.continuations,
                    label_continuations(pipeline_.tokenizer(), names, pipeline_.end_id()));
      asked_.push_back(std::move(asked));
      std::ranges::reverse(order);
    }
    return {};
  }

  /// The mean over the orders.
  void add(const Asked& asked, const Scores& scores) {
    const double share = 1.0 / static_cast<double>(asked_.size());
    for (size_t i = 0; i < scores.logprobs.size(); ++i) {
      if (asked.labels[i] >= probabilities_.size()) continue;  // kOther
      const auto& steps = scores.logprobs[i];
      const double logprob = std::accumulate(steps.begin(), steps.end(), 0.0);
      probabilities_[asked.labels[i]] += share * std::exp(logprob);
    }
  }

  void withdraw_from(Engine& engine, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      engine.cancel(asked_[i].id);
      (void)engine.take_scores(asked_[i].id);
    }
  }

  const Pipeline& pipeline_;
  std::string_view text_;
  std::vector<std::string> names_;
  std::vector<Asked> asked_;
  std::vector<double> probabilities_;
};

class ClassificationJob final : public Job {
 public:
  ClassificationJob(const Pipeline& pipeline, const Task& task)
      : pipeline_(pipeline), task_(task), sums_(task.labels.size()) {
    const auto make = [this](ByteSpan window) -> Result<std::unique_ptr<WindowWork>> {
      SEQGPT_ASSIGN(auto work, ClassificationWindow::make(pipeline_, task_, window));
      return std::unique_ptr<WindowWork>(std::move(work));
    };
    const auto done = [this](WindowWork& work, ByteSpan window) {
      add(static_cast<const ClassificationWindow&>(work).probabilities(), window);
    };
    reader_.emplace(windows_of(pipeline.tokenizer(), task.text, task.options.window_tokens,
                               task.options.window_voting),
                    make, done);
  }

  Result<bool> advance(Engine& engine) override { return reader_->advance(engine); }
  void withdraw(Engine& engine) override { reader_->withdraw(engine); }

  Answer answer() override {
    for (double& sum : sums_) sum /= characters_;
    if (sums_.size() > 1) pipeline_.calibration().classes(sums_);
    if (task_.options.multi && sums_.size() > 1) make_independent(sums_);
    Answer answer = classes_answer(task_, task_.labels, sums_);
    answer.unvoted = !task_.options.window_voting && windows_ > 1;
    return answer;
  }

 private:
  /// Windows count by their length.
  void add(const std::vector<double>& probabilities, ByteSpan window) {
    const auto length = static_cast<double>(
        utf8_count(std::string_view(task_.text).substr(window.begin, window.end - window.begin)));
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += length * probabilities[i];
    characters_ += length;
    ++windows_;
  }

  const Pipeline& pipeline_;
  const Task& task_;
  std::vector<double> sums_;
  double characters_ = 0;
  size_t windows_ = 0;
  std::optional<WindowReader> reader_;
};

}  // namespace

Answer classes_answer(const Task& task, const std::vector<Label>& labels,
                      const std::vector<double>& probabilities) {
  Answer answer;
  answer.kind = TaskKind::kClassify;
  answer.labels = labels;
  for (size_t i = 0; i < labels.size(); ++i) answer.classes.push_back({i, probabilities[i]});
  std::ranges::stable_sort(answer.classes, std::greater{}, &ClassScore::probability);
  if (!task.options.multi) return answer;
  answer.chosen.emplace();
  for (const ClassScore& score : answer.classes) {
    if (score.probability >= task.options.threshold) answer.chosen->push_back(score.label);
  }
  return answer;
}

Result<std::unique_ptr<Job>> make_classification_job(const Pipeline& pipeline, const Task& task) {
  return std::unique_ptr<Job>(std::make_unique<ClassificationJob>(pipeline, task));
}

}  // namespace seqgpt
